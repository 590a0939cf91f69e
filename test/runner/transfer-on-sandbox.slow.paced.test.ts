import type { Told } from './runner-under-test.js';
import { TransfersOnSandbox } from './transfers-on-sandbox.js';

let transfers: TransfersOnSandbox;
beforeAll(async () => {
  transfers = await TransfersOnSandbox.start();
}, 30_000);
afterAll(() => transfers[Symbol.asyncDispose]());

const outcomeOf = (told: readonly Told[]) => told.find(({ event }) => event === 'outcome');

test('a destination that answers keeps the caller, and the bot leaves without hanging up', async () => {
  const call = await transfers.transfer({ to: '+12025550101' });
  await transfers.nextRecord({ id: call.id, state: 'transferring' });
  await transfers.output.next((line) => line.includes(call.id) && line.includes('"done"'));
  expect(call.told().map(({ event }) => event)).toEqual(['dialout_answered', 'outcome', 'done']);
  expect(outcomeOf(call.told())).toMatchObject({
    status: 'answered',
    data: { toEndPoint: '+12025550101', sessionId: expect.any(String) },
  });
  const live = (await (await fetch(`${transfers.runner.url}/calls/${call.id}`)).json()) as { state: string };
  expect(live.state).toBe('transferring');
});

test.each([
  ['does not answer', '+12025550103', 'no_answer'],
  ['declines', '+12025550104', 'rejected'],
  ['cannot be reached', '+12025550108', 'failed'],
])(
  'when the destination %s the caller is back with the same bot, which ends the call as it likes',
  async (_, to, status) => {
    const call = await transfers.transfer({ to });
    expect(await call.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
    await transfers.output.next((line) => line.includes(call.id) && line.includes('"done"'));
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
  const call = await transfers.transfer({ to });
  expect(await call.ended()).toMatchObject({ endReason: 'bot_ended' });
  expect(outcomeOf(call.told())).toMatchObject({ status: 'refused', code });
  expect(call.states()).not.toContain('transferring');
});

test('a bot that dies while the destination rings is replaced when nobody answers', async () => {
  const call = await transfers.transfer({ to: '+12025550103', meanwhile: 'crash' });
  expect(await call.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 2 });
});

test('a bot that hangs up while the destination rings ends the call', async () => {
  const call = await transfers.transfer({ to: '+12025550103', meanwhile: 'hang_up' });
  expect(await call.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
  expect(outcomeOf(call.told())).toMatchObject({ status: 'caller_left' });
});

test('when everything is over nothing is left at the carrier but the callers who were transferred', () => {
  const talking = transfers.records.all.filter(({ state, id }) => state === 'transferring' && !isOver(id));
  expect(transfers.sandbox.liveCalls).toBe(new Set(talking.map(({ id }) => id)).size);
});

const isOver = (id: string) => transfers.records.all.some((record) => record.id === id && record.state === 'ended');
