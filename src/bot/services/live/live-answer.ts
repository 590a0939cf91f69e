import { type Deferred, deferred } from '../../../base/async/deferred.js';
import type { ProviderError } from '../../../base/provider-error.js';
import type { Turn } from '../../pipeline/frames/index.js';

/** A function that the model wants called, as its session names it. */
export interface LiveCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it. */
  readonly input: string;
}

/** What is no JSON goes on as it is: the check of the input says so to the model. */
export function inputOf(input: LiveCall['input']): unknown {
  try {
    return input.trim() === '' ? {} : JSON.parse(input);
  } catch {
    return input;
  }
}

/** What has come of an answer. */
export interface LiveAnswerEnd {
  readonly calls: readonly LiveCall[];
  /** It broke off, or never came. */
  readonly failure?: ProviderError | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly status: string;
}

/** What a session is asked. */
export interface LiveQuestion {
  /** Which part of the conversation the answer will be: its response, or its utterance. */
  readonly key: object | number;
  /** Of the conversation; undefined for what the bot wants said by itself. */
  readonly turn?: Turn | undefined;
  /** Is to be said word for word. */
  readonly text?: string | undefined;
  /** The session goes on by itself: it has been given what it waited for. */
  readonly isGoingOn?: boolean | undefined;
  /** Told to the model with this question. */
  readonly note?: string | undefined;
}

export interface LiveAnswerListener {
  /** The next samples, at the rate of the session. */
  audio(pcm: Int16Array): void;
  /** More of what is said, in writing. */
  text(delta: string): void;
  /** Another session is asked: what was written without a sound does not count. */
  again?(): void;
}

/** An answer of a session, on its way. */
export class LiveAnswer {
  /** What a session says without being asked to. */
  static unwanted(): LiveAnswer {
    const answer = new LiveAnswer({ key: {} }, { audio: () => {}, text: () => {} });
    answer.isAsked = true;
    return answer;
  }

  /** The session's name of it, once that is known. */
  responseId: string | undefined;
  /** The pieces of speech in it, in order, and how long each is, in milliseconds. */
  readonly items = new Map<string, number>();
  readonly calls: LiveCall[] = [];
  /** Our name of the message that asked for it, of a session that such names are told. */
  askedBy: string | undefined;
  /** It is not wanted any more. */
  isDropped = false;
  /** The session that there is has been asked for it. */
  isAsked = false;
  /** How often it was asked for. */
  tries = 0;
  /** Some of its sound has gone on to the caller, who will have heard so much of it, or nothing. */
  isPassedOn = false;
  /** The session has broken it off; its end is still to come. */
  isBrokenOff = false;
  /** No more sound of it comes, though it may not be over. */
  isSoundWhole = false;
  /** Since when it is the one that is awaited; monotonic, in milliseconds. */
  awaitedAt: number | undefined;
  /** What the caller heard of it before they heard no more, in milliseconds; undefined before that, and of what is heard to its end. */
  heardMs: number | undefined;
  /** How long each piece of it was when the session was told of that, in milliseconds. */
  readonly cut = new Map<string, number>();
  readonly #over: Deferred<LiveAnswerEnd> = deferred();
  readonly #begun = new AbortController();
  #isOver = false;
  #soundAt: number | undefined;

  constructor(
    readonly question: LiveQuestion,
    readonly listener: LiveAnswerListener,
  ) {}

  /** Resolves with what came of it. Never rejects. */
  get over(): Promise<LiveAnswerEnd> {
    return this.#over.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether anything of it has come. */
  get hasBegun(): boolean {
    return this.items.size > 0 || this.calls.length > 0;
  }

  /** Aborted as soon as anything of it has come. */
  get begun(): AbortSignal {
    return this.#begun.signal;
  }

  /** What the caller has still to hear of it, at least, in milliseconds. */
  get unplayedMs(): number {
    if (this.#soundAt === undefined) return 0;
    return Math.max(0, this.#soundAt + this.audioMs - performance.now());
  }

  /** All audio of it, in milliseconds. */
  get audioMs(): number {
    return [...this.items.values()].reduce((sum, ms) => sum + ms, 0);
  }

  /** @returns how long its audio of that item is now */
  addAudio(itemId: string, pcm: Int16Array, sampleRate: number): void {
    this.#soundAt ??= performance.now();
    this.items.set(itemId, (this.items.get(itemId) ?? 0) + (pcm.length * 1_000) / sampleRate);
    if (this.isDropped) return;
    this.isPassedOn = true;
    this.listener.audio(pcm);
  }

  /** The first of it has come. */
  begin(): void {
    this.#begun.abort();
  }

  write(delta: string): void {
    if (!this.isDropped) this.listener.text(delta);
  }

  /** Another session is to be asked for it. */
  reset(): void {
    this.isAsked = false;
    this.responseId = undefined;
    this.listener.again?.();
  }

  finish(end: Omit<LiveAnswerEnd, 'calls'>): void {
    this.#isOver = true;
    this.#over.resolve({ ...end, calls: this.calls });
  }
}
