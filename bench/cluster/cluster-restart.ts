import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterRig } from '../../test/cluster/rig/cluster-rig.js';
import type { Figure } from '../figure.js';
import { loadFigures, sizeOf, type Transport, underLoad } from './cluster-load.js';

/** When the first runner is told to stop, as a share of the time. */
const BEGINS = 0.2;
const DRAIN_SECONDS = 30;

/**
 * Callers come and go while the runners are restarted one after the other, as for a new version. Counts: calls, seconds, runners, and for
 * how many seconds a runner waits for its calls; a caller listens for 15.
 */
export const clusterRestart = (transport: Transport) =>
  async function* (...counts: number[]): AsyncGenerator<Figure> {
    const size = sizeOf(transport, counts);
    const drainSeconds = counts[3] ?? DRAIN_SECONDS;
    const during = async (rig: ClusterRig) => {
      await delay(size.seconds * 1_000 * BEGINS);
      const startedMs = performance.now();
      await rig.restartEach();
      return performance.now() - startedMs;
    };
    const { stories, happened: tookMs } = await underLoad(transport, size, during, { drainSeconds });
    const name = (figure: string) => `${transport}, runners ${size.runners}, restarted: ${figure}`;
    yield { name: name('until all were new'), ours: `${(tookMs / 1_000).toFixed(0)} s` };
    yield* loadFigures(stories, size.runners, name);
  };
