import type { VoiceDetector } from '../../src/base/audio/voice-detector.js';
import { percentile } from '../statistics.js';
import type { CallerLine } from './caller-line.js';
import { BLOCK } from './spoken.js';

/** Blocks of 10 ms. */
const FRAME_BLOCKS = 2;
/** An onset after more than this is late. */
const LATE_BLOCKS = 20;
/** What is told as speech this shortly after it is the hangover, not a false alarm. */
const AFTERGLOW_BLOCKS = 30;
/** A start this shortly before speech is no false one. */
const EARLY_BLOCKS = 5;
/** In the beginning of a call a detector learns what its noise is. */
const LEARNING_BLOCKS = 300;
/** Pauses in which the end of speech can be told. */
const LEAST_PAUSE_BLOCKS = 50;

/** How well a detector did, over any number of lines. */
export class DetectionScore {
  #speech = 0;
  #missed = 0;
  #quiet = 0;
  #falseSpeech = 0;
  #utterances = 0;
  #lost = 0;
  #late = 0;
  #falseStarts = 0;
  #earlyStarts = 0;
  #lines = 0;
  readonly #endDelays: number[] = [];

  /** Plays a line to a detector, in frames of 20 ms. @param audio the line's, with noise */
  async take(line: CallerLine, audio: Int16Array, detector: VoiceDetector): Promise<void> {
    const told: boolean[] = [];
    for (let at = 0; at < audio.length; at += FRAME_BLOCKS * BLOCK) {
      const isSpeech = await detector.isSpeech(audio.subarray(at, at + FRAME_BLOCKS * BLOCK));
      told.push(isSpeech, isSpeech);
    }
    this.#judge(line, told);
  }

  #judge({ truth, utterances }: CallerLine, told: readonly boolean[]): void {
    this.#lines += 1;
    let sinceSpeech = Number.POSITIVE_INFINITY;
    truth.forEach((speaks, i) => {
      sinceSpeech = speaks ? 0 : sinceSpeech + 1;
      if (speaks) {
        this.#speech += 1;
        if (!told[i]) this.#missed += 1;
      } else if (sinceSpeech > AFTERGLOW_BLOCKS && i >= LEARNING_BLOCKS) {
        this.#quiet += 1;
        if (told[i]) this.#falseSpeech += 1;
      }
      const isStart = told[i] && !told[i - 1];
      if (isStart && !truth.slice(i, i + EARLY_BLOCKS).includes(true) && sinceSpeech > 1) {
        if (i < LEARNING_BLOCKS) this.#earlyStarts += 1;
        else this.#falseStarts += 1;
      }
    });
    utterances.forEach(([first, last], i) => {
      this.#utterances += 1;
      const heard = told.indexOf(true, first);
      if (heard < 0 || heard >= last) this.#lost += 1;
      else if (heard - first > LATE_BLOCKS) this.#late += 1;
      const next = utterances[i + 1]?.[0] ?? told.length;
      if (next - last < LEAST_PAUSE_BLOCKS || !told[last - 1]) return;
      const end = told.indexOf(false, last);
      this.#endDelays.push(end < 0 || end >= next ? Number.POSITIVE_INFINITY : (end - last) * 10);
    });
  }

  /** Of the frames of speech, in per cent. */
  get missed(): number {
    return (100 * this.#missed) / this.#speech;
  }

  /** Of the time without speech, in per cent; the hangover and the first three seconds of a call left out. */
  get falseSpeech(): number {
    return (100 * this.#falseSpeech) / this.#quiet;
  }

  get lostUtterances(): number {
    return (100 * this.#lost) / this.#utterances;
  }

  get lateUtterances(): number {
    return (100 * this.#late) / this.#utterances;
  }

  /** Of time without speech, the first three seconds of a call left out. */
  get falseStartsPerMinute(): number {
    return (this.#falseStarts * 6_000) / this.#quiet;
  }

  /** In the first three seconds, per call. */
  get falseStartsWhileLearning(): number {
    return this.#earlyStarts / this.#lines;
  }

  /** From the end of speech until it was told, in milliseconds; infinite when the next sentence came before. */
  endDelay(share: number): number {
    return percentile(this.#endDelays, share);
  }
}
