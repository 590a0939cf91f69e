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
    else if (event.type === 'said' && event.speaker === 'bot') this.#saying = [];
    if (event.type !== 'bot_done') return undefined;
    const saying = this.#saying;
    this.#saying = [];
    return event.outcome === 'returned' ? undefined : heardUntil(event.at, saying);
  }
}

/** All events, with what lost bots had said. @param events in the order of their times */
export function withLostSpeech(events: readonly TimelineEvent[]): TimelineEvent[] {
  const lost = new LostSpeech();
  return events.flatMap((event) => [lost.note(event) ?? [], event].flat());
}

function heardUntil(at: number, saying: ReadonlyArray<TimelineEventOf<'saying'>>): TimelineEventOf<'said'> | undefined {
  const begun = saying.filter(({ startsAt }) => startsAt <= at);
  const [first] = begun;
  const last = begun.at(-1);
  if (!first || !last) return undefined;
  const heard = wholeWords(last.text.trim(), Math.floor((at - last.startsAt) / CHARACTER_MS));
  const joined = (texts: readonly string[]) =>
    texts
      .map((text) => text.trim())
      .filter(Boolean)
      .join(' ');
  const text = joined([...begun.slice(0, -1).map((piece) => piece.text), heard]);
  const rest = [last.text.trim().slice(heard.length), ...saying.slice(begun.length).map((piece) => piece.text)];
  const unheard = joined(rest);
  const said = { type: 'said', speaker: 'bot', text, startedAt: first.startsAt, wasInterrupted: true } as const;
  return { ...said, ...(unheard && { unheard }), at, source: 'runner', unkept: last.unkept } as TimelineEventOf<'said'>;
}

/** The words of a text that end at or before so many characters. */
function wholeWords(text: string, length: number): string {
  const part = text.slice(0, length);
  return /^(?:\s|$)/.test(text.slice(length)) ? part.trim() : part.replace(/\S*$/, '').trim();
}
