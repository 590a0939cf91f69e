import { randomUUID } from 'node:crypto';
import { until } from '../e2e/processes.js';
import { type DialledCall, type Document, type HandCarrier, Stream, send } from './hand-carrier.js';
import { inWaves } from './in-waves.js';
import { RunnerUnderTest } from './runner-under-test.js';

jest.setTimeout(120_000);

const CALLS = 100;
/** Requests to dial at the same moment. */
const WAVE = 20;
/** Longest wait for a bot's hello, in milliseconds. */
const HELLO_LIMIT_MS = 60_000;
/** As many as they need: nobody who calls is turned away. */
const WARM = CALLS / 10;

let served: RunnerUnderTest;
let carrier: HandCarrier;
beforeAll(async () => {
  served = await RunnerUnderTest.start({ callsPerProcess: 10, warm: WARM });
  carrier = served.carrier;
});
beforeEach(async () => {
  const isReady = async () => JSON.parse((await send(`${served.runner.url}/ready`)).body).readyBots >= WARM;
  await until(isReady, 'the first bots are warm');
});
afterAll(() => served[Symbol.asyncDispose]());

const records = async (): Promise<Array<{ id: string; state: string; attempt: number; endReason?: string }>> =>
  JSON.parse((await send(`${served.runner.url}/calls`)).body).calls;
const atOnce = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

/** A call from its document to its end, in which the bot hangs up when all calls talk. */
async function talk(document: Document, allTalk: () => Promise<void>): Promise<Stream> {
  const stream = await Stream.open(document.streamUrl, undefined, HELLO_LIMIT_MS);
  await allTalk();
  stream.order('return');
  expect(await stream.closed).toBe(1000);
  expect((await carrier.follow(document)).verbs).toEqual(['Hangup']);
  return stream;
}

/** Resolves for everybody when everybody has come. */
function meetingOf(count: number): () => Promise<void> {
  let arrive = () => {};
  const all = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let here = 0;
  return () => {
    here += 1;
    if (here === count) arrive();
    return all;
  };
}

async function expectAllOver(ids: readonly string[]): Promise<void> {
  const own = (await records()).filter(({ id }) => ids.includes(id));
  expect(new Set(ids).size).toBe(CALLS);
  expect(own).toHaveLength(CALLS);
  expect(own.every(({ state, attempt, endReason }) => `${state} ${attempt} ${endReason}` === 'ended 1 bot_ended')).toBe(
    true,
  );
}

test('a hundred calls that are dialled in quick succession all talk at once, each with its own body', async () => {
  const allTalk = meetingOf(CALLS);
  const requestOf = (n: number) => ({ phone_number: `+1202555${1_000 + n}`, body: { n, key: `call ${n}` } });
  const dialled = await inWaves(CALLS, WAVE, (n) => carrier.dial(served.api, requestOf(n), `?n=${n}`));
  const calls = await atOnce(CALLS, async (n): Promise<DialledCall> => {
    const request = requestOf(n);
    const call = dialled[n] as DialledCall;
    expect(call.fields.to).toBe(request.phone_number.slice(1));
    await call.ring();
    const { hello } = await talk(await call.answer(), allTalk);
    expect(hello).toMatchObject({ body: request.body, query: { n: String(n) }, call: { id: call.id } });
    await call.hangup({ HangupSource: 'API Request', HangupCauseCode: '1000' });
    return call;
  });
  await expectAllOver(calls.map(({ id }) => id));
  expect(new Set(calls.map(({ callId }) => callId)).size).toBe(CALLS);
});

test('a hundred calls that come in at once are all answered, each with its own parameters', async () => {
  const allTalk = meetingOf(CALLS);
  const ids = await atOnce(CALLS, async (n) => {
    const { hello, callId } = await talk(await carrier.answer(randomUUID(), `?n=${n}`), allTalk);
    expect(hello).toMatchObject({ body: {}, query: { n: String(n) }, call: { id: callId } });
    await carrier.hangup(callId, { HangupSource: 'API Request', HangupCauseCode: '1000' });
    return callId;
  });
  await expectAllOver(ids);
});
