import { joinPieces, writtenWords } from '../../base/written-words.js';
import type { TimelineEvent } from '../timeline.js';
import type { TimelineEventOf } from './events.js';

/** How long a character of speech lasts about, in milliseconds. */
export const CHARACTER_MS = 65;

/** Follows what a bot says, for one that is lost before it has told how far the caller heard it. */
export class LostSpeech {
  #saying: Array<TimelineEventOf<'saying'>> = [];

  /** @returns with the event by which the bot is lost, what the caller had heard of it: as the bot would have told it */
  note(event: TimelineEvent): TimelineEventOf<'said'> | undefined {
    if (event.type === 'saying') this.#saying.push(event);
    else if (event.type === 'speech_held') this.#saying = afterHold(this.#saying, event);
    else if (event.type === 'said' && event.speaker === 'bot') this.#saying = [];
    if (event.type !== 'bot_done') return undefined;
    const saying = this.#saying;
    this.#saying = [];
    return event.outcome === 'returned' ? undefined : heardUntil(event.at, saying);
  }
}

/** A piece of what the bot says. `startsAt`: when it begins to be heard; `at`: when the bot told that; both milliseconds since the Unix epoch. */
export interface SaidPiece {
  readonly text: string;
  readonly startsAt: number;
  readonly at?: number;
}

/** The pieces, where the bot's speech was held: what had not been heard by then is heard later. */
export function afterHold<Piece extends SaidPiece>(
  pieces: readonly Piece[],
  { at, ms }: TimelineEventOf<'speech_held'>,
  characterMs = CHARACTER_MS,
): Piece[] {
  const heldAt = at - ms;
  return pieces.map((piece) => {
    const isOver = piece.startsAt + piece.text.length * characterMs <= heldAt;
    return isOver ? piece : { ...piece, startsAt: piece.startsAt + at - Math.max(heldAt, piece.at ?? heldAt) };
  });
}

/** All events, with what lost bots had said. @param events in the order of their times */
export function withLostSpeech(events: readonly TimelineEvent[]): TimelineEvent[] {
  const lost = new LostSpeech();
  return events.flatMap((event) => {
    const said = lost.note(event);
    return said ? [said, event] : [event];
  });
}

function heardUntil(at: number, saying: ReadonlyArray<TimelineEventOf<'saying'>>): TimelineEventOf<'said'> | undefined {
  const begun = saying.filter(({ startsAt }) => startsAt <= at);
  const [first] = begun;
  const last = begun.at(-1);
  if (!first || !last) return undefined;
  const lastText = last.text.trim();
  const heard = wholeWords(lastText, Math.floor((at - last.startsAt) / CHARACTER_MS));
  const text = joinPieces([...begun.slice(0, -1).map((piece) => piece.text), lastText.slice(0, heard)]);
  const rest = [lastText.slice(heard), ...saying.slice(begun.length).map((piece) => piece.text)];
  const unheard = joinPieces(rest);
  const said = { type: 'said', speaker: 'bot', text, startedAt: first.startsAt, wasInterrupted: true } as const;
  return { ...said, ...(unheard && { unheard }), at, source: 'runner', unkept: last.unkept } as TimelineEventOf<'said'>;
}

/** Where the last word ends that ends at or before so many characters. */
export function wholeWords(text: string, length: number): number {
  if (length >= text.length) return length;
  const begun = writtenWords(text).find(({ text: word, from }) => from < length && length < from + word.length);
  return begun?.from ?? length;
}
