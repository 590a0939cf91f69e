import { EnergyDetector } from '../../base/audio/energy-detector.js';
import type { OptionNames } from '../../base/names/option-names.js';
import { ownPhrases, screeningTurn } from './answerers/answerer-signs.js';

/** What a screening assistant is told, and how long the bot waits for the person behind it. */
export interface ScreeningOptions {
  /** Who calls and why, in one sentence: "Bluebird Bakery, about your order of today." The person reads it, or hears it. */
  reason?: string;
  /** Longest wait for the person, from when the assistant is known, in milliseconds, 5000 to 300000; then the call is ended. Default 45000. */
  waitMs?: number;
}

export const SCREENING_OPTIONS: OptionNames<ScreeningOptions> = { reason: true, waitMs: true };

export interface ScreeningActions {
  /** Says who calls and why. */
  answer(): void;
  /** The person has come on. @param words what they have said, as far as it was understood */
  person(words: string): void;
  /** A message can be left. */
  machine(): void;
  /** The person has not come on in time. */
  giveUp(): void;
}

/** Quiet after which an assistant has asked its question, in milliseconds of audio. */
const ASKED_MS = 800;
/** An assistant in a noisy line is answered after this much audio, in milliseconds. */
const ASKED_AT_MOST_MS = 8_000;
/** How often an assistant that asks again is told the same. */
const REPEATS = 2;
/** Quiet after the assistant has said that it connects: the person waits to be greeted, in milliseconds of audio. */
const CONNECTED_MS = 2_500;
/** Wait for an offer to leave a message when the person does not want the call, in milliseconds. */
const DECLINED_MS = 10_000;
/** A new voice has been heard for so long, at least, when its words count, in milliseconds of audio. */
const NEW_VOICE_MS = 120;
/** Words that follow others within this pause are of the same voice, in milliseconds of audio. */
const SAME_VOICE_MS = 600;

/**
 * The talk with a screening assistant: it is told who calls and why when it has asked, and again when it asks again; then the bot waits for the
 * person. A voice that says something else than assistants do is that person.
 */
export class CallScreening {
  readonly #voice: EnergyDetector;
  readonly #own: RegExp | undefined;
  readonly #sampleRate: number;
  #state: 'asked' | 'answered' | 'connecting' | 'over' = 'asked';
  #answers = 0;
  #stateMs = 0;
  #silenceMs = 0;
  /** Of the voice since the last answer, and the longest pause since the last words. */
  #voiceMs = 0;
  #pauseMs = Infinity;
  #timer: NodeJS.Timeout;

  /** @param phrases what machines say beside what is known */
  constructor(
    sampleRate: number,
    waitMs: number,
    phrases: readonly string[],
    private readonly actions: ScreeningActions,
  ) {
    this.#sampleRate = sampleRate;
    this.#voice = new EnergyDetector(sampleRate);
    this.#own = ownPhrases(phrases);
    this.#timer = setTimeout(() => this.#finish(() => actions.giveUp()), waitMs);
  }

  hearAudio(pcm: Int16Array): void {
    const durationMs = (pcm.length * 1_000) / this.#sampleRate;
    this.#stateMs += durationMs;
    if (this.#voice.isSpeech(pcm)) {
      this.#silenceMs = 0;
      this.#voiceMs += durationMs;
    } else {
      this.#silenceMs += durationMs;
      this.#pauseMs = Math.max(this.#pauseMs, this.#silenceMs);
    }
    const hasAsked = this.#silenceMs >= ASKED_MS || this.#stateMs >= ASKED_AT_MOST_MS;
    if (this.#state === 'asked' && hasAsked) this.#answer();
    if (this.#state === 'connecting' && this.#silenceMs >= CONNECTED_MS) this.#finish(() => this.actions.person(''));
  }

  /** @param text final words */
  hearWords(text: string): void {
    if (this.#state === 'over' || text.trim() === '') return;
    const turn = screeningTurn(text, this.#own);
    if (turn === 'machine') {
      this.#finish(() => this.actions.machine());
      return;
    }
    if (this.#state === 'asked' || this.#voiceMs < NEW_VOICE_MS) return; // the rest of the question, which ears give late
    const isNewVoice = this.#pauseMs >= SAME_VOICE_MS;
    this.#pauseMs = 0;
    if (turn === 'greets' || (turn === 'other' && isNewVoice)) this.#finish(() => this.actions.person(text));
    else if (turn === 'asks again' && this.#answers <= REPEATS) this.#go('asked');
    else if (turn === 'connects') this.#go('connecting');
    else if (turn === 'declines') this.#waitAtMost(DECLINED_MS);
  }

  stop(): void {
    this.#state = 'over';
    clearTimeout(this.#timer);
  }

  #answer(): void {
    this.#answers += 1;
    this.#go('answered');
    this.#voiceMs = 0;
    this.#pauseMs = Infinity;
    this.actions.answer();
  }

  #go(state: 'asked' | 'answered' | 'connecting'): void {
    this.#state = state;
    this.#stateMs = 0;
  }

  #waitAtMost(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#finish(() => this.actions.giveUp()), ms);
  }

  #finish(act: () => void): void {
    if (this.#state === 'over') return;
    this.stop();
    act();
  }
}
