import { VOICE_FRAMES } from '../conversation/voice.js';
import { dist } from '../processes/dist.js';

const { levelDb } = await dist<typeof import('../../src/base/audio/level.js')>('base/audio/level.js');
const { decodeMulaw } = await dist<typeof import('../../src/base/audio/mulaw.js')>('base/audio/mulaw.js');

export const FRAME_MS = 20;
/** Louder than this is heard, in dBFS. */
const AUDIBLE_DB = -45;
/** Longest that anything is waited for, in milliseconds of the call. */
const LIMIT_MS = 20_000;

/** A caller who speaks when told to, and notes when something is heard. Counts in frames of 20 ms since the answer. */
export class PhoneCaller {
  /** Of each frame. */
  readonly #isHeard: boolean[] = [];
  readonly #isSaid: boolean[] = [];
  readonly #waiting = new Set<() => void>();
  #toSay = 0;

  /** What is said while this is heard. */
  readonly exchange = (heard: Uint8Array): Uint8Array | undefined => {
    this.#isHeard.push(levelDb(decodeMulaw(heard)) > AUDIBLE_DB);
    this.#isSaid.push(this.#toSay > 0);
    const said = this.#toSay > 0 ? VOICE_FRAMES[this.#toSay % VOICE_FRAMES.length] : undefined;
    if (said) this.#toSay -= 1;
    for (const look of this.#waiting) look();
    return said;
  };

  get frames(): number {
    return this.#isHeard.length;
  }

  /** Speaks for so long. Resolves with the first frame of it and the one behind it. */
  async speak(ms: number): Promise<{ from: number; to: number }> {
    const from = this.frames;
    this.#toSay = Math.ceil(ms / FRAME_MS);
    await this.until(() => this.#toSay === 0, 'the caller has spoken');
    return { from, to: this.frames };
  }

  /** Resolves when so much in all has been heard since a frame. @returns the first frame that was */
  async hears(since: number, ms = FRAME_MS): Promise<number> {
    const heard = () => this.#isHeard.slice(since).filter(Boolean).length * FRAME_MS;
    await this.until(() => heard() >= ms, 'the bot is heard');
    return this.#isHeard.indexOf(true, since);
  }

  /** Resolves when nothing has been heard for so long, since a frame at the earliest. @returns the first frame of that */
  async hearsNothing(since: number, ms: number): Promise<number> {
    const frames = ms / FRAME_MS;
    const from = () => Math.max(since, this.#isHeard.lastIndexOf(true) + 1);
    await this.until(() => this.frames - from() >= frames, 'the bot is silent');
    return from();
  }

  async until(isSo: () => boolean, what: string): Promise<void> {
    const last = this.frames + LIMIT_MS / FRAME_MS;
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!isSo() && this.frames < last) return;
        this.#waiting.delete(look);
        if (isSo()) resolve();
        else reject(new Error(`not within ${LIMIT_MS} ms: ${what}`));
      };
      this.#waiting.add(look);
      look();
    });
  }
}
