import { until } from '../e2e/processes.js';
import { TunnelToRunner } from '../runner/tunnel-to-runner.js';
import { PATIENCE_MS } from './conformance/caller.js';
import { CARRIERS, type PlayedCarrier } from './conformance/carriers.js';
import { Rig } from './conformance/rig.js';
import { greeted } from './conformance/story.js';

jest.setTimeout(90_000);

/** A runner that its carrier reaches through a tunnel. */
async function tunnelled(played: PlayedCarrier) {
  const rig = await Rig.of(played, { isTunnelled: true, warm: 2 });
  return { rig, tunnel: await TunnelToRunner.open(rig, Number(new URL(rig.tap.url).port)) };
}

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  test.each([
    ['told, and comes back under another name', true, 'moved'],
    ['told, and comes back under its name', true, 'same'],
    ['not told, and comes back under another name', false, 'moved'],
  ] as const)('a tunnel whose loss is %s brings the caller back to a bot', async (_, isTold, as) => {
    const opened = await tunnelled(played);
    await using tunnel = opened.tunnel;
    await using rig = opened.rig;
    const { line, id } = await greeted(rig, '+12025550121');
    await tunnel.breakDown({ isTold });
    await line.asked('One moment, please.');
    await tunnel.comeBack(as);
    const greetings = () => rig.told.filter((told) => told.id === id && told.event === 'greeted').length;
    await until(() => greetings() === 2, 'another bot has greeted', PATIENCE_MS);
    line.press('1');
    expect(await rig.over(id)).toMatchObject({ attempt: 1, reconnects: 1, endReason: 'bot_ended' });
    await until(() => rig.sandbox.liveCalls === 0, 'no call is left at the carrier', PATIENCE_MS);
  });

  test('a caller who hangs up while the tunnel is gone has hung up', async () => {
    const opened = await tunnelled(played);
    await using tunnel = opened.tunnel;
    await using rig = opened.rig;
    const { line, id } = await greeted(rig, '+12025550122');
    await tunnel.breakDown();
    await rig.hears(id, 'over');
    line.hangUp();
    await line.ended();
    await tunnel.comeBack('moved');
    expect(await rig.over(id)).toMatchObject({ attempt: 1, endReason: 'caller_hung_up' });
  });
});
