import { deferred } from '../../../../src/base/async/deferred.js';
import type { CallTransfers } from '../../../../src/bot/api/call-transfers.js';
import type { Call } from '../../../../src/bot/api/index.js';
import type { TransferOutcome } from '../../../../src/call/transfer-outcome.js';
import { hurried } from '../../../hasty-clock.js';
import { Line, until } from './line.js';
import { BRIEF, isBack, type Scene, scene, TO } from './warm-scene.js';

hurried();

/** One that nobody answers, with a function that is called then. */
const declined = (it: Scene, onDeclined: (outcome: { readonly status: string }) => unknown) =>
  it.call.transfer(TO, { warm: { brief: BRIEF, onDeclined } });

test.each([
  ['another number', '+12025550178'],
  ['the same number', TO],
])('a function may transfer again, to %s: what became of that is the outcome', async (_what, backup) => {
  await using it = await scene();
  it.runner.dial = () => (it.runner.asked.length === 1 ? 'busy' : it.colleague);
  let again: Promise<TransferOutcome> | undefined;
  const outcome = declined(it, () => {
    again = it.call.transfer(backup, { warm: { brief: BRIEF, accept: 'answer' } });
    return again;
  });
  expect(await outcome).toMatchObject({ status: 'answered', data: { toEndPoint: backup } });
  expect(await again).toEqual(await outcome);
  expect(it.outcomes.map(({ status }) => status)).toEqual(['busy', 'answered']);
  expect(it.runner.told.at(-1)?.phase).toBe('bridged');
});

test('a cold transfer of it that is answered is the outcome as well', async () => {
  await using it = await scene();
  it.runner.dial = () => 'busy';
  const transport = Reflect.get(it.call, 'transport') as { transfer: (to: string) => Promise<TransferOutcome> };
  transport.transfer = async (to) => ({ status: 'answered', data: { toEndPoint: to, sessionId: 'leg-9' } });
  const outcome = declined(it, () => it.call.transfer('+12025550178'));
  expect(await outcome).toMatchObject({ status: 'answered', data: { toEndPoint: '+12025550178' } });
});

test('where that one does not take the call either, the outcome is that of the first', async () => {
  await using it = await scene();
  it.runner.dial = () => (it.runner.asked.length === 1 ? 'busy' : 'no_answer');
  const outcome = declined(it, () => it.call.transfer('+12025550178', { warm: { brief: BRIEF } }));
  expect(await outcome).toMatchObject({ status: 'busy' });
  expect(it.outcomes.map(({ status }) => status)).toEqual(['busy', 'no_answer']);
  await isBack(it);
});

test('what a function throws is thrown, and the outcome told as it is', async () => {
  await using it = await scene();
  it.runner.dial = () => 'busy';
  const failed = declined(it, () => {
    throw new Error('no such order');
  });
  await expect(failed).rejects.toThrow('no such order');
  expect(it.outcomes.map(({ status }) => status)).toEqual(['busy']);
  await isBack(it);
});

test('what it throws in a transfer of the model is a warning, and the model is told the outcome', async () => {
  await using it = await scene();
  it.runner.dial = () => 'busy';
  const warnings: string[] = [];
  it.call.on('warning', ({ error }) => warnings.push(error.message));
  const { call } = it as unknown as { readonly call: { handovers(): Pick<CallTransfers<Call>, 'connect'> } };
  const onDeclined = () => Promise.reject(new Error('no such order'));
  const outcome = await call.handovers().connect(TO, { warm: { brief: BRIEF, onDeclined } });
  expect({ outcome: outcome.status, warnings }).toEqual({ outcome: 'busy', warnings: ['no such order'] });
});

test('who joins another transfer is not told twice that it was declined', async () => {
  await using it = await scene();
  const said: string[] = [];
  const onDeclined = ({ status }: { readonly status: string }) => said.push(status);
  const { outcome } = await it.transfer({ onDeclined });
  const second = declined(it, onDeclined);
  it.colleague.press('2');
  expect([(await outcome).status, (await second).status, said]).toEqual(['declined', 'declined', ['declined']]);
});

test('the call of who has declined is over for the runner when the bot goes on', async () => {
  await using it = await scene();
  const { outcome } = await it.transfer();
  it.colleague.press('2');
  await outcome;
  expect(it.runner.endings).toEqual(['colleague bot_ended']); // so that the number may be dialled again
});

test('one who answers when the bot has joined the caller with others is sent away before the briefing', async () => {
  await using it = await scene();
  await using second = await Line.open();
  it.runner.dial = () => it.colleague;
  const colleague = await it.call.consult(TO);
  const answer = deferred<Line>();
  it.runner.dial = () => answer.promise;
  const transfer = it.call.transfer('+12025550178', { warm: { brief: BRIEF } });
  await until(() => it.runner.asked.length === 2, 'the second number rings');
  await it.call.bridge(colleague);
  answer.resolve(second);
  expect(await transfer).toMatchObject({ status: 'failed', detail: expect.stringContaining('joined with others') });
  expect(second.heard).toEqual([]);
  expect(it.runner.told.at(-1)?.phase).toBe('bridged');
});

test('a caller whom the bot joins with others meanwhile is not put on hold', async () => {
  await using it = await scene();
  it.runner.dial = () => it.colleague;
  const colleague = await it.call.consult(TO);
  const transfer = it.call.transfer('+12025550178', { announce: 'x'.repeat(50), warm: { brief: BRIEF } });
  await it.call.bridge(colleague);
  expect(await transfer).toMatchObject({ status: 'refused', detail: expect.stringContaining('joined with others') });
  expect(it.call.leg.isHeld).toBe(false);
  expect(it.runner.asked).toHaveLength(1);
  expect(it.runner.told.at(-1)?.phase).toBe('bridged');
  const hold = it.call.hold();
  await expect(hold).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
  await until(() => it.caller.heard.length > 0, 'the caller has heard what was said');
});
