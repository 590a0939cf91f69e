import { settlesWithin } from '../../base/async/deadline.js';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import type { TimelineEvent } from '../../call/timeline.js';
import type { TimelineEventOf } from '../../call/view/events.js';
import { LiveTalk } from '../../call/view/live-lines.js';
import { LiveWords } from '../../terminal/live-words.js';
import type { Output } from '../../terminal/output.js';

/** Of the time that stands before each line, in characters. */
export const CLOCK_WIDTH = 9;
/** How long after the bot is heard its words may come, in milliseconds. */
const WORDS_LATE_MS = 400;
/** How long after the end of the call they may, in milliseconds. */
const LAST_WORDS_MS = 500;

export interface BotWordsListener {
  /** The bot has said something to its end, or was cut off. */
  said(words: TimelineEventOf<'said'>): void;
  /** What the caller has said, as the bot's ears have understood it. */
  understood(text: string): void;
  /** It is heard, and its words are not told. */
  speaksWithoutWords(): void;
  isSilentWithoutWords(): void;
}

/** What the bot of one call says, where its runner tells that; else, that it speaks. */
export class BotWords {
  readonly #live: LiveWords;
  #talk = new LiveTalk();
  /** Words of what is heard have come. */
  #hasWords = false;
  #isTold = false;
  #timer: NodeJS.Timeout | undefined;
  #last: Deferred<void> | undefined;

  constructor(
    output: Output,
    private readonly listener: BotWordsListener,
  ) {
    this.#live = new LiveWords(output, (_call, { speaker }) => {
      const who = speaker === 'bot' ? 'the bot' : 'understood';
      return `${' '.repeat(CLOCK_WIDTH)}  ${who}: `;
    });
  }

  see(event: TimelineEvent): void {
    this.#talk.see(event);
    this.#live.see('', event);
    if (event.type === 'saying') this.#hasWords = true;
    if (event.type !== 'said') return;
    if (event.speaker === 'caller') {
      this.listener.understood(event.text);
      return;
    }
    this.#hasWords = true;
    this.listener.said(event);
    if (!this.#isOpen) this.#last?.resolve();
  }

  speaks(): void {
    this.#hasWords = this.#isOpen;
    this.#timer = setTimeout(() => {
      if (this.#hasWords) return;
      this.#isTold = true;
      this.listener.speaksWithoutWords();
    }, WORDS_LATE_MS).unref();
  }

  isSilent(): void {
    clearTimeout(this.#timer);
    if (this.#isTold) this.listener.isSilentWithoutWords();
    this.#isTold = false;
  }

  /** Its runner tells nothing more: what was begun there has no end. */
  lost(): void {
    this.#talk = new LiveTalk();
    this.#last?.resolve();
    this.#live.close();
  }

  /** Resolves when what the bot was saying is told. */
  async told(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isOpen) {
      this.#last = deferred();
      await settlesWithin(this.#last.promise, LAST_WORDS_MS);
    }
    this.#live.close();
  }

  get #isOpen(): boolean {
    return this.#talk.isBotSpeaking;
  }
}
