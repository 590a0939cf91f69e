import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.js';
import { botFile, RUNNER_TOKEN, RunnerUnderTest } from './runner-under-test.js';

const AUTH = { authId: 'MASANDBOXSANDBOX0000', authToken: 'token-of-the-sandbox' };
/** Call time passes eight times faster than it is. */
const TICK_MS = 2.5;

let sandbox: Sandbox;
let served: RunnerUnderTest;

beforeAll(async () => {
  sandbox = await startSandbox({ ...AUTH, phoneToken: 'phone', timing: { tickMs: TICK_MS } });
  served = await RunnerUnderTest.start({
    botFile: botFile('transferrer.ts'),
    credentials: { ...AUTH, apiUrl: sandbox.apiUrl },
    botEnvironment: {
      CARRIER_AUTH_ID: AUTH.authId,
      CARRIER_AUTH_TOKEN: AUTH.authToken,
      CARRIER_API_URL: sandbox.apiUrl,
    },
    warm: 2,
    silenceSeconds: 0,
  });
}, 30_000);

afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await sandbox.close();
});

interface Told {
  readonly call: string;
  readonly attempt: number;
  readonly event: string;
  readonly [field: string]: unknown;
}

let dialled = 0;

/** Has the bot call somebody whom it then transfers. */
async function transfer(query: { to: string; meanwhile?: string }) {
  dialled += 1;
  const response = await fetch(`${served.runner.url}/start?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${RUNNER_TOKEN}` },
    body: JSON.stringify({ phone_number: `+1555123${String(dialled).padStart(4, '0')}` }),
  });
  expect(response.status).toBe(202);
  const { call_id: id } = (await response.json()) as { call_id: string };
  return {
    id,
    ended: () => served.records.next((record) => record.id === id && record.state === 'ended', 14_000),
    states: () => served.records.all.filter((record) => record.id === id).map(({ state }) => state),
    told: (): Told[] =>
      served.output.all
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Told)
        .filter(({ call }) => call === id),
  };
}

const outcomeOf = (told: Told[]) => told.find(({ event }) => event === 'outcome');

test('a destination that answers keeps the caller, and the bot leaves without hanging up', async () => {
  const call = await transfer({ to: '+12025550101' });
  await served.records.next((record) => record.id === call.id && record.state === 'transferring');
  await served.output.next((line) => line.includes(call.id) && line.includes('"done"'));
  expect(call.told().map(({ event }) => event)).toEqual(['dialout_answered', 'outcome', 'done']);
  expect(outcomeOf(call.told())).toMatchObject({
    status: 'answered',
    data: { toEndPoint: '+12025550101', callId: expect.any(String) },
  });
  const live = (await (await fetch(`${served.runner.url}/calls/${call.id}`)).json()) as { state: string };
  expect(live.state).toBe('transferring');
});

test('a transferred call is over when the destination hangs up', async () => {
  const call = await transfer({ to: '+12025550107' });
  expect(await call.ended()).toMatchObject({ endReason: 'transferred', attempt: 1 });
  expect(outcomeOf(call.told())).toMatchObject({ status: 'answered' });
});

test.each([
  ['is busy', '+12025550102', 'busy'],
  ['does not answer', '+12025550103', 'no_answer'],
  ['declines', '+12025550104', 'rejected'],
  ['cannot be reached', '+12025550108', 'failed'],
])(
  'when the destination %s the caller is back with the same bot, which ends the call as it likes',
  async (_, to, status) => {
    const call = await transfer({ to });
    expect(await call.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
    await served.output.next((line) => line.includes(call.id) && line.includes('"done"'));
    expect(outcomeOf(call.told())).toMatchObject({ status, attempt: 1 });
    expect(call.told()[0]?.event).toBe('outcome'); // not disconnected before
    expect(call.told().map(({ event }) => event)).not.toContain('dialout_answered');
    expect(call.states()).toEqual(expect.arrayContaining(['transferring', 'connected']));
  },
);

test.each([
  ['not a number', 'hello', 'VB_REQUEST_INVALID'],
  ['in a country that is not allowed', '+442079460000', 'VB_TARGET_REFUSED'],
  ['a premium one', '+19005550100', 'VB_TARGET_REFUSED'],
])('a destination that is %s is refused, and the call goes on', async (_, to, code) => {
  const call = await transfer({ to });
  expect(await call.ended()).toMatchObject({ endReason: 'bot_ended' });
  expect(outcomeOf(call.told())).toMatchObject({ status: 'refused', code });
  expect(call.states()).not.toContain('transferring');
});

test('a bot that dies while the destination rings is replaced when nobody answers', async () => {
  const call = await transfer({ to: '+12025550103', meanwhile: 'crash' });
  expect(await call.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 2 });
});

test('a bot that hangs up while the destination rings ends the call', async () => {
  const call = await transfer({ to: '+12025550103', meanwhile: 'hang_up' });
  expect(await call.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
  expect(outcomeOf(call.told())).toMatchObject({ status: 'caller_left' });
});

test('when everything is over nothing is left at the carrier but the callers who were transferred', () => {
  const talking = served.records.all.filter(({ state, id }) => state === 'transferring' && !isOver(id));
  expect(sandbox.liveCalls).toBe(new Set(talking.map(({ id }) => id)).size);
});

const isOver = (id: string) => served.records.all.some((record) => record.id === id && record.state === 'ended');
