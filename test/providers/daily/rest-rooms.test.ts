import { ProviderRequestError } from '../../../src/base/http/provider-request-error.js';
import type { DailyRestClient } from '../../../src/providers/daily/rest.js';
import type { RoomRequest } from '../../../src/providers/rooms/room-provider.js';
import { apiKey, exchange, json, type Reply, refusal } from './fake-provider.js';

const name = 'voicebot-3f9c1a20';
const url = `https://acme.daily.co/${name}`;
const room = { id: '987b5eb5', name, api_created: true, privacy: 'private', url, config: {} };

const dialin: RoomRequest = {
  name,
  expiresAt: 1_767_229_200,
  dialin: { displayName: '+15550100001' },
  allowsDialout: false,
  idleSeconds: 30,
};
const both: RoomRequest = { ...dialin, allowsDialout: true };
const dialout: RoomRequest = { name, expiresAt: 1_767_229_200, allowsDialout: true, idleSeconds: 30 };

const create = (request: RoomRequest) => (client: DailyRestClient) => client.createRoom(request);

const sip = { display_name: '+15550100001', video: false, sip_mode: 'dial-in', num_endpoints: 1 };
const always = { exp: 1_767_229_200, eject_at_room_exp: true, start_video_off: true };
const idling = { max_idle_timeout_sec: 30 };

const planRefusal = refusal(400, "property 'enable_dialout' cannot be set to that value with your current plan");

describe('creating a room', () => {
  test('sends a private room that ends for everybody, with the key as a bearer token', async () => {
    const { result, lines, bodies, requests } = await exchange([json(room)], create(dialin));
    expect(result).toEqual({ name, url, allowsDialout: false });
    expect(lines).toEqual(['POST /rooms']);
    expect(bodies).toEqual([
      { name, privacy: 'private', properties: { ...always, sip: { ...sip, dialin_config: idling } } },
    ]);
    expect(requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
    });
  });

  test('allows calls out of it, and limits how long they stay alone', async () => {
    const { result, bodies } = await exchange([json(room)], create(dialout));
    expect(result).toEqual({ name, url, allowsDialout: true });
    expect(bodies).toMatchObject([{ properties: { ...always, enable_dialout: true, dialout_config: idling } }]);
    expect(bodies[0]).not.toHaveProperty('properties.sip');
  });

  test('takes calls in and out', async () => {
    const { bodies } = await exchange([json(room)], create(both));
    expect(bodies).toEqual([
      {
        name,
        privacy: 'private',
        properties: {
          ...always,
          enable_dialout: true,
          dialout_config: idling,
          sip: { ...sip, dialin_config: idling },
        },
      },
    ]);
  });

  test('does without calls out where the account may not, and remembers it', async () => {
    const { result, bodies } = await exchange([planRefusal, json(room)], async (client) => [
      await client.createRoom(both),
      await client.createRoom(both),
    ]);
    expect(result).toEqual([
      { name, url, allowsDialout: false },
      { name, url, allowsDialout: false },
    ]);
    expect(bodies).toHaveLength(3);
    expect(bodies.map((body) => JSON.stringify(body).includes('dialout'))).toEqual([true, false, false]);
  });

  test('fails with a hint when the room is only for calls out and the account may not', async () => {
    const { error, lines } = await exchange([planRefusal], create(dialout));
    expect(error).toBeInstanceOf(ProviderRequestError);
    expect(error).toMatchObject({
      code: 'VB_ROOMS_REQUEST_FAILED',
      status: 400,
      error: 'invalid-request-error',
      hint: expect.stringContaining('have dial-out enabled for this account'),
    });
    expect(lines).toHaveLength(1);
  });

  test('asks again for calls out when the room is only for those, whatever was refused before', async () => {
    const script = [planRefusal, json(room), json(room)];
    const { result } = await exchange(script, async (client) => {
      await client.createRoom(both);
      return client.createRoom(dialout);
    });
    expect(result).toMatchObject({ allowsDialout: true });
  });

  test.each(["unknown property 'dialin_config'", "unknown property 'dialout_config'", 'max_idle_timeout_sec: unknown'])(
    'does without the limits on idling where they are refused with %j, and remembers it',
    async (info) => {
      const { result, bodies } = await exchange([refusal(400, info), json(room)], async (client) => [
        await client.createRoom(both),
        await client.createRoom(both),
      ]);
      expect(result).toHaveLength(2);
      expect(bodies.map((body) => JSON.stringify(body).includes('max_idle_timeout_sec'))).toEqual([true, false, false]);
      expect(bodies[1]).toMatchObject({ properties: { enable_dialout: true, sip } });
    },
  );

  test('does without both', async () => {
    const script = [refusal(400, "unknown property 'dialin_config'"), planRefusal, json(room)];
    const { result, bodies } = await exchange(script, create(both));
    expect(result).toEqual({ name, url, allowsDialout: false });
    expect(bodies[2]).toEqual({ name, privacy: 'private', properties: { ...always, sip } });
  });

  test('gives up when the provider goes on refusing', async () => {
    const { error, lines } = await exchange([refusal(400, "unknown property 'dialin_config'")], create(both));
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status: 400 });
    expect(lines).toHaveLength(2);
  });

  test.each<[Reply]>([['break'], [json({ error: 'server-error' }, 500)], [json({}, 504)]])(
    'finds its room made when %j was the answer the first time',
    async (reply) => {
      const script = [reply, refusal(400, `a room named ${name} already exists`), json(room)];
      const { result, lines } = await exchange(script, create(both));
      expect(result).toEqual({ name, url, allowsDialout: true });
      expect(lines).toEqual(['POST /rooms', 'POST /rooms', `GET /rooms/${name}`]);
    },
  );

  test('fails when the name is taken the first time, or after the provider was only busy', async () => {
    const taken = refusal(400, `a room named ${name} already exists`);
    const first = await exchange([taken], create(both));
    expect(first.error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status: 400 });
    expect(first.lines).toEqual(['POST /rooms']);
    const later = await exchange([json({}, 429), taken], create(both));
    expect(later.error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status: 400 });
    expect(later.lines).toEqual(['POST /rooms', 'POST /rooms']);
  });

  test.each<[Reply]>([
    [{ status: 200 }],
    [{ status: 200, body: '[]' }],
    [{ status: 200, body: '<html>' }],
    [json({ name })],
    [json({ url })],
    [json({ name, url: 'no address' })],
    [json({ name, url: 7 })],
  ])('fails on the answer %j', async (reply) => {
    const { error } = await exchange([reply], create(dialin));
    expect(error).toMatchObject({
      code: 'VB_ROOMS_REQUEST_FAILED',
      message: expect.stringContaining('without a room'),
    });
  });
});

describe('reading a room', () => {
  const get = (client: DailyRestClient) => client.getRoom(name);

  test('tells what is at its default too', async () => {
    const { result, lines, requests } = await exchange([json({ ...room, privacy: 'public' })], get);
    expect(result).toEqual({
      name,
      url,
      allowsDialout: false,
      isPrivate: false,
      expiresAt: undefined,
      sipEndpoints: [],
    });
    expect(lines).toEqual([`GET /rooms/${name}`]);
    expect(requests[0]?.body).toBe('');
  });

  test.each(['1@acme.sip.daily.co', 'sip:1@acme.sip.daily.co', 'sip:sip:1@acme.sip.daily.co'])(
    'tells the SIP address %s with its scheme once',
    async (endpoint) => {
      const sip_uri = { endpoint, extra_endpoints: ['2@acme.sip.daily.co', 7, null] };
      const config = { exp: 1_767_229_200, enable_dialout: true, sip_uri, new_thing: {} };
      const { result } = await exchange([json({ ...room, config, another: 1 })], get);
      expect(result).toEqual({
        name,
        url,
        allowsDialout: true,
        isPrivate: true,
        expiresAt: 1_767_229_200,
        sipEndpoints: ['sip:1@acme.sip.daily.co', 'sip:2@acme.sip.daily.co'],
      });
    },
  );

  test.each<[Reply]>([
    [json({}, 404)],
    [refusal(404, 'room not found', 'not-found')],
    [refusal(400, `Room ${name} not found`)],
    [refusal(400, 'room does not exist')],
  ])('finds none when the answer is %j', async (reply) => {
    expect(await exchange([reply], get)).toMatchObject({ result: undefined, error: undefined });
  });

  test('fails when it is refused for another reason', async () => {
    const { error } = await exchange([refusal(400, 'bad request')], get);
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status: 400 });
  });
});

describe('deleting a room', () => {
  const remove = (client: DailyRestClient) => client.deleteRoom(name);

  test.each<[Reply[], string]>([
    [[json({ deleted: true, name })], 'deleted'],
    [[{ status: 200 }], 'deleted'],
    [[refusal(404, 'not found', 'not-found')], 'no_such_room'],
    [[refusal(400, `room ${name} not found`)], 'no_such_room'],
    [['break', refusal(404, 'not found')], 'deleted'],
    [[json({}, 502), refusal(404, 'not found')], 'deleted'],
    [[json({}, 429), refusal(404, 'not found')], 'no_such_room'],
  ])('after %j says %s', async (script, expected) => {
    const { result, lines } = await exchange(script, remove);
    expect(result).toBe(expected);
    expect(new Set(lines)).toEqual(new Set([`DELETE /rooms/${name}`]));
  });
});

describe('looking into a room', () => {
  const look = (client: DailyRestClient) => client.isOccupied(name);

  test.each<[Reply, boolean]>([
    [json({ total_count: 1, data: [{ id: 'a', room: name }] }), true],
    [json({ total_count: 0, data: [] }), false],
    [refusal(404, 'no such room'), false],
    [refusal(400, 'room not found'), false],
  ])('%j means %s', async (reply, expected) => {
    const { result, lines } = await exchange([reply], look);
    expect(result).toBe(expected);
    expect(lines).toEqual([`GET /rooms/${name}/presence?limit=1`]);
  });

  test('does not take an answer that cannot be read for an empty room', async () => {
    for (const body of ['', '{}', '{"data":{}}', '<html>']) {
      const { error } = await exchange([{ status: 200, body }], look);
      expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED' });
    }
  });
});

describe('removing a participant by its name', () => {
  const eject = (client: DailyRestClient) => client.eject(name, 'voicebot-leg-1');

  test.each<[Reply, readonly string[] | undefined]>([
    [json({ ejectedIds: ['session-1'] }), ['session-1']],
    [json({ ejectedIds: [] }), []],
    [refusal(404, 'room is not hosting a call'), undefined],
    [refusal(400, 'room not found'), undefined],
  ])('%j means %j', async (reply, expected) => {
    const { result, lines, bodies } = await exchange([reply], eject);
    expect(result).toEqual(expected);
    expect(lines).toEqual([`POST /rooms/${name}/eject`]);
    expect(bodies).toEqual([{ user_ids: ['voicebot-leg-1'] }]);
  });

  test('does not take an answer that cannot be read for one that none was there', async () => {
    const { error } = await exchange([json({})], eject);
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED' });
  });
});

describe('creating a token', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJyIjoieCJ9.c2lnbmF0dXJl';
  const make = (client: DailyRestClient) =>
    client.createToken({ roomName: name, isOwner: true, expiresAt: 1_767_229_200 });

  test('asks for one room and one time', async () => {
    const { result, lines, bodies } = await exchange([json({ token })], make);
    expect(result).toBe(token);
    expect(lines).toEqual(['POST /meeting-tokens']);
    expect(bodies).toEqual([{ properties: { room_name: name, is_owner: true, exp: 1_767_229_200 } }]);
  });

  test.each(['{}', '{"token":""}', '{"token":7}', `"${token}"`, `{"token":{"value":"${token}"}}`])(
    'fails on the answer %s without showing it',
    async (body) => {
      const { error } = await exchange([{ status: 200, body }], make);
      expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED' });
      expect((error as Error).message).not.toContain('eyJ');
    },
  );

  test('is tried again after a lost answer', async () => {
    expect(await exchange(['break', json({}, 503), json({ token })], make)).toMatchObject({ result: token });
  });
});

describe.each(['', '.', '..', '../rooms', 'a/b', 'a%2Fb', 'a?b', 'a b', 'a\n', 'ü', 'x'.repeat(129)])(
  'the name %j',
  (bad) => {
    const acts: readonly [string, (client: DailyRestClient) => Promise<unknown>][] = [
      ['creating', (client) => client.createRoom({ ...dialin, name: bad })],
      ['reading', (client) => client.getRoom(bad)],
      ['looking', (client) => client.isOccupied(bad)],
      ['deleting', (client) => client.deleteRoom(bad)],
      ['hanging up', (client) => client.stopDialout(bad, 'session-1')],
      ['removing', (client) => client.eject(bad, 'voicebot-leg-1')],
      ['a token', (client) => client.createToken({ roomName: bad, isOwner: true, expiresAt: 1 })],
      ['settings', (client) => client.getDialinConfig(bad)],
      ['changed settings', (client) => client.updateDialinConfig(bad, { secret: 'a' })],
      ['deleted settings', (client) => client.deleteDialinConfig(bad)],
    ];

    test('is never asked for', async () => {
      const { result, lines } = await exchange([json(room)], (client) =>
        Promise.all(acts.map(([, act]) => act(client).catch(({ code }) => code))),
      );
      expect(result).toEqual(acts.map(() => 'VB_IDENTIFIER_INVALID'));
      expect(lines).toEqual([]);
    });
  },
);
