import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { WebSocket } from 'ws';
import { acceptCall, type Call } from '../../src/bot/api/index.js';
import type { CampaignProgress } from '../../src/call/campaign-progress.js';
import { upgradeSignatureHeaders } from '../../src/providers/plivo/signature.js';
import { parsePrices } from '../../src/runner/costs/prices.js';
import { doNotCallPath } from '../../src/runner/dialing/do-not-call/list-file.js';
import { Hum, Line } from '../bot/api/handovers/line.js';
import { until } from '../e2e/processes.js';
import { Inbox } from '../sandbox/inbox.js';
import { servedBy } from './bots/handed-over.js';
import { AUTH_TOKEN, callParameters, Document } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { botFile, RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

const COLLEAGUE = '+12025550177';
const WARM = { warm: { brief: 'A caller about their invoice.' } };

/** A call that talks to its bot, and what that may do with it. */
interface Talk extends AsyncDisposable {
  readonly served: RunnerUnderTest;
  readonly call: Call;
  readonly line: Line;
}

/** The calls that have come to the bot, which does nothing by itself. */
const calls = new Inbox<Call>();
servedBy(async (args) => {
  const call = await acceptCall(args, { tts: () => new Hum() });
  calls.push(call);
  await call.ended;
});

const start = (options: TestRunnerOptions = {}) =>
  RunnerUnderTest.start({ ...IN_PROCESS, botFile: botFile('handed-over.ts'), ...options });

async function talk(served: RunnerUnderTest, document: Document, hangUp: () => Promise<unknown>): Promise<Talk> {
  const { streamUrl } = document;
  const headers = { ...upgradeSignatureHeaders(streamUrl, AUTH_TOKEN) };
  const carrier = new WebSocket(streamUrl, ['audio.plivo.com'], { headers });
  await once(carrier, 'open');
  const line = new Line(
    { bot: carrier, carrier, [Symbol.asyncDispose]: async () => carrier.terminate() },
    document.callId,
  );
  const call = await calls.next();
  return {
    served,
    call,
    line,
    async [Symbol.asyncDispose]() {
      await line[Symbol.asyncDispose]();
      await hangUp();
      await call.ended;
    },
  };
}

/** A caller, whose number the carrier writes like this. */
async function inbound(served: RunnerUnderTest, from = '12025550142'): Promise<Talk> {
  const callId = randomUUID();
  const parameters = callParameters(callId, { Event: 'StartApp', From: from });
  const document = new Document(callId, await served.carrier.webhook('/answer', parameters));
  return talk(served, document, () => served.carrier.hangup(callId));
}

/** Somebody whom the runner has called. */
async function outbound(served: RunnerUnderTest): Promise<Talk> {
  const dialled = await served.carrier.dial(served.api);
  return talk(served, await dialled.answer(), () => dialled.hangup());
}

const placings = ({ api }: RunnerUnderTest) =>
  api.requests.all.filter(({ method, path }) => method === 'POST' && path === 'Call/').map(({ body }) => body.to);
const refusalOf = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error) => error,
  );

/** The caller stays with the bot, and hears it. */
async function stays({ call, served }: Talk): Promise<void> {
  expect(await call.say('Still here.')).toBe(true);
  expect(served.statesOf(call.id).at(-1)).toBe('connected');
}

/** Serves the callers of all tests to which its settings do not matter. */
let served: RunnerUnderTest;
beforeAll(async () => {
  served = await start({ dialCountries: ['US', 'GB'], callsPerProcess: 50 });
});
afterAll(() => served[Symbol.asyncDispose]());

describe("the caller's own number is not called beside the call", () => {
  test.each([
    ['with spaces and brackets', '+1 (202) 555 01 42', '12025550142'],
    ['with a national prefix', '+1 1 202 555 0142', '12025550142'],
    ['as the address of a link', 'tel:+1-202-555-0142', '12025550142'],
    ['as the carrier writes it', '12025550142', '12025550142'],
    ['as E.164, where the carrier writes a national prefix', '+442079460142', '+4402079460142'],
  ])('%s', async (_how, to, from) => {
    await using at = await inbound(served, from);
    const refusal = { code: 'VB_TARGET_REFUSED', message: expect.stringContaining('the number that the bot talks to') };
    expect(await refusalOf(at.call.consult(to))).toMatchObject(refusal);
    expect(await at.call.transfer(to, WARM)).toMatchObject({ status: 'refused', error: refusal });
    expect(placings(served)).toEqual([]);
    await stays(at);
  });

  test('with 00 in place of the plus, which no number may begin with', async () => {
    await using at = await inbound(served);
    const refusal = { code: 'VB_REQUEST_INVALID' };
    expect(await refusalOf(at.call.consult('0012025550142'))).toMatchObject(refusal);
    expect(await at.call.transfer('001 202 555 0142', WARM)).toMatchObject({ status: 'refused', ...refusal });
    expect(placings(served)).toEqual([]);
    await stays(at);
  });
});

describe('a call beside another one is refused, and the caller stays', () => {
  const dialLimits = { perMinute: 100, atOnce: 100, secondsPerNumber: 0 };
  const prices = parsePrices(
    {
      currency: 'USD',
      items: [
        { provider: 'plivo', service: 'carrier', prefix: '+1', unit: 'minute', amount: '0.01', rounding: 60 },
        { provider: 'plivo', service: 'media_stream', unit: 'minute', amount: '0', rounding: 60 },
      ],
    },
    'prices.json',
  );

  test.each<[string, TestRunnerOptions, string]>([
    ['minutes', { dialLimits: { ...dialLimits, minutesPerDay: 20 } }, '15 of the 20 minutes'],
    ['money', { dialLimits: { ...dialLimits, moneyPerDay: 250_000 }, prices }, '$0.15 of the $0.25'],
  ])('beyond the %s of the day', async (_what, options, words) => {
    await using served = await start({ dialMaxSeconds: 885, ringSeconds: 15, ...options });
    await using at = await outbound(served);
    const refusal = { code: 'VB_DIAL_LIMIT', message: expect.stringContaining(words) };
    expect(await refusalOf(at.call.consult(COLLEAGUE))).toMatchObject(refusal);
    expect(await at.call.transfer(COLLEAGUE, WARM)).toMatchObject({
      status: 'refused',
      code: 'VB_DIAL_LIMIT',
      error: refusal,
    });
    expect(placings(served)).toHaveLength(1);
    await stays(at);
  });
});

test('after the end of the call no number is called any more', async () => {
  await using at = await inbound(served);
  at.line.hangUp();
  await at.call.ended;
  expect(await refusalOf(at.call.consult(COLLEAGUE))).toMatchObject({ code: 'VB_STREAM_CLOSED' });
  expect(await at.call.transfer(COLLEAGUE, WARM)).toEqual({ status: 'caller_left' });
  await served.carrier.hangup(at.call.id);
  await served.anyRecord({ id: at.call.id, state: 'ended' });
  expect(placings(served)).toEqual([]);
});

test('while the do-not-call list is damaged no number is dialled, and what repairs it is told', async () => {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-state-'));
  const list = doNotCallPath(stateDirectory, false);
  mkdirSync(dirname(list), { recursive: true });
  appendFileSync(list, '{"number":"+12025550101","at":1,"how":"sa\n');
  await using served = await start({ stateDirectory });
  await using at = await inbound(served);
  const { call } = at;
  const refusal = {
    code: 'VB_DO_NOT_CALL_DAMAGED',
    message: expect.stringContaining('line 1'),
    hint: expect.stringContaining('npx voicebot do-not-call repair'),
  };
  expect(await served.startCall({ phone_number: COLLEAGUE })).toMatchObject({ status: 503, body: { error: refusal } });
  expect(await refusalOf(call.consult(COLLEAGUE))).toMatchObject(refusal);
  for (const options of [WARM, {}])
    expect(await call.transfer(COLLEAGUE, options)).toMatchObject({ status: 'refused', error: refusal });
  const contacts = [{ phone_number: COLLEAGUE }];
  const begun = await served.ask('/campaigns', { method: 'POST', body: JSON.stringify({ contacts }) });
  expect(begun.status).toBe(201);
  const progress = async () => {
    const { campaigns } = (await (await served.ask('/campaigns')).json()) as { campaigns: CampaignProgress[] };
    return campaigns[0];
  };
  await until(async () => (await progress())?.problem !== undefined, 'the campaign waits');
  expect(await progress()).toMatchObject({
    problem: expect.stringMatching(/damaged.*npx voicebot do-not-call repair/),
    done: 0,
    running: 0,
    waiting: 1,
  });
  expect(served.api.requests.all.filter(({ method }) => method === 'POST')).toEqual([]);
  await stays(at);
});
