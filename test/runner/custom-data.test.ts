import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { MAX_PARAMETER_LENGTH, MAX_QUERY_LENGTH } from '../../src/runner/dialing/start-request.js';
import { AUTH_ID, callParameters, type DialledCall, Stream, startCall, upgradeStatus } from './hand-carrier.js';
import { IN_PROCESS, muteBots } from './in-process-bots.js';
import { botFile, RunnerUnderTest } from './runner-under-test.js';

beforeEach(muteBots);
afterEach(() => jest.restoreAllMocks());

const CALLEE = '+12025550101';
/** The largest there may be: 8 KiB of JSON. */
const LARGEST = { data: 'x'.repeat(8_192 - '{"data":""}'.length) };

let served: RunnerUnderTest;
beforeAll(async () => {
  served = await RunnerUnderTest.start({ ...IN_PROCESS, callsPerProcess: 50 });
});
afterAll(() => served[Symbol.asyncDispose]());
beforeEach(() => {
  served.api.requests.all.length = 0;
});
afterEach(() => jest.restoreAllMocks());

const dial = (body?: object, query?: string) => served.carrier.dial(served.api, { phone_number: CALLEE, body }, query);
const hasBot = (id: string) => served.records.all.some((record) => record.id === id && record.state !== 'dialling');

describe('the body of a dialled call', () => {
  test('goes from address to address to its bot', async () => {
    const body = { user: { firstName: 'Ada', lastName: 'Lovelace' }, visits: 3, tags: ['a', null, true] };
    const call = await dial(body);
    const encoded = Buffer.from(JSON.stringify(body)).toString('base64url');
    expect(new URL(call.address('answer_url')).searchParams.get('body')).toBe(encoded);
    const document = await call.answer();
    expect(document.answer.body).toMatch(
      new RegExp(`/ws\\?call_id=${call.id}&amp;token=[^<]*&amp;body=${encoded}&amp;`),
    );
    expect(new URL(document.streamUrl).searchParams.get('body')).toBe(encoded);
    expect((await Stream.open(document.streamUrl)).hello.body).toEqual(body);
  });

  test('is an empty object when there is none', async () => {
    const { hello } = await Stream.open((await (await dial()).answer()).streamUrl);
    expect([hello.body, hello.query]).toEqual([{}, {}]);
  });

  test('may be in any language', async () => {
    const body = { 名前: 'Zoë 🎈', markup: '<Hangup/> & "&amp;" \'', control: '\u0000\n\u2028', plus: 'a+b c/d=e' };
    expect((await Stream.open((await (await dial(body)).answer()).streamUrl)).hello.body).toEqual(body);
  });

  test.each(['GET', 'POST'])('may have 8 KiB, which the carrier brings with a %s', async (method) => {
    const call = await dial(LARGEST);
    expect(call.address('answer_url').length).toBeGreaterThan(11_000);
    const document = await call.answer(undefined, method);
    expect(document.streamUrl.length).toBeLessThanOrEqual(2_048);
    expect(new URL(document.streamUrl).searchParams.has('body')).toBe(false);
    expect((await Stream.open(document.streamUrl)).hello.body).toEqual(LARGEST);
  });

  test('may have no byte more', async () => {
    const answer = await startCall(served.runner, { phone_number: CALLEE, body: { data: `${LARGEST.data}x` } });
    expect([answer.status, answer.body.error.code]).toEqual([413, 'VB_BODY_TOO_LARGE']);
    expect(answer.body.error.message).toContain('8192');
    expect(served.api.requests.all).toEqual([]);
  });

  test('is there for the bot that takes over', async () => {
    const document = await (await dial({ order: 7 })).answer();
    const stream = await Stream.open(document.streamUrl);
    stream.order('throw');
    await stream.closed;
    const next = await Stream.open((await served.carrier.follow(document)).streamUrl);
    expect(next.hello).toMatchObject({ body: { order: 7 }, call: { id: stream.hello.call.id, attempt: 2 } });
  });
});

describe('custom parameters', () => {
  const query = { user_id: '42', campaign_id: 'spring & summer', session_type: 'größe=1+1' };
  const address = `?${new URLSearchParams(query)}`;

  test.each(['GET', 'POST'])('of the answer address reach the bot of an inbound call (%s)', async (method) => {
    const document = await served.carrier.answer(randomUUID(), address, method);
    const stream = await Stream.open(document.streamUrl);
    expect([stream.hello.query, stream.hello.body]).toEqual([query, {}]);
    stream.order('throw');
    await stream.closed;
    const next = await Stream.open((await served.carrier.follow(document)).streamUrl);
    expect([next.hello.query, next.hello.call.attempt]).toEqual([query, 2]);
  });

  test.each(['GET', 'POST'])('of the request to start reach the bot of a dialled call (%s)', async (method) => {
    const document = await (await dial({ order: 7 }, address)).answer(undefined, method);
    const { hello } = await Stream.open(document.streamUrl);
    expect([hello.query, hello.body]).toEqual([query, { order: 7 }]);
  });

  /** A query of this many characters, written as they are written in addresses. */
  const queryOf = (length: number) => {
    const full = `=${'x'.repeat(MAX_PARAMETER_LENGTH)}&`;
    const names = Array.from({ length: Math.floor(length / (full.length + 3)) }, (_, n) => `p${10 + n}`);
    const filled = names.map((name) => name + full).join('');
    return `?${filled}${`last=${'x'.repeat(length)}`.slice(0, length - filled.length)}`;
  };

  test('may be as long as the limit together with the largest body, and no longer', async () => {
    const longest = queryOf(MAX_QUERY_LENGTH);
    const document = await (await dial(LARGEST, longest)).answer();
    const { hello } = await Stream.open(document.streamUrl);
    expect(hello).toMatchObject({ body: LARGEST, query: Object.fromEntries(new URLSearchParams(longest)) });

    served.api.requests.all.length = 0;
    const request = { phone_number: CALLEE, body: LARGEST };
    const refused = await startCall(served.runner, request, { query: queryOf(MAX_QUERY_LENGTH + 1) });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'VB_REQUEST_INVALID']);
    expect(refused.body.error.message).toContain(String(MAX_QUERY_LENGTH));
    expect(served.api.requests.all).toEqual([]);
  });

  test('are none of the carrier and none of ours', async () => {
    const { hello } = await Stream.open((await served.carrier.answer()).streamUrl);
    expect(hello.query).toEqual({});
  });
});

describe('an address that was changed', () => {
  const change = (address: string, name: string, value?: string): string => {
    const url = new URL(address);
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
    return url.href;
  };
  const another = Buffer.from('{"order":8}').toString('base64url');
  const CHANGES: Array<[how: string, change: (address: string) => string]> = [
    ['has another body', (address) => change(address, 'body', another)],
    ['has no body', (address) => change(address, 'body')],
    ['has a second body', (address) => `${address}&body=${another}`],
    ['is of another call', (address) => change(address, 'call_id', 'out_another')],
    ['is good for longer', (address) => change(address, 'expires', '99999999999')],
    ['is good for ever', (address) => change(address, 'expires')],
    ['has no signature', (address) => change(address, 'signature')],
    ['has an empty signature', (address) => change(address, 'signature', '')],
    ['is cut by a character', (address) => address.slice(0, -1)],
    ['is cut behind the body', (address) => address.replace(/&expires=.*/, '')],
    ['is cut behind the call', (address) => address.replace(/&.*/, '')],
    ['is cut within the body', (address) => address.replace(/(&body=.....).*/, '$1')],
    ['transfers the call', (address) => `${address}&transfer_to=%2B12025550199`],
  ];

  test.each(CHANGES)('and %s gets no document', async (_, changed) => {
    const call = await dial({ order: 7 });
    const parameters = callParameters(call.callId, { Direction: 'outbound', Event: 'StartApp' });
    for (const method of ['GET', 'POST']) {
      const { status, body } = await served.carrier.tell(changed(call.address('answer_url')), parameters, method);
      expect([status, body]).toEqual([403, '']);
    }
    expect(hasBot(call.id)).toBe(false);
    expect(await carriedBody(call)).toEqual({ order: 7 });
  });

  test.each(CHANGES)('and %s gets no stream', async (_, changed) => {
    const document = await (await dial({ order: 7 })).answer();
    expect(await upgradeStatus(changed(document.streamUrl))).toBe(403);
    expect((await Stream.open(document.streamUrl)).hello.body).toEqual({ order: 7 });
  });

  test('only by the time gets no document', async () => {
    const call = await dial({ order: 7 });
    const tomorrow = Date.now() + 24 * 60 * 60 * 1_000;
    const now = jest.spyOn(Date, 'now').mockReturnValue(tomorrow + 1_000);
    await expect(call.answer()).rejects.toThrow('status 403');
    expect((await call.ring()).status).toBe(403);
    expect((await call.hangup()).status).toBe(403);
    now.mockReturnValue(tomorrow - 2_000);
    expect(await carriedBody(call)).toEqual({ order: 7 });
  });

  test('only by the time gets no stream', async () => {
    const { streamUrl } = await (await dial({ order: 7 })).answer();
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 25 * 60 * 60 * 1_000);
    expect(await upgradeStatus(streamUrl)).toBe(403);
    now.mockRestore();
    expect((await Stream.open(streamUrl)).hello.body).toEqual({ order: 7 });
  });
});

test.each([
  ['that fits into every address', { order: 7, 名前: 'Zoë' }],
  ['of 8 KiB', LARGEST],
])('a body %s and parameters reach the bot of a runner that was started under the call', async (_, body) => {
  const publicUrl = 'https://bot.example.com';
  const first = await RunnerUnderTest.start({ ...IN_PROCESS, publicUrl });
  const call = await first.carrier.dial(first.api, { phone_number: CALLEE, body }, '?user_id=42');
  const document = await call.answer();
  const stream = await Stream.open(document.streamUrl, first.runner.url);
  expect(stream.hello).toMatchObject({ body, call: { id: call.id, attempt: 1 } });
  await first[Symbol.asyncDispose]();

  await using second = await RunnerUnderTest.start({ ...IN_PROCESS, publicUrl });
  const again = await second.carrier.follow(document);
  const { hello } = await Stream.open(again.streamUrl, second.runner.url);
  expect(hello).toMatchObject({ body, query: { user_id: '42' } });
  expect(hello.call).toEqual({ ...stream.hello.call, attempt: 2 });
  await second.carrier.tell(
    call.address('hangup_url'),
    callParameters(call.callId, { Direction: 'outbound', Event: 'Hangup' }),
  );
  expect(await second.record(call.id, { state: 'ended' })).toMatchObject({ direction: 'outbound' });
});

describe('an identifier that is none', () => {
  test.each(['../Number/1', '..', '.', '', 'a/b', 'a%2Fb', 'a b', `${'a'.repeat(65)}`])(
    'in a webhook is refused: %j',
    async (callId) => {
      const call = await dial();
      served.api.requests.all.length = 0;
      const calls = served.runner.liveCalls;
      const own = ['answer_url', 'ring_url', 'hangup_url'] as const;
      const dialIn = ['answer', 'resume', 'hangup', 'ring', 'machine', 'stream-status'].map((name) => `/${name}`);
      const transfer = ['/transfer', '/transfer-status', '/transfer-ended'];
      const addresses = [
        ...own.map((name) => call.address(name)),
        ...[...dialIn, ...transfer].map((path) => `${served.runner.addresses.publicUrl}${path}`),
      ];
      for (const address of addresses) {
        for (const Direction of ['inbound', 'outbound']) {
          expect((await served.carrier.tell(address, callParameters(callId, { Direction }))).status).toBe(400);
        }
      }
      expect([served.api.requests.all, served.runner.liveCalls]).toEqual([[], calls]);
    },
  );

  describe('in the first message of a stream', () => {
    let caller: RunnerUnderTest;
    beforeAll(async () => {
      caller = await RunnerUnderTest.start({ botFile: botFile('hangs-up.mjs'), callsPerProcess: 50 });
    });
    afterAll(() => caller[Symbol.asyncDispose]());

    const start = JSON.parse(readFileSync('test/fixtures/plivo/messages/start.json', 'utf8'));
    /** A call whose stream introduces itself with this. */
    async function introduced(callId: string, fields: object) {
      const query = `?${new URLSearchParams({ auth_id: AUTH_ID, api_url: caller.api.url })}`;
      const document = await caller.carrier.answer(callId, query);
      const stream = new Stream(document.streamUrl);
      stream.socket.once('open', () =>
        stream.socket.send(JSON.stringify({ ...start, start: { ...start.start, ...fields } })),
      );
      return { stream, document };
    }

    test.each([
      ['is of another call', 'another-call'],
      ['goes up a folder', '..'],
      ['leads to a number', '../Number/1'],
      ['is empty', ''],
      ['is a number', 7],
    ])('that %s ends the stream, and nothing is asked of the carrier', async (_, named) => {
      const { stream, document } = await introduced(randomUUID(), { callId: named });
      expect(await stream.closed).toBe(1011);
      await caller.output.next((line) => line.includes('VB_STREAM_UNRECOGNISED'));
      expect((await caller.carrier.follow(document)).verbs).toEqual(['Stream', 'Redirect']);
      expect(caller.api.requests.all).toEqual([]);
    });

    test('is not refused when it is the call that the stream was let in for', async () => {
      const callId = randomUUID();
      const { stream } = await introduced(callId, { callId });
      await caller.api.next('DELETE', new RegExp(`^Call/${callId}/$`));
      expect(await stream.closed).toBe(1000);
    });
  });
});

async function carriedBody(call: DialledCall): Promise<object> {
  return (await Stream.open((await call.answer()).streamUrl)).hello.body;
}
