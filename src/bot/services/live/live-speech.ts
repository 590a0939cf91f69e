import {
  type Frame,
  OutputAudioFrame,
  TTSStartedFrame,
  TTSStoppedFrame,
  TTSTextFrame,
  TTSTimingFrame,
  type Utterance,
} from '../../pipeline/frames/index.js';
import { estimateWords } from '../tts/estimate-words.js';
import type { LiveAnswerListener } from './live-answer.js';
import { WrittenSpeech } from './written-speech.js';

export interface LiveSpeechOptions {
  readonly utterance: Utterance;
  /** Of its audio, in hertz. */
  readonly sampleRate: number;
  /** Which one speaks. */
  readonly voice: string;
  push(frame: Frame): void;
  /** Its first sound has come. */
  began(): void;
  /** More of what is said, in writing. */
  wrote?(text: string): void;
  /** Of what was written only this was said. */
  cut?(text: string): void;
}

/** Puts an answer of a session into frames: its sound as it comes, its words before the sound that comes with them. */
export class LiveSpeech implements LiveAnswerListener {
  readonly #speech: WrittenSpeech;
  /** What counts of it, where it was cut. */
  #cut: string | undefined;
  /** Words that came before the first sound. */
  #waiting = '';
  #hasStarted = false;
  /** When its first sound came; monotonic, in milliseconds. */
  firstAudioAt: number | undefined;

  constructor(private readonly options: LiveSpeechOptions) {
    this.#speech = new WrittenSpeech(options.voice, options.sampleRate);
  }

  get utterance(): Utterance {
    return this.options.utterance;
  }

  /** Whether there is anything to hear. */
  get hasSpoken(): boolean {
    return this.#hasStarted;
  }

  /** All words so far. */
  get written(): string {
    return this.#speech.text;
  }

  text(delta: string): void {
    this.#speech.write(delta);
    this.options.wrote?.(delta);
    if (this.#hasStarted) this.#write(delta);
    else this.#waiting += delta;
  }

  /** It goes on elsewhere: of what was written that counts which was said, without the word that was cut. */
  again(): void {
    if (this.#hasStarted) this.#cut = this.#speech.cut();
    else this.#speech.clear();
    this.#waiting = '';
    this.options.cut?.(this.#cut ?? '');
  }

  audio(pcm: Int16Array): void {
    if (pcm.length === 0) return;
    const { utterance, sampleRate, push } = this.options;
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      this.firstAudioAt = performance.now();
      this.options.began();
      push(new TTSStartedFrame(utterance));
      this.#write(this.#waiting);
    }
    this.#speech.hear(pcm);
    push(new OutputAudioFrame(pcm, sampleRate));
  }

  /** Nothing follows. @param unwritten what it was to say, where the session has not written it down */
  finish(unwritten = ''): void {
    if (!this.#hasStarted) return;
    const { utterance, sampleRate, push } = this.options;
    if (this.written === '') this.text(unwritten);
    else if (this.#cut === undefined) this.#speech.learn();
    const words = estimateWords(this.#cut ?? this.written, this.#speech.audio, sampleRate);
    if (words.length > 0) push(new TTSTimingFrame(utterance, words));
    push(new TTSStoppedFrame(utterance));
  }

  #write(text: string): void {
    if (text !== '') this.options.push(new TTSTextFrame(this.options.utterance, text));
  }
}
