import type { DtmfFrame } from '../pipeline/frames/index.js';
import { type IdleActions, IdleCaller, type IdleOptions } from './idle-caller.js';
import { type KeysOptions, PressedKeys, type PressedKeysListener } from './pressed-keys.js';

export interface CallerSignsOptions {
  /** Undefined: a silent caller is not asked. */
  readonly idle: IdleOptions | undefined;
  /** False: the model is not told of keys. */
  readonly keys: KeysOptions | false;
}

/** What is going on between caller and bot. */
export interface CallerScene {
  /** The caller is there, and the bot is silent and has nothing to do. */
  readonly isQuiet: boolean;
  readonly isCallersTurn: boolean;
  readonly isMuted: boolean;
  /** Whether keys wait: for a function that may listen for them, or for a bot that is not to be interrupted. */
  readonly holdsKeys: boolean;
}

/** Words that came so long ago, or longer, do not belong to what the caller is saying, in milliseconds. */
const WORDS_LAST_MS = 5_000;

/** What shows that a caller takes part: words that are understood, and keys. Without them the caller is asked. */
export class CallerSigns {
  readonly #idle: IdleCaller | undefined;
  readonly #keys: PressedKeys;
  /** When words were last understood that are not answered; monotonic, in milliseconds. */
  #wordsAt = Number.NEGATIVE_INFINITY;

  /** @throws VoicebotError VB_CONFIG_INVALID */
  constructor({ idle, keys }: CallerSignsOptions, listener: IdleActions & PressedKeysListener) {
    this.#idle = idle && new IdleCaller(idle, listener);
    this.#keys = new PressedKeys(keys, listener);
  }

  /** Whether the caller is in the middle of an entry of keys. */
  get isPressing(): boolean {
    return this.#keys.isPressing;
  }

  /** Whether the caller has said something lately that is not answered. */
  get hasWords(): boolean {
    return performance.now() - this.#wordsAt < WORDS_LAST_MS;
  }

  /** May begin a turn of the caller's, when keys that were held no longer are. */
  set scene({ isQuiet, isCallersTurn, isMuted, holdsKeys }: CallerScene) {
    if (this.#idle) {
      this.#idle.isQuiet = isQuiet;
      this.#idle.isCallersTurn = isCallersTurn;
    }
    this.#keys.isMuted = isMuted;
    this.#keys.isHeld = holdsKeys;
  }

  /** Words have been understood, which may change yet. */
  words(): void {
    this.#wordsAt = performance.now();
    this.#idle?.heard();
  }

  /** The caller has said something to its end. */
  answered(): void {
    this.#wordsAt = Number.NEGATIVE_INFINITY;
    this.#idle?.answered();
  }

  press(key: DtmfFrame): void {
    this.#idle?.answered();
    this.#keys.press(key);
  }

  stop(): void {
    this.#idle?.stop();
    this.#keys.stop();
  }
}
