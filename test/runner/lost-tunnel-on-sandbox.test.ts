import { isAlive, until } from '../e2e/processes.js';
import { TunnelledRunner } from './tunnelled-runner.js';

test('a lost tunnel ends no call: the caller is asked to wait once, and talks to a bot at the new address', async () => {
  await using line = await TunnelledRunner.start();
  const first = await line.call();
  await line.tunnel.breakDown();
  await line.askedToWait();
  await line.tunnel.comeBack();
  const second = await line.bot('began');
  await line.toneHeard();
  expect(second).toMatchObject({ id: first.id, attempt: 1, reconnects: 1 });
  expect(second.pid).not.toBe(first.pid);
  expect(line.spoken()).toEqual(['speaking: One moment, please.']);
  await until(() => !isAlive(first.pid), 'the bot that has lost its caller ends', 40_000);
  expect(await line.nextRecord({ id: first.id, state: 'connected', reconnects: 1 })).toMatchObject({ attempt: 1 });
  line.caller.client.hangUp();
  expect(await line.nextRecord({ id: first.id, state: 'ended' })).toMatchObject({ endReason: 'caller_hung_up' });
  await line.isQuiet();
}, 60_000);
