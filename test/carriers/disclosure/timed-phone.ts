import { levelDb } from '../../../src/base/audio/level.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { FakeCaller } from '../../sandbox/fake-caller.js';

const LOUD_DB = -45;
const FRAME_MS = 20;

/** A telephone that waits for a call, and knows when it has heard what. */
export class TimedPhone implements AsyncDisposable {
  readonly #times: number[] = [];

  private constructor(readonly phone: FakeCaller) {
    const says = phone.says;
    phone.says = (frame) => {
      this.#times.push(Date.now());
      return this.says?.(frame) ?? says(frame);
    };
  }

  says: ((frame: number) => Uint8Array | undefined) | undefined;

  /** Says what it hears, at once. */
  echo(): void {
    this.says = () => this.phone.heard.all.at(-1);
  }

  static async attending(sandbox: Sandbox, number: string): Promise<TimedPhone> {
    return new TimedPhone(await FakeCaller.attending(sandbox, number));
  }

  /** Stretches of sound with at most half a second of silence in them; when each began and ended, and whether it is the bot's tone. */
  get sounds(): Array<{ from: number; to: number; isTone: boolean }> {
    const stretches: Array<{ from: number; to: number; tones: number; frames: number; isTone: boolean }> = [];
    for (const [n, frame] of this.phone.heard.all.entries()) {
      const at = this.#times[n] as number;
      const pcm = decodeMulaw(frame);
      if (levelDb(pcm) < LOUD_DB) continue;
      const isTone = toneShare(pcm) > 0.8;
      const last = stretches.at(-1);
      if (last && at - last.to < 500 && last.isTone === isTone) last.to = at;
      else stretches.push({ from: at - FRAME_MS, to: at, tones: 0, frames: 0, isTone });
    }
    return stretches.map(({ from, to, isTone }) => ({ from, to, isTone }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.phone[Symbol.asyncDispose]();
  }
}

/** How much of a frame's power is at 600 hertz. */
function toneShare(pcm: Int16Array): number {
  let [real, imaginary, power] = [0, 0, 0];
  for (const [n, sample] of pcm.entries()) {
    real += sample * Math.cos((2 * Math.PI * 600 * n) / 8_000);
    imaginary += sample * Math.sin((2 * Math.PI * 600 * n) / 8_000);
    power += sample * sample;
  }
  return power === 0 ? 0 : (2 * (real * real + imaginary * imaginary)) / (pcm.length * power);
}
