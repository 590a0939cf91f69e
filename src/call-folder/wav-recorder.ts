import { FRAME_MS } from '../audio/frame.js';
import type { CallTape } from '../call/call-tape.js';
import type { Disk } from './disk-thread.js';
import { HeardQueue, type LateSpeech } from './heard-queue.js';
import { WavFile } from './wav-file.js';

/** How much of both sides is written at once, in milliseconds, and for how long it can be changed: a second less a little, which a crash costs. */
const PAGE_MS = 600;
const KEPT_MS = 300;
/** How often it is looked whether the caller's audio still comes, in milliseconds. */
const LOOK_EVERY_MS = 250;
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
  /** When the first sample of the file is, milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** How long what we send takes to be heard and answered, in milliseconds. */
  readonly delayMs?: number;
  readonly disk: Disk;
  /** Monotonic milliseconds. Default: the system's clock. */
  readonly now?: () => number;
  /** The first audio is there. @param sampleRate hertz */
  onStarted(sampleRate: number): void;
  /** Nothing more is recorded. Called once. */
  onFailed(error: Error): void;
}

interface Held {
  /** Of the caller's audio; 0 for something else. */
  readonly samples: number;
  readonly act: () => void;
}

/**
 * Records a call as its caller hears it: left the caller as received, right the bot as heard. Time is what the caller's audio
 * takes, for the far end plays the bot's by the same clock; where the caller's does not come, the clock of this machine goes on.
 */
export class WavRecorder implements CallTape {
  readonly #now: () => number;
  /** Of {@link #now}: when the first sample is. */
  readonly #originMs: number;
  #file: WavFile | undefined;
  #heard: HeardQueue | undefined;
  #look: NodeJS.Timeout | undefined;
  /** Samples in a millisecond. */
  #perMs = 8;
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
  #isOver = false;

  constructor(private readonly options: WavRecorderOptions) {
    this.#now = options.now ?? (() => performance.now());
    this.#originMs = this.#now() - (Date.now() - options.startedAt);
  }

  received(pcm: Int16Array, sampleRate: number): void {
    if (this.#isOver) return;
    const file = this.#file ?? this.#begin(sampleRate);
    if (this.#held) {
      this.#hold(pcm);
      return;
    }
    const late = this.#clock - file.position;
    if (this.#isClocked || late > LATE_MS * this.#perMs) {
      this.#beginHolding();
      this.#hold(pcm);
    } else if (late > -MAX_AHEAD_MS * this.#perMs) this.#pass(pcm, pcm.length);
  }

  sent(pcm: Int16Array, sampleRate: number): boolean {
    if (this.#isOver) return false;
    if (!this.#file) this.#begin(sampleRate);
    this.#happen((heard, at) => heard.sent(pcm, at));
    return this.#heard?.takeWish() ?? false;
  }

  marked(name: string): void {
    this.#happen((heard) => heard.marked(name));
  }

  played(name: string): void {
    this.#happen((heard, at) => {
      const late = heard.played(name, at);
      if (late) heard.moved(late, this.#move(late));
    });
  }

  cleared(): void {
    this.#happen((heard, at) => heard.cleared(at));
  }

  dropped(): void {
    this.#happen((heard, at) => {
      const more = heard.hasDropped(at);
      if (more && !this.#isPaused) this.#file?.setRight(more.at, more.pcm);
    });
  }

  streamOver(): void {
    this.#happen((heard) => heard.over());
    this.#show();
    this.#isClocked = true;
  }

  /** Both sides are silent from here on. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#show();
    this.#isOver = true;
    clearInterval(this.#look);
    this.#heard?.over();
    await this.#file?.close();
  }

  /** Where the recording should be by the clock, in samples. */
  get #clock(): number {
    return Math.round((this.#now() - this.#originMs) * this.#perMs);
  }

  #begin(sampleRate: number): WavFile {
    const { path, delayMs = 0, disk, onStarted } = this.options;
    this.#perMs = sampleRate / 1_000;
    this.#heard = new HeardQueue(sampleRate, delayMs * this.#perMs);
    this.#file = new WavFile({
      path,
      sampleRate,
      pageMs: PAGE_MS,
      keptMs: KEPT_MS,
      disk,
      onFailed: (error) => this.#fail(error),
    });
    this.#look = setInterval(() => this.#lookAtClock(), LOOK_EVERY_MS).unref();
    onStarted(sampleRate);
    return this.#file;
  }

  #fail(error: Error): void {
    this.#isOver = true;
    clearInterval(this.#look);
    this.#held = undefined;
    this.options.onFailed(error);
  }

  /** Something happens at the far end behind what has come in so far. */
  #happen(act: (heard: HeardQueue, at: number) => void): void {
    const [heard, file] = [this.#heard, this.#file];
    if (this.#isOver || !heard || !file) return;
    if (this.#held) this.#held.push({ samples: 0, act: () => act(heard, file.position) });
    else {
      if (this.#isClocked) this.#followClock();
      act(heard, file.position);
    }
  }

  /** The beginning of speech that is written already stays where it is; in the middle the silence stands as near as it can. */
  #move({ from, to, by, isBeginning }: LateSpeech): Int16Array | undefined {
    const file = this.#file;
    if (!file || this.#isPaused || (isBeginning && from < file.changeableFrom)) return undefined;
    return file.moveRight(Math.max(from, file.changeableFrom), to, by);
  }

  #lookAtClock(): void {
    const late = this.#clock - (this.#file?.position ?? 0);
    if (this.#held) {
      if (this.#now() > this.#showUntilMs + SHOW_MS) this.#show(); // no more has come
    } else if (this.#isClocked || late > STALLED_MS * this.#perMs) {
      this.#isClocked = true;
      this.#followClock();
    }
  }

  #followClock(): void {
    this.#wait(this.#clock - (this.#file?.position ?? 0));
  }

  /** Time goes by in which nothing of the caller's comes in. */
  #wait(samples: number): void {
    const frame = FRAME_MS * this.#perMs;
    for (let left = samples; left > 0; left -= frame) {
      if (this.#heard?.isSilent) {
        this.#file?.skip(left);
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
    this.#held?.push({ samples: pcm.length, act: () => this.#pass(pcm, pcm.length) });
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
    const missing = this.#clock - (this.#file?.position ?? 0) - this.#heldSamples;
    if (this.#isNewStream || missing > BURST_SLACK_MS * this.#perMs) this.#wait(missing);
    let ahead = missing < -MAX_AHEAD_MS * this.#perMs ? -missing : 0;
    for (const { samples, act } of held) {
      if (samples === 0 || ahead <= 0) act();
      ahead -= samples;
    }
  }

  #pass(caller: Int16Array | undefined, samples: number): void {
    const [heard, file] = [this.#heard, this.#file];
    if (!heard || !file) return;
    const bot = heard.take(samples, file.position);
    if (this.#isPaused) file.write(undefined, undefined, samples);
    else file.write(caller, bot, samples);
  }
}
