import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import type { KeyPress } from '../../base/audio/dtmf-script.js';

/** What the caller does at one point of a call. */
export type CallAct =
  /** `audio` is mu-law, 8000 Hz; `words` tells people what it is, and is what is said where `isText`. */
  | { readonly kind: 'speech'; readonly audio: Uint8Array; readonly words: string; readonly isText?: boolean }
  /** The times of the keys count from the beginning of this act. */
  | { readonly kind: 'keys'; readonly keys: readonly KeyPress[] };

/** What the acts of a call need to know of it. Times are milliseconds since the answer. */
export interface CallMoment {
  readonly nowMs: number;
  /** Whether the bot has finished what it had to say since then, or says nothing. */
  readonly isMyTurn: (sinceMs: number) => boolean;
  readonly press: (digit: DtmfDigit) => void;
  readonly begins: (words: string) => void;
  /** A text has been said to its end. */
  readonly said: (text: string) => void;
}

const BYTES_PER_MS = 8;

/**
 * What the caller says and presses, in the order in which it was typed: each act begins when the one before is done, and
 * speech also waits for the caller's turn. A caller who talks over the bot does not wait: speech goes on without a pause
 * from the answer, and the times of all keys count from the answer.
 */
export class CallScript {
  readonly #tracks: readonly Track[];

  constructor(acts: readonly CallAct[], talksOver: boolean) {
    const isSpeech = ({ kind }: CallAct) => kind === 'speech';
    const speech = acts.filter(isSpeech);
    const keys = acts.filter((act) => !isSpeech(act));
    this.#tracks = talksOver
      ? [new Track(speech, false), ...keys.map((act) => new Track([act], false))]
      : [new Track(acts, true)];
  }

  /** Milliseconds since the answer at which everything was said and pressed; undefined before. */
  get doneAtMs(): number | undefined {
    return this.#tracks.every(({ isDone }) => isDone) ? Math.max(...this.#tracks.map(({ atMs }) => atMs)) : undefined;
  }

  /** Does what is to be done in the next 20 ms. @returns what the caller says, at most `length` bytes; undefined for nothing */
  step(moment: CallMoment, length: number): Uint8Array | undefined {
    const said = this.#tracks.map((track) => track.step(moment, length));
    return said.find((audio) => audio !== undefined);
  }
}

/** Acts that follow one another. */
class Track {
  readonly #acts: CallAct[];
  #startedAtMs: number | undefined;
  #keysPressed = 0;
  /** When the last act so far was done, in milliseconds since the answer. */
  atMs = 0;

  constructor(
    acts: readonly CallAct[],
    private readonly waitsForTurn: boolean,
  ) {
    this.#acts = [...acts];
  }

  get isDone(): boolean {
    return this.#acts.length === 0;
  }

  step(moment: CallMoment, length: number): Uint8Array | undefined {
    for (let [act] = this.#acts; act; [act] = this.#acts) {
      const said = act.kind === 'speech' ? this.#say(act, moment, length) : this.#press(act.keys, moment);
      if (said !== 'done') return said;
      this.#acts.shift();
      this.#startedAtMs = undefined;
      this.#keysPressed = 0;
      this.atMs = moment.nowMs;
    }
    return undefined;
  }

  #say(
    { audio, words, isText }: Extract<CallAct, { kind: 'speech' }>,
    { nowMs, isMyTurn, begins, said }: CallMoment,
    length: number,
  ): Uint8Array | undefined | 'done' {
    if (this.#startedAtMs === undefined) {
      if (this.waitsForTurn && !isMyTurn(this.atMs)) return undefined;
      this.#startedAtMs = nowMs;
      begins(words);
    }
    const start = (nowMs - this.#startedAtMs) * BYTES_PER_MS;
    if (start < audio.length) return audio.subarray(start, start + length);
    if (isText) said(words);
    return 'done';
  }

  #press(keys: readonly KeyPress[], { nowMs, press }: CallMoment): undefined | 'done' {
    this.#startedAtMs ??= nowMs;
    const elapsedMs = nowMs - this.#startedAtMs;
    for (let key = keys[this.#keysPressed]; key && key.atMs <= elapsedMs; key = keys[this.#keysPressed]) {
      this.#keysPressed += 1;
      press(key.digit);
    }
    return this.#keysPressed === keys.length ? 'done' : undefined;
  }
}
