import type { Figure } from '../figure.js';
import { loadFigures, sizeOf, type Transport, underLoad } from './cluster-load.js';

/** Callers come and go, and nothing happens to the runners. Counts: calls, seconds, runners. */
export const clusterCalls = (transport: Transport) =>
  async function* (...counts: number[]): AsyncGenerator<Figure> {
    const size = sizeOf(transport, counts);
    const { stories } = await underLoad(transport, size, async () => {});
    yield* loadFigures(stories, size.runners, (figure) => `${transport}, runners ${size.runners}: ${figure}`);
  };
