import { type Deferred, deferred } from '../../../base/async/deferred.js';
import type { CallTimeline } from '../../../call/timeline.js';
import type { Frame, Turn, Utterance } from '../../pipeline/frames/index.js';
import type { Phrase } from './phrase.js';
import { SentenceSplitter } from './sentence-splitter.js';
import { SpeakableText } from './speakable-text.js';
import { SpokenUtterance } from './spoken-utterance.js';
import type { Speech, Voice } from './voice.js';

export interface UtteranceJobOptions {
  readonly utterance: Utterance;
  readonly voice: Voice;
  push(frame: Frame): void;
  /** Where it is noted when the voice is asked. */
  readonly timeline?: CallTimeline | undefined;
  /** Of the text, BCP 47. Default `en`. */
  readonly language?: string | undefined;
  /** A phrase that need not be made. */
  recall?(text: string): Phrase | undefined;
}

/** Says one text that may still be growing. */
export class UtteranceJob {
  readonly #splitter = new SentenceSplitter();
  readonly #speakable: SpeakableText;
  readonly #output: SpokenUtterance;
  readonly #done: Deferred<void> = deferred();
  #speech: Speech | undefined;
  #hasRepeated = false;
  /** When the voice was asked, and how long its first audio took; both in monotonic milliseconds. */
  #askedAt = 0;
  #firstAudioMs: number | undefined;
  #state: 'speaking' | 'said' | 'failed' | 'cancelled' = 'speaking';
  /** Behind the first piece of an answer that was asked for early: they wait until it is known that the answer is wanted. */
  #waiting: string[] | undefined;
  #isEnded = false;
  #hasBegun = false;

  constructor(private readonly options: UtteranceJobOptions) {
    this.#speakable = new SpeakableText(options.language);
    this.#output = new SpokenUtterance(options.utterance, options.voice.sampleRate, (frame) => options.push(frame));
    const turn = options.utterance.response?.turn;
    if (turn && !turn.isReleased) this.#awaitDecision(turn);
  }

  get utterance(): Utterance {
    return this.options.utterance;
  }

  get isCancelled(): boolean {
    return this.#state === 'cancelled';
  }

  get isSaid(): boolean {
    return this.#state === 'said';
  }

  /** The voice has given up on it. */
  get hasFailed(): boolean {
    return this.#state === 'failed';
  }

  /** What was said, to be kept; only when it was said to its end, and nothing of it twice. */
  get phrase(): Phrase | undefined {
    return this.#state === 'said' && !this.#hasRepeated ? this.#output.phrase : undefined;
  }

  write(text: string): void {
    for (const piece of this.#splitter.push(text)) this.#say(piece);
  }

  /** No more text follows. Resolves when all audio has been put out, or none will follow; never rejects. */
  end(): Promise<void> {
    for (const piece of this.#splitter.end()) this.#say(piece);
    this.#isEnded = true;
    if (!this.#waiting?.length) this.#endSpeech();
    return this.#done.promise;
  }

  /** Says a whole phrase that was kept, and nothing else. */
  replay(phrase: Phrase): void {
    this.#markRequested();
    this.#markAudio();
    this.#output.replay(phrase);
    this.#finish('said');
  }

  /** Stops at once: nothing is put out any more. */
  cancel(): void {
    if (this.#state !== 'speaking') return;
    this.#state = 'cancelled';
    this.#speech?.cancel();
    this.#noteAnswer('cancelled');
    this.#done.resolve();
  }

  #awaitDecision(turn: Turn): void {
    this.#waiting = [];
    void turn.decided.then((isWanted) => {
      const pieces = this.#waiting ?? [];
      this.#waiting = undefined;
      if (isWanted) {
        for (const piece of pieces) this.#speakPiece(piece);
        if (this.#isEnded && pieces.length > 0) this.#endSpeech();
      } else if (this.#state === 'speaking') {
        this.cancel();
        this.#output.finish(false);
      }
    });
  }

  #endSpeech(): void {
    if (this.#speech) this.#speech.end();
    else this.#finish('said');
  }

  #say(piece: string): void {
    const text = this.#speakable.of(piece);
    if (text === '' || this.#state !== 'speaking') return;
    if (this.#waiting && this.#hasBegun) this.#waiting.push(text);
    else this.#speakPiece(text);
  }

  #speakPiece(text: string): void {
    if (this.#state !== 'speaking') return;
    this.#hasBegun = true;
    this.#markRequested();
    const phrase = this.#speech ? undefined : this.options.recall?.(text);
    if (phrase) {
      this.#markAudio();
      this.#output.replay(phrase, text);
      return;
    }
    if (!this.#speech) {
      this.#output.beginSpeech();
      this.#speech = this.#speak();
    }
    this.#output.addText(text);
    this.#speech.say(text);
  }

  #speak(): Speech {
    const { id, response } = this.utterance;
    this.#askedAt = performance.now();
    this.options.timeline?.note({ type: 'voice_asked', utterance: id, turn: response?.turn.id });
    return this.options.voice.speak({
      audio: (pcm) => {
        this.#markAudio();
        this.#firstAudioMs ??= performance.now() - this.#askedAt;
        if (this.#state === 'speaking') this.#output.audio(pcm);
      },
      words: (words) => {
        if (this.#state === 'speaking') this.#output.words(words);
      },
      said: (count) => this.#output.said(count),
      repeats: () => {
        this.#hasRepeated = true;
      },
      done: () => this.#finish('said'),
      failed: () => this.#finish('failed'),
    });
  }

  #finish(state: 'said' | 'failed'): void {
    if (this.#state !== 'speaking') return;
    this.#state = state;
    this.#noteAnswer(state);
    this.#output.finish(state === 'said');
    this.#done.resolve();
  }

  #noteAnswer(outcome: 'said' | 'failed' | 'cancelled'): void {
    if (!this.#speech) return;
    const ms = performance.now() - this.#askedAt;
    const of = { utterance: this.utterance.id, ms, firstAudioMs: this.#firstAudioMs };
    this.options.timeline?.note({ type: 'voice_answered', ...of, outcome });
  }

  #markRequested(): void {
    this.utterance.response?.turn.mark('speechRequested');
  }

  #markAudio(): void {
    this.utterance.response?.turn.mark('firstAudio');
  }
}
