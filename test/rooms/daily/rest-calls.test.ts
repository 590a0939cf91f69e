import type { DailyRestClient } from '../../../src/rooms/daily/rest-client.js';
import { exchange, json, type Reply, refusal } from './fake-provider.js';

const room = 'voicebot-1';
const sessionId = 'c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44';
const held = { callId: 'call/1 ?', callDomain: '22222222', sipUri: 'sip:1.0@acme.sip.daily.co' };

const forward = (client: DailyRestClient) => client.forwardCaller(held);
const dial = (client: DailyRestClient) => client.startDialout(room, { phoneNumber: '+12025550101' });
const stop = (client: DailyRestClient) => client.stopDialout(room, { sessionId });
const tones = (client: DailyRestClient) => client.sendDtmf(room, { sessionId, tones: '1A*#' });
const transfer = (client: DailyRestClient) =>
  client.sipCallTransfer(room, { sessionId, toEndPoint: '+12025550101', callerId: 'number-id' });
const refer = (client: DailyRestClient) => client.sipRefer(room, { sessionId, toEndPoint: 'sip:desk@example.org' });
const eject = (client: DailyRestClient) => client.eject(room, [sessionId, 'other']);

describe('forwarding a held caller', () => {
  test.each(['sip:1.0@acme.sip.daily.co', '1.0@acme.sip.daily.co'])('sends %s with its scheme', async (sipUri) => {
    const act = (client: DailyRestClient) => client.forwardCaller({ ...held, sipUri });
    const { result, lines, bodies } = await exchange([json({ ok: 'true' })], act);
    expect(result).toBe('forwarded');
    expect(lines).toEqual(['POST /dialin/pinlessCallUpdate']);
    expect(bodies).toEqual([{ ...held, sipUri: 'sip:1.0@acme.sip.daily.co' }]);
  });

  test.each(['{"ok":true}', '{"ok":"true"}', '{}', '', 'OK'])('is done whatever a 200 says: %j', async (body) => {
    expect(await exchange([{ status: 200, body }], forward)).toMatchObject({ result: 'forwarded' });
  });

  test('finds the caller gone', async () => {
    const { result, lines } = await exchange([refusal(404, 'call forwarding failed')], forward);
    expect(result).toBe('no_such_call');
    expect(lines).toHaveLength(1);
  });

  test.each<[Reply]>([['break'], [json({}, 500)], [json({}, 503)], [{ status: 200, stopsShort: true }]])(
    'is tried again after %j, and was done the first time when the caller is held no more',
    async (reply) => {
      expect(await exchange([reply, json({ ok: true })], forward)).toMatchObject({ result: 'forwarded' });
      const { result, lines } = await exchange([reply, refusal(404, 'call forwarding failed')], forward);
      expect(result).toBe('forwarded');
      expect(lines).toHaveLength(2);
    },
  );

  test('finds the caller gone when the provider was only busy before', async () => {
    const { result } = await exchange([json({}, 429), refusal(404, 'call forwarding failed')], forward);
    expect(result).toBe('no_such_call');
  });

  test('fails when the request itself is wrong', async () => {
    const { error } = await exchange([refusal(400, 'missing callDomain')], forward);
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status: 400, text: 'missing callDomain' });
  });
});

describe('dialling out', () => {
  test('sends a number, with what it is called by', async () => {
    const { result, lines, bodies } = await exchange([json({ ok: 'true', sessionId })], (client) =>
      client.startDialout(room, { phoneNumber: '+12025550101', displayName: 'Ana', callerId: 'number-id' }),
    );
    expect(result).toEqual({ sessionId });
    expect(lines).toEqual([`POST /rooms/${room}/dialOut/start`]);
    expect(bodies).toEqual([{ phoneNumber: '+12025550101', displayName: 'Ana', callerId: 'number-id' }]);
  });

  test('sends a SIP address', async () => {
    const sipUri = 'sip:desk@example.org?X-key=val';
    const { bodies } = await exchange([json({ ok: true, sessionId })], (client) =>
      client.startDialout(room, { sipUri }),
    );
    expect(bodies).toEqual([{ sipUri }]);
  });

  test.each([
    {},
    { phoneNumber: '12025550101' },
    { phoneNumber: '+1' },
    { phoneNumber: '+12025550101;ext=1' },
    { phoneNumber: '' },
    { sipUri: 'desk@example.org' },
    { sipUri: 'sip:' },
    { sipUri: 'sip:a@b c' },
    { sipUri: 'sip:a@b\r\nX: y' },
    { sipUri: 'https://a.dev' },
    { phoneNumber: '+12025550101', sipUri: 'sip:a@b' },
  ])('never dials %j', async (target) => {
    const { error, lines } = await exchange([json({ sessionId })], (client) =>
      client.startDialout(room, target as { phoneNumber: string }),
    );
    expect(error).toMatchObject({ code: 'VB_REQUEST_INVALID' });
    expect(lines).toEqual([]);
  });

  test.each(['', '{}', '{"ok":true}', '{"sessionId":7}', '<html>'])(
    'may have been done when the answer is %j',
    async (body) => {
      const { error } = await exchange([{ status: 200, body }], dial);
      expect(error).toMatchObject({
        code: 'VB_ROOMS_REQUEST_FAILED',
        mayBeDone: true,
        message: expect.stringContaining('may have been carried out'),
      });
    },
  );
});

test('ending a call out names its leg', async () => {
  const { result, lines, bodies } = await exchange([json({ ok: true })], stop);
  expect(result).toBe('stopped');
  expect(lines).toEqual([`POST /rooms/${room}/dialOut/stop`]);
  expect(bodies).toEqual([{ sessionId }]);
});

test.each<[Reply[], string]>([
  [[refusal(404, 'no dial-out to stop')], 'not_running'],
  [['break', refusal(404, 'no dial-out to stop')], 'stopped'],
  [[json({}, 500), json({ ok: true })], 'stopped'],
])('ending a call out after %j says %s', async (script, expected) => {
  expect(await exchange(script, stop)).toMatchObject({ result: expected });
});

test('tones name their leg, and their length when it is asked for', async () => {
  const { error, lines, bodies } = await exchange([json({ ok: true })], async (client) => {
    await tones(client);
    await client.sendDtmf(room, { sessionId, tones: '0', digitDurationMs: 100 });
  });
  expect(error).toBeUndefined();
  expect(lines).toEqual([`POST /rooms/${room}/dialOut/sendDTMF`, `POST /rooms/${room}/dialOut/sendDTMF`]);
  expect(bodies).toEqual([
    { sessionId, tones: '1A*#' },
    { sessionId, tones: '0', digitDurationMs: 100 },
  ]);
});

test.each(['', '1'.repeat(21), '1 2', 'a', 'E', '1\n'])('the tones %j are never sent', async (keys) => {
  const { error, lines } = await exchange([json({})], (client) => client.sendDtmf(room, { sessionId, tones: keys }));
  expect(error).toMatchObject({ code: 'VB_REQUEST_INVALID' });
  expect(lines).toEqual([]);
});

test('a transfer names the leg and where it goes', async () => {
  const { error, lines, bodies } = await exchange([json({ ok: true })], transfer);
  expect(error).toBeUndefined();
  expect(lines).toEqual([`POST /rooms/${room}/sipCallTransfer`]);
  expect(bodies).toEqual([{ sessionId, toEndPoint: '+12025550101', callerId: 'number-id' }]);
});

test('a transfer may go to a SIP address', async () => {
  const { bodies } = await exchange([json({ ok: 'true' })], (client) =>
    client.sipCallTransfer(room, { sessionId, toEndPoint: 'sip:desk@example.org' }),
  );
  expect(bodies).toEqual([{ sessionId, toEndPoint: 'sip:desk@example.org' }]);
});

test('a referral goes to a SIP address', async () => {
  const { error, lines, bodies } = await exchange([json({ ok: true })], refer);
  expect(error).toBeUndefined();
  expect(lines).toEqual([`POST /rooms/${room}/sipRefer`]);
  expect(bodies).toEqual([{ sessionId, toEndPoint: 'sip:desk@example.org' }]);
});

test.each(['', '12025550101', 'desk@example.org', 'https://a.dev', '+1202555<+12'])(
  'nobody is transferred or referred to %j',
  async (toEndPoint) => {
    const { result, lines } = await exchange([json({})], (client) =>
      Promise.all(
        [client.sipCallTransfer(room, { sessionId, toEndPoint }), client.sipRefer(room, { sessionId, toEndPoint })].map(
          (act) => act.catch(({ code }) => code),
        ),
      ),
    );
    expect(result).toEqual(['VB_REQUEST_INVALID', 'VB_REQUEST_INVALID']);
    expect(lines).toEqual([]);
  },
);

test('a referral does not go to a number', async () => {
  const { error, lines } = await exchange([json({})], (client) =>
    client.sipRefer(room, { sessionId, toEndPoint: '+12025550101' }),
  );
  expect(error).toMatchObject({ code: 'VB_REQUEST_INVALID' });
  expect(lines).toEqual([]);
});

test('removing participants says who has gone', async () => {
  const { result, lines, bodies } = await exchange([json({ ejectedIds: [sessionId, 7] })], eject);
  expect(result).toEqual([sessionId]);
  expect(lines).toEqual([`POST /rooms/${room}/eject`]);
  expect(bodies).toEqual([{ ids: [sessionId, 'other'] }]);
});

test('removing participants from a room where nobody is removes nobody', async () => {
  expect(await exchange([refusal(404, 'no meeting')], eject)).toMatchObject({ result: [] });
});

test('more than a hundred participants are not removed at once', async () => {
  const ids = Array.from({ length: 101 }, (_, at) => `p${at}`);
  const { error, lines } = await exchange([json({})], (client) => client.eject(room, ids));
  expect(error).toMatchObject({ code: 'VB_REQUEST_INVALID' });
  expect(lines).toEqual([]);
});

describe.each([
  ['dialling out', dial],
  ['sending tones', tones],
  ['a transfer', transfer],
  ['a referral', refer],
] as const)('%s', (_title, act: (client: DailyRestClient) => Promise<unknown>) => {
  const success = json({ ok: true, sessionId });

  test.each<[Reply]>([['break'], [{ status: 200, stopsShort: true }], ['silence']])(
    'may have been done after %j, and is not repeated',
    async (reply) => {
      const timeoutMs = reply === 'silence' ? 200 : 10_000;
      const { error, lines } = await exchange([reply, success], act, { timeoutMs });
      expect(error).toMatchObject({
        code: 'VB_ROOMS_REQUEST_FAILED',
        status: undefined,
        mayBeDone: true,
        message: expect.stringContaining('may have been carried out'),
      });
      expect(lines).toHaveLength(1);
    },
  );

  test.each([500, 502, 503])('may have been done after a %d, and is not repeated', async (status) => {
    const { error, lines } = await exchange([refusal(status, 'oops', 'server-error'), success], act);
    expect(error).toMatchObject({
      code: 'VB_ROOMS_REQUEST_FAILED',
      status,
      error: 'server-error',
      mayBeDone: true,
      message: expect.stringMatching(/oops; it may have been carried out$/),
    });
    expect(lines).toHaveLength(1);
  });

  test('is repeated when the provider was busy', async () => {
    const { error, lines } = await exchange([json({}, 429), json({}, 429), success], act);
    expect(error).toBeUndefined();
    expect(lines).toHaveLength(3);
  });

  test.each([400, 403, 404])('has not been done after a %d', async (status) => {
    const { error, lines } = await exchange([refusal(status, 'no')], act);
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status, mayBeDone: false });
    expect(lines).toHaveLength(1);
  });

  test('may have been done when it is aborted on the way', async () => {
    const abort = new AbortController();
    const { error } = await exchange(['silence'], async (client, api) => {
      const acting = act(abortable(client, abort.signal));
      await api.received();
      abort.abort(new Error('enough'));
      await acting;
    });
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', mayBeDone: true });
  });
});

/** A client whose calls are given this signal. */
function abortable(client: DailyRestClient, signal: AbortSignal): DailyRestClient {
  return new Proxy(client, {
    get(target, name: keyof DailyRestClient) {
      const method = target[name] as (...given: unknown[]) => unknown;
      return (...given: unknown[]) => method.apply(target, [...given, signal]);
    },
  });
}
