import { levelDb } from '../base/audio/level.js';

/** One frame in this many is listened to: two in a second. */
const LISTEN_EVERY = 25;
/** Audio above this level counts as speech, in dBFS. */
const SPEECH_DB = -45;

/** Whether this stretch of audio counts as speech. */
export const isSpeech = (pcm: Int16Array): boolean => levelDb(pcm) > SPEECH_DB;

export interface SilenceWatchOptions {
  /** Longest silence of both sides, in milliseconds; 0 means any length. */
  readonly limitMs: number;
  /** Whether silence means nothing at the moment: the limit then begins afresh. Default: never. */
  readonly isExcused?: () => boolean;
  /** Called once, when neither side has said anything for as long as the limit. */
  readonly onSilence: () => void;
}

/** Waits for both sides of a call to be silent for too long. Its owner, which hears them, tells it: by the frame, or that there was something. */
export class SilenceWatch {
  #timer: NodeJS.Timeout | undefined;
  #frames = 0;
  #hasBotSpoken = false;
  #isOver = false;

  constructor(private readonly options: SilenceWatchOptions) {}

  /** The limit begins, again when it has begun already. */
  start(): void {
    clearTimeout(this.#timer);
    if (this.#isOver || this.options.limitMs <= 0) return;
    this.#timer = setTimeout(() => this.#check(), this.options.limitMs);
  }

  /** The caller or the bot has said something, or the caller has pressed a key. */
  activity(): void {
    if (!this.#isOver) this.#timer?.refresh();
  }

  /** 20 ms of what the bot hears. */
  hear(pcm: Int16Array): void {
    if (!this.#timer) return;
    this.#frames += 1;
    if (this.#frames % LISTEN_EVERY !== 0) return;
    if (this.#hasBotSpoken || isSpeech(pcm)) this.activity();
    this.#hasBotSpoken = false;
  }

  /** 20 ms of the bot's speech went out. */
  botSpoke(): void {
    this.#hasBotSpoken = true;
  }

  /** Nothing is reported any more. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #check(): void {
    if (this.options.isExcused?.()) {
      this.activity();
      return;
    }
    this.stop();
    this.options.onSilence();
  }
}
