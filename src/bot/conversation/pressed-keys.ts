import { type OptionNames, refuseProblems } from '../../base/names/option-names.js';
import { rangeProblems } from '../../base/names/option-ranges.js';
import type { DtmfFrame } from '../pipeline/frames/index.js';

/** When keys that the caller presses count as an entry. */
export interface KeysOptions {
  /** How long after a key the caller may press the next one, in milliseconds, 100 to 30000. `#` ends an entry at once. Default 2000. */
  afterMs?: number;
}

export const KEYS_OPTIONS: OptionNames<KeysOptions> = { afterMs: true };

/** Longest entry. */
const MOST_KEYS = 64;

/** What a model is told about an entry. */
const toldOf = (keys: readonly DtmfFrame[]): string =>
  `(the caller pressed ${keys.map(({ digit }) => digit).join(' ')})`;

export interface PressedKeysListener {
  /** The caller has pressed a key that belongs to an entry: the bot is to listen. */
  pressing(): void;
  /** The caller has pressed all of them. @param text what the model is told */
  pressed(text: string): void;
  /** The keys of an entry have been taken by what listened for them. */
  nothingPressed(): void;
}

/** Makes one entry of the keys that the caller presses one after the other. Keys that a `listen` takes do not belong to it. */
export class PressedKeys {
  readonly #afterMs: number;
  #keys: DtmfFrame[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isHeld = false;
  #isMuted = false;
  /** The entry is complete, and held. */
  #isDue = false;

  /**
   * @param options false: no key belongs to an entry
   * @throws VoicebotError VB_CONFIG_INVALID
   */
  constructor(
    private readonly options: KeysOptions | false,
    private readonly listener: PressedKeysListener,
  ) {
    const { afterMs = 2_000 } = options || {};
    const problems = rangeProblems({ 'keys.afterMs': [afterMs, 100, 30_000] });
    refuseProblems(problems);
    this.#afterMs = afterMs;
  }

  /** Whether the caller is in the middle of an entry that is not held. */
  get isPressing(): boolean {
    return !this.#isHeld && this.#keys.some(isFree);
  }

  /** Whether an entry waits: for a function that may listen for its keys, or for a bot that is not to be interrupted. */
  set isHeld(isHeld: boolean) {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    if (!isHeld && this.#isDue) this.#complete();
  }

  /** Keys do not count, and those of an entry that was not complete are forgotten. */
  set isMuted(isMuted: boolean) {
    if (isMuted && !this.#isMuted) this.#forget();
    this.#isMuted = isMuted;
  }

  press(key: DtmfFrame): void {
    if (!this.options || this.#isMuted || key.isTaken) return;
    this.#keys.push(key);
    this.#isDue = false;
    clearTimeout(this.#timer);
    if (key.digit === '#' || this.#keys.length >= MOST_KEYS) this.#complete();
    else {
      this.#timer = setTimeout(() => this.#complete(), this.#afterMs);
      if (!this.#isHeld) this.listener.pressing();
    }
  }

  /** Nothing more is told. */
  stop(): void {
    this.isMuted = true;
  }

  #complete(): void {
    if (this.#isHeld) {
      this.#isDue = true;
      return;
    }
    const keys = this.#keys.filter(isFree);
    this.#forget();
    for (const key of keys) key.isTaken = true;
    if (keys.length > 0) this.listener.pressed(toldOf(keys));
    else this.listener.nothingPressed();
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#keys = [];
    this.#isDue = false;
  }
}

const isFree = ({ isTaken }: DtmfFrame) => !isTaken;
