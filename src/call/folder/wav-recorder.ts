import { FRAME_MS } from '../../base/audio/frame.js';
import { HeardQueue, type LateSpeech } from './heard-queue.js';
import { WavFile } from './wav-file.js';

/** How much of both sides is written at once, in milliseconds, and for how long it can be changed: a second less a little, which a crash costs. */
const PAGE_MS = 560;
const KEPT_MS = 300;
/** How late the caller's audio may be, in milliseconds, before it has to show whether it comes in a burst or begins anew. */
const LATE_MS = 200;
/** How long it gets for that, in milliseconds. */
const SHOW_MS = 60;
/** What is missing after a burst, in milliseconds, when nothing is: bursts end a little early or late. */
const BURST_SLACK_MS = 100;
/** How long nothing may come on a stream, in milliseconds, before time goes on without it: longer than until it counts as lost. */
const STALLED_MS = 7_000;
/** How far the caller's audio may be ahead of the time, in milliseconds: its time has been recorded as silence already. */
const MAX_AHEAD_MS = 1_000;

export interface WavRecorderOptions {
  readonly path: string;
  /** Hertz. */
  readonly sampleRate: number;
  /** When the first sample of the file is, milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** How long what we send takes to be heard and answered, in milliseconds. */
  readonly delayMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

interface Held {
  /** Of the caller's audio; 0 for something else. */
  readonly samples: number;
  readonly act: () => void;
}

/**
 * Records a call as its caller hears it: left the caller as received, right the bot as heard. Time is what the caller's audio
 * takes, for the far end plays the bot's by the same clock; where the caller's does not come, the clock of this machine goes on.
 * What happens to the audio is told as to a {@link CallTape}, but the samples are worthless when a function returns. Each of them
 * throws the system's error.
 */
export class WavRecorder {
  readonly #now: () => number;
  /** Of {@link #now}: when the first sample is. */
  readonly #originMs: number;
  readonly #file: WavFile;
  readonly #heard: HeardQueue;
  /** Samples in a millisecond. */
  readonly #perMs: number;
  /** Time goes by the clock: no stream is there, or nothing comes on it. */
  #isClocked = true;
  /** The caller's audio that has to show whether it is a burst, and what else has happened meanwhile. */
  #held: Held[] | undefined;
  #heldSamples = 0;
  /** Of {@link #heldSamples}, since the last look. */
  #newSamples = 0;
  #showUntilMs = 0;
  #isNewStream = false;
  #isPaused = false;

  constructor({ path, sampleRate, startedAt, delayMs, now }: WavRecorderOptions) {
    this.#now = now;
    this.#originMs = now() - (Date.now() - startedAt);
    this.#perMs = sampleRate / 1_000;
    this.#heard = new HeardQueue(sampleRate, delayMs * this.#perMs);
    this.#file = new WavFile({ path, sampleRate, pageMs: PAGE_MS, keptMs: KEPT_MS });
  }

  received(pcm: Int16Array): void {
    if (this.#held) {
      this.#hold(pcm);
      return;
    }
    const late = this.#clock - this.#file.position;
    if (this.#isClocked || late > LATE_MS * this.#perMs) {
      this.#beginHolding();
      this.#hold(pcm);
    } else if (late > -MAX_AHEAD_MS * this.#perMs) this.#pass(pcm, pcm.length);
  }

  sent(pcm: Int16Array): void {
    const kept = this.#held ? pcm.slice() : pcm;
    this.#happen((at) => this.#heard.sent(kept, at));
  }

  marked(name: string): void {
    this.#happen(() => this.#heard.marked(name));
  }

  played(name: string): void {
    this.#happen((at) => {
      const late = this.#heard.played(name, at);
      if (late) this.#heard.moved(late, this.#move(late));
    });
  }

  cleared(): void {
    this.#happen((at) => this.#heard.cleared(at));
  }

  dropped(): void {
    this.#happen((at) => {
      const more = this.#heard.hasDropped(at);
      if (more && !this.#isPaused) this.#file.setRight(more.at, more.pcm);
    });
  }

  streamOver(): void {
    this.#happen(() => this.#heard.over());
    this.#show();
    this.#isClocked = true;
  }

  pause(): void {
    this.#happen(() => {
      this.#isPaused = true;
    });
  }

  resume(): void {
    this.#happen(() => {
      this.#isPaused = false;
    });
  }

  /** Some time has gone by: does the caller's audio still come? */
  look(): void {
    const late = this.#clock - this.#file.position;
    if (this.#held) {
      if (this.#now() > this.#showUntilMs + SHOW_MS) this.#show(); // no more has come
    } else if (this.#isClocked || late > STALLED_MS * this.#perMs) {
      this.#isClocked = true;
      this.#followClock();
    }
  }

  /** Writes the rest: nothing more comes. */
  finish(): void {
    this.#show();
    this.#heard.over();
    this.#file.finish();
  }

  /** Lets go of the file. Never throws. */
  release(): void {
    this.#file.release();
  }

  /** Where the recording should be by the clock, in samples. */
  get #clock(): number {
    return Math.round((this.#now() - this.#originMs) * this.#perMs);
  }

  /** Something happens at the far end behind what has come in so far. */
  #happen(act: (at: number) => void): void {
    if (this.#held) this.#held.push({ samples: 0, act: () => act(this.#file.position) });
    else {
      if (this.#isClocked) this.#followClock();
      act(this.#file.position);
    }
  }

  /** The beginning of speech that is written already stays where it is; in the middle the silence stands as near as it can. */
  #move({ from, to, by, isBeginning }: LateSpeech): Int16Array | undefined {
    const file = this.#file;
    if (this.#isPaused || (isBeginning && from < file.changeableFrom)) return undefined;
    return file.moveRight(Math.max(from, file.changeableFrom), to, by);
  }

  #followClock(): void {
    this.#wait(this.#clock - this.#file.position);
  }

  /** Time goes by in which nothing of the caller's comes in. */
  #wait(samples: number): void {
    const frame = FRAME_MS * this.#perMs;
    for (let left = samples; left > 0; left -= frame) {
      if (this.#heard.isSilent) {
        this.#file.skip(left);
        return;
      }
      this.#pass(undefined, Math.min(left, frame));
    }
  }

  #beginHolding(): void {
    this.#isNewStream = this.#isClocked;
    this.#isClocked = false;
    this.#held = [];
    this.#heldSamples = 0;
    this.#newSamples = 0;
    this.#showUntilMs = this.#now() + SHOW_MS;
  }

  #hold(pcm: Int16Array): void {
    const kept = pcm.slice();
    this.#held?.push({ samples: kept.length, act: () => this.#pass(kept, kept.length) });
    this.#heldSamples += pcm.length;
    this.#newSamples += pcm.length;
    if (this.#now() < this.#showUntilMs) return;
    if (this.#newSamples < 2 * SHOW_MS * this.#perMs) this.#show();
    else {
      this.#newSamples = 0;
      this.#showUntilMs = this.#now() + SHOW_MS;
    }
  }

  /** What was held takes its place: behind a burst nothing is missing, otherwise time has gone by without the caller. */
  #show(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    const missing = this.#clock - this.#file.position - this.#heldSamples;
    if (this.#isNewStream || missing > BURST_SLACK_MS * this.#perMs) this.#wait(missing);
    let ahead = missing < -MAX_AHEAD_MS * this.#perMs ? -missing : 0;
    for (const { samples, act } of held) {
      if (samples === 0 || ahead <= 0) act();
      ahead -= samples;
    }
  }

  #pass(caller: Int16Array | undefined, samples: number): void {
    const bot = this.#heard.take(samples, this.#file.position);
    if (this.#isPaused) this.#file.write(undefined, undefined, samples);
    else this.#file.write(caller, bot, samples);
  }
}
