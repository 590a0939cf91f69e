import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../e2e/processes.js';
import { describeWithRedis } from './redis-server.js';
import { callsComing } from './rig/calls-coming.js';
import { ClusterRig } from './rig/cluster-rig.js';

/** From the beginning until the runner stands still, and for how long, in milliseconds. */
const BEGINNING_MS = 4_000;

describeWithRedis('a runner that stands still while its bots talk on', () => {
  test('callers of a carrier notice nothing; who hangs up meanwhile has hung up, and nothing is ended when it wakes', async () => {
    await using rig = await ClusterRig.start({ runners: 2 });
    const half = callsComing(rig.sandbox, { calls: 8, overMs: 1_000, listensMs: 7_000 });
    const others = callsComing(rig.sandbox, { calls: 8, overMs: 1_000, listensMs: 18_000 });
    await delay(BEGINNING_MS);
    const paused = rig.machine(0);
    paused.pause();
    const short = await half;
    await delay(6_000);
    paused.resume();
    const long = await others;
    for (const story of [...short, ...long]) {
      expect(story).toMatchObject({ isCut: false });
      expect(new Set(story.heard.map(({ runner }) => runner)).size).toBe(1);
    }
    await until(async () => (await paused.liveCalls()) === 0, 'the runner that stood still has no calls');
    await until(async () => (await rig.machine(1).liveCalls()) === 0, 'the other one has none');
  }, 90_000);

  test('callers in rooms get another bot, and never two', async () => {
    await using rig = await ClusterRig.start({ runners: 2, transport: 'rooms' });
    const calls = callsComing(rig.sandbox, { calls: 4, overMs: 2_000, listensMs: 24_000 });
    await delay(BEGINNING_MS + 4_000);
    const paused = rig.machine(0);
    paused.pause();
    await delay(14_000);
    paused.resume();
    for (const story of await calls) {
      expect(story).toMatchObject({ isCut: false });
      const runners = story.heard.map(({ runner }) => runner).filter((runner, at, all) => runner !== all[at - 1]);
      expect(runners).toEqual(runners[0] === 0 ? [0, 1] : [1]);
    }
    await until(async () => (await paused.liveCalls()) === 0, 'the runner that stood still has no calls');
  }, 120_000);
});
