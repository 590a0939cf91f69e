import { joinSamples } from '../../../base/audio/join-samples.js';
import {
  type Frame,
  OutputAudioFrame,
  type TimedWord,
  TTSStartedFrame,
  TTSStoppedFrame,
  TTSTextFrame,
  TTSTimingFrame,
  type Utterance,
} from '../../pipeline/frames/index.js';
import { estimateWords } from './estimate-words.js';
import type { Phrase } from './phrase.js';

/**
 * Puts what a voice gives into frames, in the order the transport's output relies on: each text right before its audio. Keeps
 * what it has put out.
 */
export class SpokenUtterance {
  readonly #texts: string[] = [];
  /** Texts that were put out; the last of them is being spoken. */
  #opened = 0;
  #said = 0;
  #hasStarted = false;
  #samples = 0;
  readonly #audio: Int16Array[] = [];
  readonly #starts: number[] = [];
  /** How many pieces of audio stand before each text. */
  readonly #piecesBefore: number[] = [];
  readonly #words: TimedWord[] = [];
  /** Where in the open texts the last word stood. */
  #cursor = 0;
  /** The voice tells the times of its words. */
  #tellsWords = false;
  /** What was there when the voice began: its words and texts are counted from then. */
  #base = { ms: 0, texts: 0 };

  constructor(
    readonly utterance: Utterance,
    readonly sampleRate: number,
    private readonly push: (frame: Frame) => void,
  ) {}

  addText(text: string): void {
    this.#texts.push(text);
  }

  /** The voice begins to speak the texts that follow. */
  beginSpeech(): void {
    this.#tellsWords = false;
    this.#base = { ms: (this.#samples * 1_000) / this.sampleRate, texts: this.#texts.length };
  }

  audio(pcm: Int16Array): void {
    if (pcm.length === 0) return;
    this.#open(this.#said + 1);
    this.#audio.push(pcm);
    this.#samples += pcm.length;
    this.push(new OutputAudioFrame(pcm, this.sampleRate));
  }

  /** @param words counted from where the voice began */
  words(words: readonly TimedWord[]): void {
    if (words.length === 0) return;
    this.#tellsWords = true;
    this.#putOut(words);
  }

  #putOut(words: readonly TimedWord[]): void {
    this.#open(this.#said + 1);
    const { ms } = this.#base;
    const moved = words.map(({ text, startMs, endMs }) => ({ text, startMs: startMs + ms, endMs: endMs + ms }));
    for (const { text } of moved) this.#follow(text.trim());
    this.#words.push(...moved);
    this.push(new TTSTimingFrame(this.utterance, moved));
  }

  /** All audio of the first `count` texts of the voice has been put out. */
  said(count: number): void {
    const before = this.#said;
    const said = Math.min(this.#texts.length, this.#base.texts + count);
    if (!this.#tellsWords && said === before + 1) this.#estimate(before); // of several it is not known where they meet
    this.#said = said;
  }

  /** When the words of a text are spoken whose audio is all there. */
  #estimate(index: number): void {
    const [text, start] = [this.#texts[index], this.#starts[index]];
    if (text === undefined || start === undefined) return;
    const ms = (start * 1_000) / this.sampleRate - this.#base.ms;
    const words = estimateWords(text, joinSamples(this.#audio.slice(this.#piecesBefore[index])), this.sampleRate);
    this.#putOut(words.map((word) => ({ ...word, startMs: word.startMs + ms, endMs: word.endMs + ms })));
  }

  /** Says a phrase that was kept. @param text how it is written here, when that is one piece */
  replay(phrase: Phrase, text?: string): void {
    this.beginSpeech();
    const texts = text === undefined ? phrase.texts : [{ text, start: 0 }];
    for (const { text } of texts) this.addText(text);
    for (const [index, { start }] of texts.entries()) {
      const end = texts[index + 1]?.start ?? phrase.pcm.length;
      const [fromMs, toMs] = [start, end].map((at) => (at * 1_000) / phrase.sampleRate) as [number, number];
      const isLast = index === texts.length - 1;
      this.audio(phrase.pcm.slice(start, end));
      this.words(phrase.words.filter(({ startMs }) => startMs >= fromMs && (isLast || startMs < toMs)));
      this.said(index + 1);
    }
  }

  /** Nothing follows. @param isComplete all texts have been said */
  finish(isComplete: boolean): void {
    if (!this.#hasStarted) return;
    if (isComplete) this.#open(this.#texts.length);
    this.push(new TTSStoppedFrame(this.utterance));
  }

  /** What was put out, to be kept; undefined when there was nothing to hear. */
  get phrase(): Phrase | undefined {
    if (this.#samples === 0) return undefined;
    const pcm = joinSamples(this.#audio);
    const texts = this.#texts.map((text, index) => ({ text, start: this.#starts[index] ?? this.#samples }));
    return { sampleRate: this.sampleRate, pcm, texts, words: this.#words };
  }

  /** Puts out texts until `count` of them are out. */
  #open(count: number): void {
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      this.push(new TTSStartedFrame(this.utterance));
    }
    while (this.#opened < Math.min(count, this.#texts.length)) {
      this.#starts.push(this.#samples);
      this.#piecesBefore.push(this.#audio.length);
      this.push(new TTSTextFrame(this.utterance, this.#texts[this.#opened] as string));
      this.#opened += 1;
    }
  }

  /** A word of the next text is spoken: that text has begun, although the voice has not said that the one before is over. */
  #follow(word: string): void {
    const open = this.#texts.slice(0, this.#opened).join('');
    const at = open.indexOf(word, this.#cursor);
    if (at >= 0) {
      this.#cursor = at + word.length;
      return;
    }
    const next = this.#texts[this.#opened]?.indexOf(word) ?? -1;
    if (next < 0) return;
    this.#open(this.#opened + 1);
    this.#cursor = open.length + next + word.length;
  }
}
