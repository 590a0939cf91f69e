import { afterRunning } from '../../../base/async/running-time.js';
import type { ProviderError } from '../../../base/provider-error.js';
import type { LiveAnswer, LiveAnswerEnd } from './live-answer.js';
import { decodeAudio } from './live-audio.js';
import type { LivePatience } from './live-patience.js';
import type { LiveFormat, LiveManner } from './manner.js';
import type { LiveServerEvent } from './realtime-model.js';
import { errorOfResponse } from './server-events.js';

/** Audio of one answer that is taken, in milliseconds: a caller does not listen for longer. */
const LONGEST_ANSWER_MS = 300_000;
/** A session that is told to stop has this long to say that it has, in milliseconds: what is asked next waits for that. */
const STOP_LIMIT_MS = 1_500;
/** Names of ended answers that are remembered, at most. */
const MOST_ENDED = 50;

export interface LiveAnswersActions {
  /** The first of an answer has come. */
  begins(): void;
  /** Nothing has come of an answer for longer than usual. */
  isSlow(answer: LiveAnswer): void;
  /** Nothing has come of an answer for too long. @param hasBegun it broke off */
  isLate(answer: LiveAnswer, hasBegun: boolean): void;
  /** It has more audio than a caller listens to: nothing more of it is taken. */
  isTooLong(answer: LiveAnswer): void;
  /** One is over. */
  isOver(answer: LiveAnswer): void;
  /** A failure in the vendor's words. */
  failure(words: string): ProviderError;
}

/** The answers that a session was asked for and that are not over, in order: what comes of them, and how long each may take. */
export class LiveAnswers {
  #asked: LiveAnswer[] = [];
  #stopTimer = () => {};
  /** Until those that are not wanted any more count as over. */
  readonly #stopping = new Map<LiveAnswer, () => void>();
  /** The session's names of those that are over: what it still tells of them is of no other. */
  readonly #ended = new Set<string>();

  constructor(
    private readonly patience: LivePatience,
    private readonly manner: Pick<LiveManner, 'goesOnWithResults' | 'truncates' | 'hearing'>,
    private readonly format: LiveFormat,
    private readonly actions: LiveAnswersActions,
  ) {}

  /** Whether the session may be asked: what it was told to stop has ended, or it ends that by itself when it is asked. */
  get mayAsk(): boolean {
    return this.manner.hearing === 'bracketed' || !this.#asked.some(({ isAsked, isDropped }) => isAsked && isDropped);
  }

  /** Whether it is saying something that is wanted. */
  get areWanted(): boolean {
    return this.#asked.some(({ isDropped }) => !isDropped);
  }

  /** Those that no session has been asked for. */
  get unasked(): readonly LiveAnswer[] {
    return this.#asked.filter(({ isAsked }) => !isAsked);
  }

  /** The first of which nothing has come, for what the session says of none. */
  get waiting(): LiveAnswer | undefined {
    return this.#asked.find(({ responseId, isAsked }) => isAsked && responseId === undefined);
  }

  /** What an error is of. @param name of the message that it tells of, where it does: else the first of which nothing has come */
  askedBy(name: string | undefined): LiveAnswer | undefined {
    return name === undefined ? this.waiting : this.#asked.find((answer) => answer.askedBy === name);
  }

  add(answer: LiveAnswer): void {
    this.#asked.push(answer);
  }

  /** It is not wanted any more: the session has been told, or is when it is asked the next time. */
  drop(answer: LiveAnswer): void {
    answer.isDropped = true;
    const limitMs = this.manner.hearing === 'bracketed' ? this.patience.limitMs : STOP_LIMIT_MS;
    const stopped = () => this.finish(answer, { status: 'cancelled' });
    this.#stopping.set(answer, afterRunning(limitMs, stopped));
    this.#watchNext();
  }

  /** It was asked for now, or more of it has come. */
  watch(answer: LiveAnswer): void {
    if (answer.isDropped || answer.isOver) return;
    this.#stopTimer();
    const { hasBegun } = answer;
    this.#stopTimer = afterRunning(this.patience.limitOf(answer), () => this.actions.isLate(answer, hasBegun));
    this.#await(answer);
  }

  /** @returns whether the event was of an answer */
  see(event: LiveServerEvent): boolean {
    if (event.type === 'response-created') this.#follow(event.responseId);
    else if (event.type === 'audio-delta') this.#onAudio(event);
    else if (event.type === 'audio-transcript-delta') this.#follow(event.responseId)?.write(event.delta);
    else if (event.type === 'audio-done') this.soundIsWhole(event.responseId);
    else if (event.type === 'function-call-arguments-done') this.#onCall(event);
    else if (event.type === 'response-done') this.#onDone(event);
    else if (event.type === 'speech-started' && !this.manner.truncates) this.#onBrokenOff();
    else return false;
    return true;
  }

  finish(answer: LiveAnswer, end: Omit<LiveAnswerEnd, 'calls'>): void {
    if (!this.#asked.includes(answer)) return;
    this.#asked = this.#asked.filter((one) => one !== answer);
    this.#end(answer, end);
    this.#watchNext();
  }

  /** There is another session: what is not wanted, and what broke off, is over, and the rest is to be asked again. */
  again(failure: ProviderError): void {
    const isOver = ({ isDropped, hasBegun }: LiveAnswer) => isDropped || hasBegun;
    const over = this.#asked.filter(isOver);
    this.#asked = this.#asked.filter((answer) => !isOver(answer));
    for (const answer of this.#asked) answer.reset();
    for (const answer of over) {
      this.#end(answer, answer.isDropped ? { status: 'dropped' } : { status: 'failed', failure });
    }
    this.#ended.clear();
  }

  /** There will be no more session. */
  fail(failure: ProviderError): void {
    for (const answer of this.#asked) this.finish(answer, { status: 'failed', failure });
  }

  /** No more sound comes of the answer of that name, or of the one that is being said. */
  soundIsWhole(responseId?: string): void {
    const answer = this.#asked.find((one) => one.hasBegun && (responseId ?? one.responseId) === one.responseId);
    if (!answer) return;
    answer.isSoundWhole = true;
    this.watch(answer);
  }

  stop(): void {
    this.#stopTimer();
    for (const stopTimer of this.#stopping.values()) stopTimer();
  }

  #end(answer: LiveAnswer, end: Omit<LiveAnswerEnd, 'calls'>): void {
    this.#stopping.get(answer)?.();
    this.#stopping.delete(answer);
    answer.finish(end);
    this.actions.isOver(answer);
  }

  /** From now on, where nothing is said before it. */
  #await(answer: LiveAnswer): void {
    const { joinMs } = this.patience;
    const isNext = this.#asked.find(({ isDropped }) => !isDropped) === answer;
    if (answer.awaitedAt !== undefined || answer.hasBegun || !isNext) return;
    answer.awaitedAt = performance.now();
    if (joinMs === undefined) return;
    const stop = afterRunning(joinMs, () => {
      if (answer.isAsked && !answer.isDropped && !answer.hasBegun) this.actions.isSlow(answer);
    });
    void answer.over.then(stop);
  }

  #begins(answer: LiveAnswer): void {
    if (answer.hasBegun) return;
    if (answer.awaitedAt !== undefined) this.patience.took(performance.now() - answer.awaitedAt);
    answer.begin();
    this.actions.begins();
  }

  #watchNext(): void {
    this.#stopTimer();
    const next = this.#asked.find(({ isDropped, isAsked }) => isAsked && !isDropped);
    if (next) this.watch(next);
  }

  /** An answer of that name is over. */
  #noteEnded(responseId: string): void {
    this.#ended.add(responseId);
    const [oldest] = this.#ended;
    if (this.#ended.size > MOST_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  /**
   * The answer of that name, of which more has come; one that is not known is the first that has no name yet.
   * @param isEnd nothing follows; else what was broken off before is over
   */
  #follow(responseId: string, isEnd = false): LiveAnswer | undefined {
    if (this.#ended.has(responseId)) return undefined;
    const isNew = !this.#asked.some((one) => one.responseId === responseId);
    if (isNew && !isEnd) {
      for (const answer of this.#asked) if (answer.isBrokenOff) this.finish(answer, { status: 'cancelled' });
    }
    const answer = this.#asked.find((one) => one.responseId === responseId) ?? this.waiting;
    if (!answer) return undefined;
    answer.responseId = responseId;
    this.watch(answer);
    return answer;
  }

  #onAudio({ responseId, itemId, delta }: Extract<LiveServerEvent, { type: 'audio-delta' }>): void {
    const answer = this.#follow(responseId);
    if (!answer) return;
    this.#begins(answer);
    answer.isSoundWhole = false;
    answer.addAudio(itemId, decodeAudio(this.format, delta), this.format.sampleRate);
    this.watch(answer);
    if (answer.audioMs < LONGEST_ANSWER_MS || answer.isDropped) return;
    this.actions.isTooLong(answer);
    answer.finish({ status: 'too_long' });
  }

  #onCall(event: Extract<LiveServerEvent, { type: 'function-call-arguments-done' }>): void {
    const { responseId, callId: id, name, arguments: input } = event;
    const answer = this.#follow(responseId);
    if (!answer) return;
    this.#begins(answer);
    answer.calls.push({ id, name, input });
    // the calls of one message are all told in the same moment
    if (this.manner.goesOnWithResults) queueMicrotask(() => this.finish(answer, { status: 'completed' }));
  }

  #onDone({ responseId, status, usage, raw }: Extract<LiveServerEvent, { type: 'response-done' }>): void {
    const answer = this.#follow(responseId, true);
    this.#noteEnded(responseId);
    if (!answer) return;
    const failed = errorOfResponse(status, raw);
    const failure = failed === undefined ? undefined : this.actions.failure(failed);
    const { inputTokens, outputTokens } = usage ?? {};
    this.finish(answer, { status, inputTokens, outputTokens, failure });
  }

  /** The session has stopped saying what is not wanted any more, and says next that it is over. */
  #onBrokenOff(): void {
    const dropped = this.#asked.find(({ isDropped, isBrokenOff }) => isDropped && !isBrokenOff);
    if (dropped) dropped.isBrokenOff = true;
  }
}
