import { setTimeout as delay } from 'node:timers/promises';
import type { FakePhone } from '../../src/lab/kit/index.js';
import { type HeardFrame, heardFrames, wordsIn, wordsOnce } from '../../test/bot/services/tts/tone-words.js';

/** What the caller hears of it, by the sound. */
export interface Heard {
  /** Longest silence before or within what the bot says next, in milliseconds; within it where that was cut. */
  readonly silenceMs: number;
  readonly lost: number;
  readonly twice: number;
  /** The apology was heard. */
  readonly isSorry: boolean;
  readonly reason: string;
}

export const GREETING = 'Hello, this is your bakery speaking.';
export const ANSWER = 'Saturdays our shop opens early, around eight thirty until noon.';
export const ANNOUNCED = 'Hold while another colleague picks up.';
export const APOLOGY = 'Sorrysorry.';
export const HOLD = 'Onemoment.';
/** All that the caller may hear. */
export const ALL = [GREETING, ANSWER, ANNOUNCED, APOLOGY, HOLD];
/** Longest that anything is waited for, in milliseconds of the call. */
const LIMIT_MS = 25_000;

/** @param said what the caller was to hear */
export function judged(frames: readonly HeardFrame[], said: string, reason: string): Heard {
  const words = wordsIn(frames);
  const times = wordsOnce(said).map((word) => words.filter((one) => one === word).length);
  const last = frames.findLastIndex(({ word }) => word !== undefined);
  let [silence, longest] = [0, 0];
  for (const { word } of frames.slice(0, last + 1)) {
    silence = word === undefined ? silence + 10 : 0;
    longest = Math.max(longest, silence);
  }
  return {
    silenceMs: longest,
    lost: times.filter((count) => count === 0).length,
    twice: times.filter((count) => count > 1).length,
    isSorry: words.some((word) => word.startsWith(APOLOGY)),
    reason,
  };
}

/** What a caller hears, as it comes. */
export class Listener {
  readonly frames: HeardFrame[] = [];
  #isOver = false;

  constructor(private readonly phone: FakePhone) {
    void phone.ended.then(() => {
      this.#isOver = true;
    });
  }

  /** Waits for the last word of a text, and the end of the call or a limit at the latest. */
  hears(text: string, from: number): Promise<void> {
    const last = wordsOnce(text).at(-1);
    return this.until((frames) => wordsIn(frames.slice(Math.max(from, frames.length - 200))).includes(last ?? ''));
  }

  async until(isSo: (frames: readonly HeardFrame[]) => boolean): Promise<void> {
    for (let ms = 0; ms < LIMIT_MS; ms += 50) {
      const isOver = this.#isOver;
      const heard = this.phone.heard.subarray(this.frames.length * 80);
      this.frames.push(...heardFrames(heard, 8_000, ALL));
      if (isOver || isSo(this.frames)) return;
      await delay(50);
    }
  }
}
