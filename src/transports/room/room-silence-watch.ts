import { levelDb } from '../../audio/level.js';

/** One frame in this many is listened to: two in a second. */
const LISTEN_EVERY = 25;
/** Above this somebody says something, in dBFS. */
const SPEECH_DB = -45;

/** Calls `onSilence` once when neither side of a call has said anything, and no key was pressed, for `limitMs`; 0 means never. */
export class RoomSilenceWatch {
  #timer: NodeJS.Timeout | undefined;
  #frames = 0;
  #hasBotSpoken = false;

  constructor(
    private readonly limitMs: number,
    /** Whether silence means nothing, because the caller hears somebody else. */
    private readonly isElsewhere: () => boolean,
    private readonly onSilence: () => void,
  ) {}

  start(): void {
    if (this.limitMs > 0) this.#timer = setTimeout(() => this.#check(), this.limitMs);
  }

  /** 20 ms of what the others say. */
  hear(pcm: Int16Array): void {
    if (!this.#timer) return;
    this.#frames += 1;
    if (this.#frames % LISTEN_EVERY !== 0) return;
    if (this.#hasBotSpoken || levelDb(pcm) > SPEECH_DB) this.activity();
    this.#hasBotSpoken = false;
  }

  /** 20 ms of the bot's speech went out. */
  botSpoke(): void {
    this.#hasBotSpoken = true;
  }

  activity(): void {
    this.#timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    if (this.isElsewhere()) {
      this.activity();
      return;
    }
    this.stop();
    this.onSilence();
  }
}
