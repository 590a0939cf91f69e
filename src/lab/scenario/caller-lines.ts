import type { TimelineEvent } from '../../call/timeline.js';
import { KEYS_TOGETHER_MS, transcriptOf } from '../../call/view/transcript.js';
import { inLine, line } from './call-lines.js';
import type { CallerAction } from './caller-hands.js';
import { keysOf } from './received-keys.js';
import { bareWords } from './words.js';

/** So many lines tell how a call has come to where it failed. */
const LAST_LINES = 10;

interface Timed {
  readonly ms: number;
  readonly text: string;
}

/**
 * The last lines of a call as its caller has lived it: what the caller did, and what the bot said, called and pressed. Keys that no bot
 * has received are marked, and words that the bot understood differently stand beside those that were said.
 * @param answeredAt milliseconds since the Unix epoch
 */
export function lastLinesOf(
  events: readonly TimelineEvent[],
  acts: readonly CallerAction[],
  answeredAt: number | undefined,
): string[] {
  if (answeredAt === undefined) return [];
  const said = new Set(acts.flatMap(({ does, what }) => (does === 'say' ? [bareWords(what)] : [])));
  const told = transcriptOf(events).flatMap((item): Timed[] => {
    const ms = item.at - answeredAt;
    if (item.kind === 'keys' && item.direction === 'in') return [];
    if (item.kind !== 'said' || item.speaker === 'bot') return [{ ms, text: inLine(item) }];
    return said.has(bareWords(item.text)) ? [] : [{ ms, text: `the bot understood: ${item.text}` }];
  });
  return [...told, ...actLines(acts, events, told)]
    .toSorted((a, b) => a.ms - b.ms)
    .slice(-LAST_LINES)
    .map(({ ms, text }) => line(ms, text));
}

/** @param told what happened meanwhile: keys before and behind it do not stand together */
function actLines(acts: readonly CallerAction[], events: readonly TimelineEvent[], told: readonly Timed[]): Timed[] {
  const lines: Array<{ ms: number; text: string; lastKeyMs?: number }> = [];
  let received = keysOf(events, 'in');
  for (const { atMs, does, what } of acts) {
    const last = lines.at(-1);
    if (does !== 'press') {
      lines.push({ ms: atMs, text: ACTS[does](what) });
      continue;
    }
    const at = received.search(what === '*' ? /[*•]/ : new RegExp(`[${what}•]`));
    if (at >= 0) received = received.slice(at + 1);
    const isLost = at < 0;
    const sinceMs = last?.lastKeyMs ?? Number.NEGATIVE_INFINITY;
    const isApart = atMs - sinceMs >= KEYS_TOGETHER_MS || told.some(({ ms }) => ms > sinceMs && ms < atMs);
    if (last && !isLost && !isApart) Object.assign(last, { text: last.text + what, lastKeyMs: atMs });
    else if (isLost) lines.push({ ms: atMs, text: `you press ${what}, which the bot did not receive` });
    else lines.push({ ms: atMs, text: `you press ${what}`, lastKeyMs: atMs });
  }
  return lines;
}

const ACTS: Readonly<Record<Exclude<CallerAction['does'], 'press'>, (what: string) => string>> = {
  say: (what) => `you say: ${what}`,
  play: (what) => `you play ${what}`,
  hang_up: () => 'you hang up',
};
