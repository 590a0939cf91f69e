import type { TimelineEvent } from '../call/timeline.js';
import type { WordPattern } from './words.js';

/** How long a character of speech lasts about, in milliseconds. */
const CHARACTER_MS = 65;

/** A piece of what the bot says. `startsAt`: when it begins to be heard, milliseconds since the Unix epoch. */
interface Piece {
  readonly text: string;
  readonly startsAt: number;
}

/** What the bot says in a call, as its process tells it: for a caller who acts upon words. */
export class BotTalk {
  #saying: Piece[] = [];
  #said = '';

  /** What both have said so far, oldest first; of the bot what was heard. */
  readonly lines: Array<{ readonly speaker: 'caller' | 'bot'; readonly text: string }> = [];

  note(event: TimelineEvent): void {
    if (event.type === 'saying') this.#saying.push(event);
    if (event.type !== 'said' || event.text === '') return;
    this.lines.push({ speaker: event.speaker, text: event.text });
    if (event.speaker === 'bot') this.#said += `${event.text} `;
  }

  /** What has been heard of the bot and was not looked for yet. */
  get said(): string {
    return this.#said.trim();
  }

  /** Whether the bot has said these words to their end; they are not found a second time. */
  hasSaid(words: WordPattern): boolean {
    const place = words.placeIn(this.#said);
    if (place) this.#said = this.#said.slice(Math.floor(place.to * this.#said.length));
    return place !== undefined;
  }

  /** Whether the bot has come to the end of these words; they are not found a second time. @param at milliseconds since the Unix epoch */
  isSaying(words: WordPattern, at: number): boolean {
    const text = this.#saying.map((piece) => piece.text).join('');
    const place = words.placeIn(text);
    if (!place) return false;
    let rest = Math.ceil(place.to * text.length);
    const index = this.#saying.findIndex(({ text: { length } }) => {
      if (rest <= length) return true;
      rest -= length;
      return false;
    });
    const piece = this.#saying[index];
    if (!piece || at < piece.startsAt + rest * CHARACTER_MS) return false;
    this.#saying = [
      { text: piece.text.slice(rest), startsAt: piece.startsAt + rest * CHARACTER_MS },
      ...this.#saying.slice(index + 1),
    ];
    return true;
  }
}
