import { setTimeout as delay } from 'node:timers/promises';
import { takenOver } from '../../test/cluster/rig/call-stories.js';
import type { ClusterRig } from '../../test/cluster/rig/cluster-rig.js';
import { atMost, type Figure } from '../figure.js';
import { loadFigures, sizeOf, type Transport, underLoad, waitAt } from './cluster-load.js';

/** Before a machine that has died is back, in milliseconds. */
const AWAY_MS = 10_000;

interface Death {
  readonly runner: number;
  readonly diedMs: number;
}

/**
 * Callers come and go, and machines die among them: their runners and bots, all at once. Each comes back a little later. Counts: calls,
 * seconds, runners, deaths, which are spread evenly over the time.
 */
export const clusterKill = (transport: Transport) =>
  async function* (...counts: number[]): AsyncGenerator<Figure> {
    const size = sizeOf(transport, counts);
    const deaths = counts[3] ?? 1;
    const everyMs = (size.seconds * 1_000) / (deaths + 1);
    const { stories, happened } = await underLoad(transport, size, (rig) => dieInTurn(rig, deaths, everyMs));
    const name = (figure: string) => `${transport}, runners ${size.runners}, killed ${deaths}: ${figure}`;
    const callers = happened.flatMap(({ runner, diedMs }) => takenOver(stories, runner, diedMs));
    const silences = callers.flatMap(({ silenceMs }) => silenceMs ?? []);
    const lost = callers.length - silences.length;
    yield { name: name('callers whose bot died'), ours: `${callers.length}` };
    yield { name: name('silence to the next bot p50'), ours: waitAt(silences, 0.5) };
    yield { name: name('silence to the next bot p95'), ours: waitAt(silences, 0.95) };
    yield { name: name('silence to the next bot, longest'), ours: waitAt(silences, 1) };
    yield { name: name('heard no other bot'), ours: `${lost}`, ...atMost(0, lost, '') };
    yield* loadFigures(stories, size.runners, name);
  };

async function dieInTurn(rig: ClusterRig, deaths: number, everyMs: number): Promise<Death[]> {
  const died: Death[] = [];
  const revived: Promise<void>[] = [];
  while (died.length < deaths) {
    await delay(everyMs);
    await revived.at(-1); // one at a time
    const runner = died.length % rig.machines.length;
    died.push({ runner, diedMs: await rig.machine(runner).die() });
    revived.push(delay(AWAY_MS).then(() => rig.machine(runner).start()));
  }
  await Promise.all(revived);
  return died;
}
