import { firstAudioOf, longestSilences, lostOf, mostAtOnce, spreadOf } from '../../test/cluster/rig/call-stories.js';
import type { CallStory } from '../../test/cluster/rig/caller.js';
import { callsComing, PATIENCE_MS } from '../../test/cluster/rig/calls-coming.js';
import { ClusterRig, type RigOptions } from '../../test/cluster/rig/cluster-rig.js';
import { atMost, type Figure, ms } from '../figure.js';
import { percentile } from '../statistics.js';
import { needsPrograms } from './needs-programs.js';

export type Transport = Required<RigOptions>['transport'];

/** Sizes that a part can be started with, in this order. */
export interface LoadSize {
  readonly calls: number;
  readonly seconds: number;
  /** One runner is measured alone, without Redis. */
  readonly runners: number;
}

/** Thirty are alive at once. Callers in rooms cost far more. */
const SIZES: Readonly<Record<Transport, LoadSize>> = {
  carrier: { calls: 600, seconds: 300, runners: 3 },
  rooms: { calls: 60, seconds: 120, runners: 3 },
};
/** How long a caller listens to the bot, in milliseconds. */
const LISTENS_MS = 15_000;

export function sizeOf(transport: Transport, [calls, seconds, runners]: readonly number[]): LoadSize {
  const usual = SIZES[transport];
  return { calls: calls ?? usual.calls, seconds: seconds ?? usual.seconds, runners: runners ?? usual.runners };
}

/** A cluster with callers who come and go. @param during what happens to it meanwhile; begins with the first caller */
export async function underLoad<Happened>(
  transport: Transport,
  { calls, seconds, runners }: LoadSize,
  during: (rig: ClusterRig) => Promise<Happened>,
  options: RigOptions = {},
): Promise<{ stories: CallStory[]; happened: Happened }> {
  needsPrograms();
  await using rig = await ClusterRig.start({ runners, transport, ...options });
  const coming = callsComing(rig.sandbox, { calls, overMs: seconds * 1_000, listensMs: LISTENS_MS });
  const [stories, happened] = await Promise.all([coming, during(rig)]);
  return { stories, happened };
}

/** One of several waits, by its share; there may have been none. */
export const waitAt = (waits: readonly number[], share: number): string =>
  waits.length > 0 ? ms(percentile(waits, share)) : 'none';

/** What any load tells. @param name of a figure, with what it was measured on */
export function* loadFigures(
  stories: readonly CallStory[],
  runners: number,
  name: (figure: string) => string,
): Generator<Figure> {
  const lost = lostOf(stories, PATIENCE_MS);
  const firstAudio = firstAudioOf(stories);
  yield { name: name('calls, most at once'), ours: `${stories.length}, ${mostAtOnce(stories)}` };
  yield { name: name('greeted by each runner'), ours: spreadOf(stories, runners).join(', ') };
  yield { name: name('dialled to first audio p50'), ours: waitAt(firstAudio, 0.5) };
  yield { name: name('dialled to first audio p95'), ours: waitAt(firstAudio, 0.95) };
  yield { name: name('dialled to first audio p99'), ours: waitAt(firstAudio, 0.99) };
  yield { name: name('longest silence between sounds'), ours: waitAt(longestSilences(stories), 1) };
  const troubled = stories.filter(({ problems }) => problems.length > 0);
  yield { name: name('calls of which a hop failed'), ours: `${troubled.length}` };
  const cut = lost.filter(({ isCut }) => isCut);
  yield { name: name('cut off'), ours: `${cut.length}`, ...atMost(0, cut.length, '') };
  const unheard = lost.length - cut.length;
  yield { name: name('heard no bot, or none again'), ours: `${unheard}`, ...atMost(0, unheard, '') };
  if (lost.length > 0) yield { name: name('ends of those who were lost'), ours: causesOf(lost) };
}

function causesOf(stories: readonly CallStory[]): string {
  const counts = new Map<string, number>();
  for (const { cause, problems } of stories) {
    const told = problems[0] ? `${cause} (${problems[0]})` : cause;
    counts.set(told, (counts.get(told) ?? 0) + 1);
  }
  return [...counts].map(([cause, count]) => `${count} ${cause}`).join(', ');
}
