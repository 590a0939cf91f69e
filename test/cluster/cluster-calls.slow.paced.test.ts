import { spawnSync } from 'node:child_process';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { allGone, until } from '../e2e/processes.js';
import { hasRedis } from './redis-server.js';
import { hasBalancer } from './rig/balancer.js';
import { lostOf, spreadOf, takenOver } from './rig/call-stories.js';
import type { CallStory } from './rig/caller.js';
import { type CallsOptions, callsComing, PATIENCE_MS } from './rig/calls-coming.js';
import { ClusterRig } from './rig/cluster-rig.js';

const LIMIT_MS = 90_000;
const GREETED_MS = 30_000;

const help = spawnSync(process.execPath, [`${PACKAGE_ROOT}bin/voicebot.js`, 'run', '--help'], { encoding: 'utf8' });
const canCluster = help.stdout.includes('--cluster');

/** Callers of whom each hears a bot. */
class GreetedCallers {
  readonly stories: Promise<CallStory[]>;
  #greeted = 0;

  constructor(
    rig: ClusterRig,
    private readonly options: CallsOptions,
  ) {
    this.stories = callsComing(rig.sandbox, { ...options, onGreeted: () => this.#count() });
  }

  /** Resolves when all of them have heard one. */
  greeted(): Promise<void> {
    return until(() => this.#greeted === this.options.calls, 'every caller hears a bot', GREETED_MS);
  }

  #count(): void {
    this.#greeted += 1;
  }
}

/** Skipped by name where something is missing. */
const testWith = (needs: Readonly<Record<string, boolean>>) => {
  const missing = Object.keys(needs).filter((name) => !needs[name]);
  return (name: string, body: () => Promise<void>) =>
    missing.length > 0 ? test.skip(`${name} (needs ${missing.join(', ')})`, body) : test(name, body, LIMIT_MS);
};

testWith({ haproxy: hasBalancer })(
  'the callers of a runner that is alone are cut off when its machine dies; it greets others when it is back',
  async () => {
    let processes: readonly number[];
    {
      await using rig = await ClusterRig.start({ runners: 1 });
      const coming = new GreetedCallers(rig, { calls: 6, overMs: 600, listensMs: 4_000 });
      await coming.greeted();
      const [machine] = rig.machines;
      const diedMs = (await machine?.die()) ?? 0;
      const stories = await coming.stories;
      expect(takenOver(stories, 0, diedMs)).toHaveLength(6);
      expect(lostOf(stories, PATIENCE_MS)).toHaveLength(6);
      await machine?.start();
      await rig.balancer.knowsUp(1);
      const others = await callsComing(rig.sandbox, { calls: 3, overMs: 300, listensMs: 1_000 });
      expect(lostOf(others, PATIENCE_MS)).toEqual([]);
      processes = rig.machines.flatMap((one) => one.processes);
    }
    expect(processes.length).toBeGreaterThan(3);
    await allGone(processes);
  },
);

testWith({ haproxy: hasBalancer, 'redis-server': hasRedis, 'run --cluster': canCluster })(
  'every runner greets callers, those whose machine dies hear a bot of another one, and nothing is left',
  async () => {
    let processes: readonly number[];
    {
      await using rig = await ClusterRig.start({ runners: 3 });
      const coming = new GreetedCallers(rig, { calls: 30, overMs: 3_000, listensMs: 6_000 });
      await coming.greeted();
      const diedMs = await rig.machine(1).die();
      const stories = await coming.stories;
      expect(spreadOf(stories, 3).every((count) => count > 0)).toBe(true);
      expect(lostOf(stories, PATIENCE_MS)).toEqual([]);
      const callers = takenOver(stories, 1, diedMs);
      expect(callers.length).toBeGreaterThan(0);
      expect(callers.filter(({ silenceMs }) => silenceMs === undefined)).toEqual([]);
      processes = rig.machines.flatMap((one) => one.processes);
    }
    await allGone(processes);
  },
);
