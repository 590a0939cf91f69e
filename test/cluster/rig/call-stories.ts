import { type CallStory, GAP_MS } from './caller.js';

/** Callers who heard no bot at the end: nobody ever, or who were cut off, or who gave up waiting for the next one. */
export function lostOf(stories: readonly CallStory[], patienceMs: number): CallStory[] {
  return stories.filter(({ heard, isCut, endedMs }) => isCut || endedMs - (heard.at(-1)?.toMs ?? 0) >= patienceMs);
}

/** From dialling to the first sound of a bot, in milliseconds, of those who heard one. */
export const firstAudioOf = (stories: readonly CallStory[]): number[] =>
  stories.flatMap(({ startedMs, heard: [first] }) => (first?.fromMs === undefined ? [] : first.fromMs - startedMs));

/** How many callers each runner's bots greeted. */
export function spreadOf(stories: readonly CallStory[], runners: number): number[] {
  const counts = Array.from({ length: runners }, () => 0);
  for (const {
    heard: [first],
  } of stories)
    if (first) counts[first.runner] = (counts[first.runner] ?? 0) + 1;
  return counts;
}

/** The longest silence of each call between two sounds of bots, in milliseconds. */
export const longestSilences = (stories: readonly CallStory[]): number[] =>
  stories.map(({ heard }) =>
    Math.max(0, ...heard.slice(1).map(({ fromMs }, index) => fromMs - (heard[index]?.toMs ?? fromMs))),
  );

/** What became of somebody whose bot died with its machine. */
export interface TakenOver {
  /** From its last sound to the first of the next bot, in milliseconds; undefined when none was heard. */
  readonly silenceMs: number | undefined;
  readonly story: CallStory;
}

/**
 * Callers who heard a runner's bot when it was killed.
 * @param killedMs of the clock of the stories
 * @param heldMs how long a carrier may go on playing what it has from the bot
 */
export function takenOver(stories: readonly CallStory[], runner: number, killedMs: number, heldMs = 200): TakenOver[] {
  return stories.flatMap((story) => {
    const at = story.heard.findIndex(
      (stretch) => stretch.runner === runner && stretch.fromMs <= killedMs && stretch.toMs >= killedMs - heldMs,
    );
    const [last, next] = at < 0 ? [] : story.heard.slice(at);
    // Callers hang up when it is their time, unless there has been silence for longer than a gap.
    const hasHungUpBefore = story.endedMs <= killedMs + heldMs + GAP_MS && !story.isCut;
    if (!last || hasHungUpBefore || story.endedMs < killedMs) return [];
    return [{ story, silenceMs: next && next.fromMs - last.toMs }];
  });
}

/** The most calls that went on at the same time. */
export function mostAtOnce(stories: readonly CallStory[]): number {
  const changes = stories.flatMap(({ startedMs, endedMs }) => [
    { atMs: startedMs, by: 1 },
    { atMs: endedMs, by: -1 },
  ]);
  let [alive, most] = [0, 0];
  for (const { by } of changes.toSorted((a, b) => a.atMs - b.atMs)) {
    alive += by;
    most = Math.max(most, alive);
  }
  return most;
}
