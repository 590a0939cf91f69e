import { TransfersOnSandbox } from './transfers-on-sandbox.js';

let transfers: TransfersOnSandbox;
beforeAll(async () => {
  transfers = await TransfersOnSandbox.start();
}, 30_000);
afterAll(() => transfers[Symbol.asyncDispose]());

test('a transferred call is over when the destination hangs up', async () => {
  const call = await transfers.transfer({ to: '+12025550107' });
  expect(await call.ended()).toMatchObject({ endReason: 'transferred', attempt: 1 });
  expect(await call.outcome()).toMatchObject({ status: 'answered' });
});

test('when the destination is busy the caller is back with the same bot, which ends the call as it likes', async () => {
  const call = await transfers.transfer({ to: '+12025550102' });
  expect(await call.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
  expect(await call.outcome()).toMatchObject({ status: 'busy', attempt: 1 });
  expect(call.told()[0]?.event).toBe('outcome'); // not disconnected before
  expect(call.told().map(({ event }) => event)).not.toContain('dialout_answered');
  expect(call.states()).toEqual(expect.arrayContaining(['transferring', 'connected']));
});
