import { type Deferred, deferred } from '../../../base/async/deferred.js';
import { levelDb } from '../../../base/audio/level.js';
import type { Frame, Utterance } from '../../pipeline/frames/index.js';
import { ContinuousSpeech } from './continuous-speech.js';

/** Sound of the model's that is louder is speech, in decibels of full scale. */
const AUDIBLE_DB = -55;
/** So much silence in its stream ends what it says, in milliseconds. */
const SILENCE_MS = 500;
/** What it was given to say while it spoke may have been said in one go with that: longer is not waited for it, in milliseconds of its sound. */
const GIVEN_MS = 2_000;
/** What it says waits so long for the turn that it belongs to, in milliseconds of its sound. */
const PLACE_MS = 150;
/** Words whose sound has not come, at most. */
const MOST_WORDS = 1_000;

/** What an utterance belongs to. */
export interface SpeechPlace {
  readonly utterance: Utterance;
  wrote?(text: string): void;
  /** Of what was written only this was said. */
  cut?(text: string): void;
  /** It is over. @param isWhole it was not dropped */
  over(isWhole: boolean): void;
}

export interface MouthDeps {
  push(frame: Frame): void;
  /** The model begins to say something that nothing waits for. */
  begins(): void;
  /** @param isLate what it belongs to has had its time @returns undefined: that is not known yet */
  place(isLate: boolean): SpeechPlace | undefined;
  /** An utterance has come to its end. */
  finished(): void;
}

/** Makes utterances of the sound of a model that never stops sending it. */
export class ContinuousMouth {
  #speech: ContinuousSpeech | undefined;
  #place: SpeechPlace | undefined;
  #silent: Deferred<void> | undefined;
  /** Speech whose place is not known yet. */
  #unplaced: Array<{ readonly pcm: Int16Array; readonly isSilent: boolean; readonly atMs: number }> = [];
  #unplacedMs = 0;
  /** Words whose sound has not come. */
  #early: Array<[delta: string, startMs: number, endMs: number]> = [];
  /** What the model is saying was interrupted, and is dropped until it is silent. */
  #isDropping = false;
  /** The clock of the session's sound, in milliseconds. */
  #clockMs = 0;
  #quietMs = 0;
  /** It was given something to say, and has begun nothing since: until when that is waited for, by the clock. */
  #givenUntilMs: number | undefined;
  #begun: Deferred<boolean> | undefined;

  /** @param limitMs so long the model may take to begin to say what it is given, in milliseconds of its sound */
  constructor(
    private readonly deps: MouthDeps,
    private readonly limitMs: number,
  ) {}

  get isSpeaking(): boolean {
    return this.#speech !== undefined;
  }

  /** Resolves when the model is silent. */
  get silent(): Promise<void> {
    if (!this.#speech) return Promise.resolve();
    this.#silent ??= deferred();
    return this.#silent.promise;
  }

  /** Whether it is to say something that it has not begun. */
  get isToSpeak(): boolean {
    return this.#givenUntilMs !== undefined;
  }

  /** The model has been given something to say. */
  give(): void {
    this.#givenUntilMs = this.#clockMs + this.limitMs;
  }

  /** Resolves when the model has said what it was given, and is silent; or, with false, when it has let the time for it pass. */
  async said(): Promise<boolean> {
    await this.silent;
    if (!this.isToSpeak) return true;
    this.#begun ??= deferred();
    const hasBegun = await this.#begun.promise;
    await this.silent;
    return hasBegun;
  }

  /** The next sound of the stream. @param sampleRate in hertz */
  hear(pcm: Int16Array, sampleRate: number): void {
    const isSilent = levelDb(pcm) < AUDIBLE_DB;
    const ms = (pcm.length * 1_000) / sampleRate;
    const atMs = this.#clockMs;
    this.#clockMs += ms;
    this.#quietMs = isSilent ? this.#quietMs + ms : 0;
    if (this.#givenUntilMs !== undefined && atMs >= this.#givenUntilMs && !this.#speech) this.#takeBack();
    if (this.#isDropping) this.#isDropping = this.#quietMs < SILENCE_MS;
    else if (this.#speech) {
      this.#speech.audio(pcm, isSilent);
      if (this.#quietMs >= SILENCE_MS) this.finish();
    } else if (!isSilent || this.#unplaced.length > 0) {
      const isNew = this.#unplaced.length === 0;
      this.#unplaced.push({ pcm, isSilent, atMs });
      this.#unplacedMs += ms;
      if (isNew) this.deps.begins();
      this.settle(sampleRate);
    }
  }

  read(delta: string, startMs: number, endMs: number): void {
    if (this.#isDropping) return;
    if (this.#speech) this.#speech.words(delta, startMs, endMs, this.isToSpeak);
    else if (this.#early.length < MOST_WORDS) this.#early.push([delta, startMs, endMs]);
  }

  /** Begins to say what has come, as soon as it is known what it belongs to. */
  settle(sampleRate: number): void {
    const [first] = this.#unplaced;
    if (!first || this.#speech) return;
    const place = this.deps.place(this.#unplacedMs >= PLACE_MS);
    if (!place) return;
    const { utterance, wrote } = place;
    this.#place = place;
    const { push } = this.deps;
    const speech = new ContinuousSpeech({ utterance, sampleRate, startMs: first.atMs, push, ...(wrote && { wrote }) });
    this.#speech = speech;
    this.#takeBack(true);
    for (const words of this.#early.splice(0)) speech.words(...words);
    for (const { pcm, isSilent } of this.#unplaced.splice(0)) speech.audio(pcm, isSilent);
    this.#unplacedMs = 0;
  }

  /** What is being said is over. */
  finish(): void {
    if (!this.#speech) return;
    this.#speech.finish();
    if (this.isToSpeak) this.#givenUntilMs = this.#clockMs + Math.min(this.limitMs, GIVEN_MS);
    this.#end(true);
    this.deps.finished();
  }

  /** What is being said breaks off. */
  breakOff(): void {
    if (this.#speech) this.#place?.cut?.(this.#speech.saidUntil(this.#clockMs));
    this.finish();
  }

  /** What is being said is heard no more. */
  drop(): void {
    this.#isDropping ||= this.#speech !== undefined || this.#unplaced.length > 0;
    this.#quietMs = 0;
    this.#forget();
    this.#takeBack();
    this.#end(false);
  }

  /** Another session has a clock of its own. */
  renew(): void {
    this.breakOff();
    this.#clockMs = 0;
    this.#isDropping = false;
    this.#forget();
    this.#takeBack();
  }

  /** What it was given is not waited for any more. */
  #takeBack(hasBegun = false): void {
    this.#givenUntilMs = undefined;
    this.#begun?.resolve(hasBegun);
    this.#begun = undefined;
  }

  #forget(): void {
    this.#unplaced = [];
    this.#unplacedMs = 0;
    this.#early = [];
  }

  #end(isWhole: boolean): void {
    const place = this.#place;
    this.#speech = undefined;
    this.#place = undefined;
    place?.over(isWhole);
    this.#silent?.resolve();
    this.#silent = undefined;
  }
}
