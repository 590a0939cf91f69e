import { decodeMulaw } from '../../src/base/audio/mulaw.js';
import { amplitude } from '../carriers/handovers/tones.js';
import type { FakeCaller } from '../sandbox/fake-caller.js';

/** What a telephone hears in 20 ms. `other`: a sound that is none of the tones. */
export type Heard = 'caller' | 'colleague' | 'bot' | 'announcement' | 'briefing' | 'hold' | 'silence' | 'other';

/** In hertz: each is said or played by one only. */
export const PITCHES: ReadonlyArray<readonly [Exclude<Heard, 'silence' | 'other'>, number]> = [
  ['caller', 1_200],
  ['colleague', 400],
  ['bot', 700],
  ['announcement', 900],
  ['briefing', 1_500],
  ['hold', 2_100],
];
/** Tones have an amplitude of 8000, and what begins or ends within 20 ms a little of all others. */
const LOUD = 4_000;
const SILENT = 300;
/** Of 20 ms each: what is shorter is the edge of a sound, or a gap that a busy machine makes. */
const SHORTEST_RUN = 4;
const SHORTEST_SILENCE = 15;

/** A sound, and when it began, in milliseconds. */
export interface Run {
  readonly heard: string;
  readonly fromMs: number;
  readonly frames: number;
}

/** Writes down what a telephone hears, and when: 20 ms each. */
export class TimedEar {
  readonly #at: number[] = [];
  readonly #heard: string[] = [];

  /** @param says a tone, all the time */
  constructor(
    readonly phone: FakeCaller,
    says: () => Uint8Array,
  ) {
    phone.says = () => {
      this.#at.push(performance.now());
      this.#heard.push(inFrame(phone.heard.all.at(-1) as Uint8Array));
      return says();
    };
  }

  /** Whether this has been heard for so many frames, up to now. */
  hears(heard: Heard, frames = 10): boolean {
    const latest = this.#heard.slice(-frames);
    return latest.length === frames && latest.every((one) => one === heard);
  }

  /** Whether this has been heard at all between two moments. */
  hasHeard(heard: Heard, fromMs = 0, toMs = Number.POSITIVE_INFINITY): boolean {
    return this.runs(fromMs, toMs).some((run) => run.heard.split('+').includes(heard));
  }

  /** What was heard between two moments, as `performance.now` tells them, without sounds that are shorter than 80 ms, and silences below 300 ms. */
  runs(fromMs: number, toMs: number): Run[] {
    const runs: Array<{ heard: string; fromMs: number; frames: number }> = [];
    const add = (heard: string, at: number, frames: number) => {
      const last = runs.at(-1);
      if (last?.heard === heard) last.frames += frames;
      else runs.push({ heard, fromMs: at, frames });
    };
    let pending: { heard: string; at: number; frames: number } | undefined;
    for (const [n, at] of this.#at.entries()) {
      const heard = this.#heard[n] as string;
      if (at < fromMs || at > toMs) continue;
      if (pending?.heard === heard) pending.frames += 1;
      else pending = { heard, at, frames: 1 };
      const shortest = heard === 'silence' ? SHORTEST_SILENCE : SHORTEST_RUN;
      if (pending.frames === shortest) add(heard, pending.at, shortest);
      else if (pending.frames > shortest) add(heard, at, 1);
    }
    return runs;
  }
}

function inFrame(frame: Uint8Array): string {
  const samples = decodeMulaw(frame);
  const tones = PITCHES.filter(([, hertz]) => amplitude(samples, hertz) > LOUD).map(([heard]) => heard);
  if (tones.length > 0) return [...new Set(tones)].join('+');
  const level = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
  return level < SILENT ? 'silence' : 'other';
}
