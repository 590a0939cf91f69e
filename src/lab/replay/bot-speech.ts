import type { TimelineEvent } from '../../call/timeline.js';
import { allOf } from '../../call/view/events.js';
import { CHARACTER_MS } from '../../call/view/lost-speech.js';
import { WordPattern } from '../scenario/words.js';

/** When the bot was heard without a break. Milliseconds since the Unix epoch. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A moment as a caller knows it: so long after these words of the bot. */
export interface MomentInWords {
  readonly during: string;
  readonly afterMs: number;
}

/** Shorter pauses of the bot are within what it has to say. */
const PAUSE_MS = 900;
/** So many words tell a place in what the bot says: a few, more where those come earlier as well, fewer where there are no more. */
const WORD_COUNTS = [3, 4, 5, 6, 8, 2, 1];

interface SpokenWord {
  readonly text: string;
  /** In everything that the bot has said, joined by spaces. */
  readonly from: number;
  readonly to: number;
  /** When the caller had heard it, milliseconds since the Unix epoch; infinite when they never have. */
  readonly endsAt: number;
}

/** What the bot of a recorded call has said, and when. */
export class BotSpeech {
  /** In order. Those between which there is hardly a pause are one. */
  readonly stretches: readonly Stretch[];
  readonly #words: readonly SpokenWord[];
  readonly #text: string;
  /** Up to where a caller who acts upon words has listened, in characters. */
  #listenedTo = 0;

  /** @param events in the order of their times @param endedAt of the call */
  constructor(events: readonly TimelineEvent[], endedAt: number) {
    this.stretches = stretchesIn(events, endedAt);
    const pieces = piecesIn(events);
    this.#text = pieces.map(({ text }) => text).join(' ');
    let offset = 0;
    this.#words = pieces.flatMap(({ text, startsAt, stopsAt }) => {
      const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }): SpokenWord => {
        const endsAt = startsAt + (index + word.length) * CHARACTER_MS;
        const from = offset + index;
        return {
          text: word,
          from,
          to: from + word.length,
          endsAt: endsAt > stopsAt ? Number.POSITIVE_INFINITY : endsAt,
        };
      });
      offset += text.length + 1;
      return words;
    });
  }

  /** Whether the bot is heard then. */
  isHeardAt(at: number): boolean {
    return this.stretches.some(({ from, to }) => from <= at && at < to);
  }

  /** Stretches of the bot that begin in between. */
  between(from: number, to: number): readonly Stretch[] {
    return this.stretches.filter((stretch) => stretch.from >= from && stretch.from < to);
  }

  /**
   * Tells a moment by the words before it, so that they are found at that place and at no earlier one; the next moment is told by
   * later words. Undefined when nothing has been said since the moment before.
   */
  momentOf(at: number): MomentInWords | undefined {
    const last = this.#words.findLastIndex(({ from, endsAt }) => endsAt <= at && from >= this.#listenedTo);
    const word = this.#words[last];
    if (!word) return undefined;
    const rest = this.#text.slice(this.#listenedTo);
    const behind = this.#text.length - word.to;
    for (const count of WORD_COUNTS) {
      const first = this.#words[last - count + 1];
      if (!first || first.from < this.#listenedTo) continue;
      const during = this.#text.slice(first.from, word.to).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
      const pattern = new WordPattern(during.startsWith('/') ? '' : during);
      if (pattern.isEmpty) continue;
      const found = pattern.behindIn(rest)?.length;
      if (found === undefined || Math.abs(found - behind) > word.text.length) continue;
      this.#listenedTo = word.to;
      return { during, afterMs: Math.max(0, at - word.endsAt) };
    }
    return undefined;
  }
}

function stretchesIn(events: readonly TimelineEvent[], endedAt: number): Stretch[] {
  const stretches: Array<{ from: number; to: number }> = [];
  let from: number | undefined;
  const close = (to: number) => {
    if (from === undefined) return;
    const before = stretches.at(-1);
    if (before && from - before.to < PAUSE_MS) before.to = to;
    else stretches.push({ from, to });
    from = undefined;
  };
  for (const event of allOf(events, 'speech_started', 'speech_stopped')) {
    if (event.speaker !== 'bot') continue;
    if (event.type === 'speech_started') from ??= event.at;
    else close(event.at);
  }
  close(endedAt);
  return stretches;
}

/** The pieces of what the bot said, with when each began to be heard, and when an interruption has cut it off. */
function piecesIn(events: readonly TimelineEvent[]): Array<{ text: string; startsAt: number; stopsAt: number }> {
  const saying = allOf(events, 'saying');
  if (saying.length > 0) {
    const cuts = allOf(events, 'speech_stopped').filter((one) => one.speaker === 'bot' && one.wasInterrupted);
    const cutOf = (at: number) => cuts.find((cut) => cut.at >= at)?.at ?? Number.POSITIVE_INFINITY;
    return saying.map(({ text, startsAt, at }) => {
      const cut = cutOf(at);
      // What came after that cut belongs to a later answer.
      const isOfLater = events.some(
        (one) => one.type === 'speech_stopped' && one.speaker === 'bot' && one.at >= at && one.at < cut,
      );
      return { text, startsAt, stopsAt: isOfLater ? Number.POSITIVE_INFINITY : cut };
    });
  }
  return allOf(events, 'said')
    .filter(({ speaker, text }) => speaker === 'bot' && text !== '')
    .map(({ text, startedAt, at }) => ({ text, startsAt: startedAt ?? at, stopsAt: Number.POSITIVE_INFINITY }));
}
