import { type AnswererSigns, ownPhrases, signsIn } from './answerer-signs.js';

/** Who has answered, as far as words and silence tell it. */
export type Answerer = 'unknown' | 'person' | 'machine' | 'screener';

/** How an {@link AnswererJudge} decides; all times in milliseconds. */
export interface AnswererTimes {
  readonly longGreetingMs: number;
  readonly humanSilenceMs: number;
  readonly decideWithinMs: number;
  readonly giveUpAfterMs: number;
}

/** Words of a short answer at most: "Hello? Jane Smith speaking, who is there?". */
const SHORT_ANSWER_WORDS = 8;
/** Machines, too, begin with "Hello" and a pause. */
const BARE_GREETING_WORDS = 2;
/** Words of a long greeting at least: music and noise have none. */
const LONG_GREETING_WORDS = 16;
/** A pause that ends a greeting in one breath. */
const BREATH_MS = 1_000;
/** Quiet after words that a machine would say, and what might turn their meaning would have followed: "leave a message … for whom?". */
const SETTLED_MS = 600;
/** The same, in words that have followed. */
const SETTLED_WORDS = 4;
/** The ears may still change so many of the last words of an interim result. */
const UNSURE_WORDS = 3;

/**
 * Tells a person, a machine and a screening assistant apart by what they say and when they pause. In doubt it is a person. Time is that of
 * the sound it is given.
 */
export class AnswererJudge {
  #verdict: Answerer = 'unknown';
  #isLong = false;
  #finalWords = '';
  #interimWords = '';
  #signs: AnswererSigns = signsIn('');
  #hasAnswered = false;
  #nowMs = 0;
  #firstWordsMs: number | undefined;
  /** Of the stretch of speech that goes on, or was the last one. */
  #breathSinceMs: number | undefined;
  #breathUntilMs = 0;
  #silenceMs = 0;
  readonly #own: RegExp | undefined;

  constructor(
    private readonly times: AnswererTimes,
    phrases: readonly string[] = [],
  ) {
    this.#own = ownPhrases(phrases);
  }

  get verdict(): Answerer {
    return this.#verdict;
  }

  /** Whether the machine was known by the length of its greeting alone. */
  get isKnownByLength(): boolean {
    return this.#isLong;
  }

  /** Whether who answers has said something short and waited: what beeps then is no machine, as far as no words say so. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** How long the line has been quiet, in milliseconds of sound. */
  get silenceMs(): number {
    return this.#silenceMs;
  }

  /** @param isInterim replaced by the next words, final or not */
  hearWords(text: string, isInterim = false): Answerer {
    if (this.#verdict !== 'unknown') return this.#verdict;
    this.#interimWords = isInterim ? text : '';
    if (!isInterim) this.#finalWords = `${this.#finalWords} ${text}`;
    const spoken = `${this.#finalWords} ${this.#interimWords}`;
    this.#signs = signsIn(spoken, this.#own);
    if (this.#signs.wordCount > 0) this.#firstWordsMs ??= this.#nowMs;
    const sure = isInterim ? signsIn(spoken, this.#own, UNSURE_WORDS) : this.#signs;
    const settled = signsIn(spoken, this.#own, SETTLED_WORDS);
    if (sure.isScreener || settled.isLikelyScreener) this.#verdict = 'screener';
    else if (sure.isMachine || settled.isLikelyMachine) this.#verdict = 'machine';
    return this.#verdict;
  }

  /** @param durationMs of the sound, in milliseconds */
  hearSound(isSpeech: boolean, durationMs: number): Answerer {
    this.#nowMs += durationMs;
    if (isSpeech) {
      if (this.#silenceMs >= BREATH_MS) this.#breathSinceMs = undefined;
      this.#breathSinceMs ??= this.#nowMs;
      this.#breathUntilMs = this.#nowMs;
      this.#silenceMs = 0;
    } else this.#silenceMs += durationMs;
    if (this.#verdict === 'unknown') this.#judge();
    return this.#verdict;
  }

  #judge(): void {
    const { wordCount, isLikelyPerson } = this.#signs;
    const { longGreetingMs, humanSilenceMs } = this.times;
    if (this.#likely && this.#interimWords === '' && this.#silenceMs >= SETTLED_MS) this.#verdict = this.#likely;
    else if (wordCount >= LONG_GREETING_WORDS && !isLikelyPerson && this.#breathMs >= longGreetingMs) {
      this.#isLong = true;
      this.#verdict = 'machine';
    } else {
      this.#hasAnswered ||= wordCount > 0 && this.#silenceMs >= humanSilenceMs;
      const isOver = wordCount > 0 && this.#silenceMs >= humanSilenceMs * patience(wordCount);
      if (isOver) this.#verdict = this.#likely ?? 'person';
      else if (this.#isTooLate) this.#verdict = 'person';
    }
  }

  /** What is likely, unless something follows that speaks for a person. */
  get #likely(): 'machine' | 'screener' | undefined {
    if (this.#signs.isLikelyScreener) return 'screener';
    return this.#signs.isLikelyMachine ? 'machine' : undefined;
  }

  get #breathMs(): number {
    return this.#breathSinceMs === undefined ? 0 : this.#breathUntilMs - this.#breathSinceMs;
  }

  get #isTooLate(): boolean {
    const { longGreetingMs, decideWithinMs, giveUpAfterMs } = this.times;
    if (this.#nowMs >= giveUpAfterMs) return true;
    if (this.#firstWordsMs === undefined || this.#nowMs - this.#firstWordsMs < decideWithinMs) return false;
    // who has not paused since the first word may still come to the length of a machine's greeting
    const hasPaused = (this.#breathSinceMs ?? Infinity) > this.#firstWordsMs || this.#silenceMs >= BREATH_MS;
    return hasPaused || !Number.isFinite(longGreetingMs) || this.#breathMs >= longGreetingMs;
  }
}

function patience(wordCount: number): number {
  if (wordCount <= BARE_GREETING_WORDS) return 2.5;
  return wordCount > SHORT_ANSWER_WORDS ? 2 : 1;
}
