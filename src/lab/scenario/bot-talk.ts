import type { TimelineEvent } from '../../call/timeline.js';
import { afterHold, CHARACTER_MS, LostSpeech, type SaidPiece } from '../../call/view/lost-speech.js';
import type { WordPattern } from './words.js';

/** What the bot says in a call, as its process tells it: for a caller who acts upon words. */
export class BotTalk {
  #saying: SaidPiece[] = [];
  #said = '';
  readonly #lost = new LostSpeech();
  /** What it has begun to say, and has not been heard to its end. */
  #begun: SaidPiece[] = [];

  /** What both have said so far, oldest first; of the bot what was heard. */
  readonly lines: Array<{ readonly speaker: 'caller' | 'bot'; readonly text: string }> = [];

  /** @param characterMs how long a character of the bot's speech lasts about, in milliseconds */
  constructor(private readonly characterMs = CHARACTER_MS) {}

  note(event: TimelineEvent): void {
    const lost = this.#lost.note(event);
    if (lost) this.note(lost);
    if (event.type === 'saying') {
      this.#saying.push(event);
      this.#begun.push(event);
    }
    if (event.type === 'speech_held') {
      this.#saying = afterHold(this.#saying, event, this.characterMs);
      this.#begun = afterHold(this.#begun, event, this.characterMs);
    }
    if (event.type === 'said' && event.speaker === 'bot') this.#begun = [];
    if ((event.type !== 'said' && event.type !== 'line_played') || event.text === '') return;
    const speaker = event.type === 'said' ? event.speaker : 'bot';
    this.lines.push({ speaker, text: event.text });
    if (speaker === 'bot') this.#said += `${event.text} `;
  }

  /** What has been heard of the bot and was not looked for yet. */
  get said(): string {
    return this.#said.replace(/^[\s\p{P}]+/u, '').trim(); // of the sentence before its mark is left
  }

  /** The same for people, with what is heard at that time. @param at milliseconds since the Unix epoch */
  wordsAt(at: number): string {
    const said = this.said === '' ? 'nothing more' : `"${this.said}"`;
    const saying = this.#begun.filter(({ startsAt }) => startsAt <= at).map(({ text }) => text);
    return saying.length === 0 ? said : `${said}, and was saying "${saying.join(' ')}"`;
  }

  /** Whether the bot has said these words to their end; they are not found a second time. */
  hasSaid(words: WordPattern): boolean {
    const rest = words.behindIn(this.#said);
    if (rest !== undefined) this.#said = rest;
    return rest !== undefined;
  }

  /** Which of several words the bot has said first, to their end; they are not found a second time. Undefined: none. */
  firstSaid(all: readonly WordPattern[]): number | undefined {
    const said = all.flatMap((words, index) => {
      const place = words.placeIn(this.#said);
      return place ? [{ index, from: place.from }] : [];
    });
    const [first] = said.sort((a, b) => a.from - b.from);
    const words = first && all[first.index];
    return words && this.hasSaid(words) ? first.index : undefined;
  }

  /** Whether the bot has come to the end of these words; they are not found a second time. @param at milliseconds since the Unix epoch */
  isSaying(words: WordPattern, at: number): boolean {
    const rest = words.behindIn(this.#saying.map(({ text }) => text).join(' '));
    if (rest === undefined) return false;
    let left = rest.length;
    const index = this.#saying.findLastIndex(({ text: { length } }) => {
      if (left <= length) return true;
      left -= length + 1;
      return false;
    });
    const piece = this.#saying[index];
    if (!piece) return false;
    const said = piece.text.length - left;
    if (at < piece.startsAt + said * this.characterMs) return false;
    const behind = { text: piece.text.slice(said), startsAt: piece.startsAt + said * this.characterMs };
    this.#saying = [behind, ...this.#saying.slice(index + 1)];
    return true;
  }
}
