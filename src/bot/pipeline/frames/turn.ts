import { type Deferred, deferred } from '../../../base/async/deferred.js';

/** When the steps between the caller's last word and the bot's first sound happened, in monotonic milliseconds. */
export interface TurnTimes {
  /** The caller's last sound. Absent in a turn that the bot began, such as a greeting. */
  callerStopped?: number;
  /** The last final transcript of what the caller said arrived. */
  finalTranscript?: number;
  /** The model was asked. */
  modelRequested?: number;
  /** The model's first piece of text arrived. */
  firstToken?: number;
  /** The first text went to the voice. */
  speechRequested?: number;
  /** The voice's first audio arrived. */
  firstAudio?: number;
  /** The first of that audio was released to the caller. */
  firstReleased?: number;
}

/**
 * One turn of the bot. Travels with all frames of its answer; each step notes its time in it, once.
 *
 * A turn may be asked *early*, before it is known that the caller has finished: then nothing of it is heard, no function of it runs, and
 * the context does not show it, until it is released. When the caller goes on it is dropped, and never was.
 */
export class Turn {
  readonly times: TurnTimes = {};
  readonly #decision: Deferred<boolean> | undefined;
  readonly #drop = new AbortController();
  #isReleased: boolean;
  /** What the model has written for it, in tokens, or in pieces of text where it does not tell tokens. */
  tokens = 0;

  /**
   * @param id counts the turns of a conversation, from 1
   * @param isEarly whether it waits to be released
   */
  constructor(
    readonly id: number,
    isEarly = false,
  ) {
    this.#isReleased = !isEarly;
    this.#decision = isEarly ? deferred() : undefined;
  }

  /** Whether it may be heard. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** Aborted when it is dropped: what is made for it is thrown away. */
  get dropped(): AbortSignal {
    return this.#drop.signal;
  }

  /** Resolves with whether it may be heard, when that is known. */
  get decided(): Promise<boolean> {
    return this.#decision?.promise ?? Promise.resolve(true);
  }

  /** It may be heard. */
  release(): void {
    if (this.dropped.aborted) return;
    this.#isReleased = true;
    this.#decision?.resolve(true);
  }

  /** It is not wanted. Does nothing to a turn that was released. */
  drop(): void {
    if (this.#isReleased) return;
    this.#drop.abort();
    this.#decision?.resolve(false);
  }

  /** Notes the time of a step, unless it has been noted. */
  mark(step: keyof TurnTimes, at = performance.now()): void {
    this.times[step] ??= at;
  }
}

/** One answer of the model; a turn has several when functions are called. */
export interface ModelResponse {
  /** Unique in its conversation. */
  readonly id: number;
  readonly turn: Turn;
}
