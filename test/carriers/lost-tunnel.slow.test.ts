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

const LOSSES = [
  { isTold: true, as: 'moved' },
  { isTold: true, as: 'same' },
  { isTold: false, as: 'moved' },
] as const;

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  test('a lost tunnel that comes back, told or not, under its name or another, brings the caller back to a bot', async () => {
    const opened = await tunnelled(played);
    await using tunnel = opened.tunnel;
    await using rig = opened.rig;
    const { line, id } = await greeted(rig, '+12025550121');
    const timesAsked = () => JSON.stringify(line.phone.events.all).split('speaking: One moment, please.').length - 1;
    for (const [before, { isTold, as }] of LOSSES.entries()) {
      await tunnel.breakDown({ isTold });
      await until(() => timesAsked() === before + 1, `the caller is asked to wait, loss ${before + 1}`, PATIENCE_MS);
      await tunnel.comeBack(as);
      const greetings = () => rig.told.filter((told) => told.id === id && told.event === 'greeted').length;
      await until(() => greetings() === before + 2, 'another bot has greeted', PATIENCE_MS);
    }
    line.press('1');
    expect(await rig.over(id)).toMatchObject({ attempt: 1, reconnects: LOSSES.length, endReason: 'bot_ended' });
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
