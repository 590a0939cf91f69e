import { TunnelledRunner } from './tunnelled-runner.js';

jest.setTimeout(90_000);

const ONE_MOMENT = 'speaking: One moment, please.';

test('a loss that nobody has told yet ends no call', async () => {
  await using line = await TunnelledRunner.start();
  const first = await line.call();
  await line.tunnel.breakDown({ isTold: false });
  await line.askedToWait();
  await line.tunnel.comeBack();
  const second = await line.bot('began');
  await line.toneHeard();
  expect(second).toMatchObject({ id: first.id, attempt: 1, reconnects: 1 });
  expect(line.spoken()).toEqual([ONE_MOMENT]);
  line.caller.client.hangUp();
  await line.isQuiet();
});

test('two losses in one call, once under the same name', async () => {
  await using line = await TunnelledRunner.start();
  const { id } = await line.call();
  for (const [times, as] of [
    [1, 'same'],
    [2, 'moved'],
  ] as const) {
    await line.tunnel.breakDown();
    await line.toneHeard(false);
    await line.tunnel.comeBack(as);
    expect(await line.bot('began')).toMatchObject({ id, attempt: 1, reconnects: times });
    await line.toneHeard();
  }
  line.caller.client.press('2');
  expect(await line.nextRecord({ id, state: 'ended' })).toMatchObject({ endReason: 'bot_ended', reconnects: 2 });
  await line.isQuiet();
});

test('a caller who hangs up while the tunnel is gone has hung up', async () => {
  await using line = await TunnelledRunner.start();
  const { id } = await line.call();
  await line.tunnel.breakDown();
  await line.bot('left');
  line.caller.client.hangUp();
  await line.caller.ended();
  await line.tunnel.comeBack();
  expect(await line.nextRecord({ id, state: 'ended' })).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
  await line.isQuiet();
});

test('a call whose tunnel goes before its first stream is served all the same', async () => {
  await using line = await TunnelledRunner.start();
  line.caller.dial(line.sandbox);
  await line.caller.progress('answer', true);
  await line.tunnel.breakDown();
  await line.askedToWait();
  await line.tunnel.comeBack();
  await line.toneHeard();
  expect(line.records.all.at(-1)).toMatchObject({ state: 'connected', attempt: 1, reconnects: 1 });
  line.caller.client.press('2');
  await line.isQuiet();
});

test('a bot that ends its call ends it, although the carrier would keep the caller on the line', async () => {
  await using line = await TunnelledRunner.start();
  const { id } = await line.call();
  line.caller.client.press('2');
  expect(await line.nextRecord({ id, state: 'ended' })).toMatchObject({ endReason: 'bot_ended' });
  expect(await line.caller.ended()).toMatchObject({ source: 'API Request' });
  await line.isQuiet();
});

test('a caller who hangs up is not asked for, and is told of as without a tunnel', async () => {
  await using line = await TunnelledRunner.start();
  const { id } = await line.call();
  line.caller.client.hangUp();
  expect(await line.nextRecord({ id, state: 'ended' })).toMatchObject({ endReason: 'caller_hung_up' });
  await line.isQuiet();
});

test.each([false, true])('a bot that crashes is replaced, and counts (tunnel: %s)', async (isTunnelled) => {
  await using line = await TunnelledRunner.start({ isTunnelled });
  const { id } = await line.call();
  line.caller.client.press('1');
  const second = await line.bot('began');
  expect(second).toMatchObject({ id, attempt: 2 });
  expect(second.reconnects).toBeUndefined();
  line.caller.client.press('2');
  await line.isQuiet();
});

describe('while a dialled phone rings', () => {
  test('a tunnel that comes back under its name is good for the answer', async () => {
    await using line = await TunnelledRunner.start();
    expect((await line.startCall({ phone_number: '+12025550101' })).status).toBe(202);
    await line.nextRecord({ state: 'ringing' });
    await line.tunnel.breakDown();
    await line.tunnel.comeBack('same');
    const { id } = await line.bot('began');
    await line.nextRecord({ id, state: 'connected' });
  });

  test('a tunnel that has moved ends the call, since the answer would find nobody', async () => {
    await using line = await TunnelledRunner.start();
    expect((await line.startCall({ phone_number: '+12025550103' })).status).toBe(202);
    const { id } = await line.nextRecord({ state: 'ringing' });
    await line.tunnel.breakDown();
    await line.tunnel.comeBack();
    expect(await line.nextRecord({ id, state: 'ended' })).toMatchObject({ endReason: 'tunnel_lost' });
    await line.isQuiet();
  });
});

test('nobody is dialled while the tunnel is gone', async () => {
  await using line = await TunnelledRunner.start();
  await line.tunnel.breakDown();
  const refused = await line.startCall({ phone_number: '+12025550101' });
  expect(refused.status).toBe(503);
  expect(refused.headers['retry-after']).toBe('5');
  expect(refused.body).toMatchObject({ error: { code: 'VB_TUNNEL_FAILED' } });
  expect(line.sandbox.placedCalls.size).toBe(0);
  await line.tunnel.comeBack();
  expect((await line.startCall({ phone_number: '+12025550101' })).status).toBe(202);
});
