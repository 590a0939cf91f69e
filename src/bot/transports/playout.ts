import { type Deferred, deferred } from '../../base/async/deferred.js';
import { FRAME_MS } from '../../base/audio/frame.js';
import { SampleQueue } from '../../base/audio/sample-queue.js';
import { CatchUp } from './catch-up.js';
import type { HeardProof } from './heard-proof.js';
import { LATE_MS, LateFrames } from './late-frames.js';
import type { PlayoutListener } from './playout-listener.js';
import { PlayoutMarks } from './playout-marks.js';
import { CARRIER_PACE, type Pace, type PlayoutWire } from './playout-wire.js';
import { ReleasedFrames } from './released-frames.js';

/** How often a mark is set while the bot speaks, in milliseconds of audio. */
const MARK_EVERY_MS = 1_000;
/** Silence after which an utterance counts as over, in milliseconds; bridges the jitter of audio that arrives live. */
const PAUSE_MS = 60;
/** How long after its audio must have been played a mark is still waited for, in milliseconds. */
const MARK_GRACE_MS = 2_000;
/** The same for what is to be proven to have been heard. */
const PROOF_GRACE_MS = 5_000;
/** What timers count in, in milliseconds: a frame that is due sooner is due now. */
const TIMER_STEP_MS = 1;
/** How long releasing pauses while the wire is congested, in milliseconds. */
const CONGESTION_PAUSE_MS = 20;

/** What the one timer of a playout waits for: the next release, the turn of a part of a frame, the end of a pause, or the last mark. */
type Waiting = 'release' | 'part' | 'pause' | 'last-mark';

/**
 * Releases audio in real time: 20 ms frames on absolute deadlines, a little ahead of the caller's ear. Knows when an
 * utterance begins and ends for the caller, and how much of it was heard: by the marks the carrier has acknowledged
 * where it acknowledges them, by elapsed time otherwise.
 */
export class Playout {
  readonly #frameSamples: number;
  readonly #queue = new SampleQueue();
  readonly #catchUp: CatchUp;
  readonly #released = new ReleasedFrames(FRAME_MS);
  /** Nothing is released, and what was not heard waits. */
  #isHeld = false;
  /** Up to where the caller had heard it when it was held, in milliseconds since the playout began: what goes on may begin before that. */
  #heldAtMs = 0;
  #waiting: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;
  #releasedMs = 0;
  /** Monotonic time at which everything released so far will have been played. */
  #playedAt = 0;
  #utteranceStartMs: number | undefined;
  readonly #late = new LateFrames();
  /** What was written last arrives live: more may come somewhat late. */
  #isLive = false;
  #isLastUtterance = false;
  readonly #marks: PlayoutMarks;
  /** Of what is said now, or next. */
  #proof: HeardProof | undefined;
  #breaksBefore = 0;
  #drained: Deferred<void> | undefined;
  #room: (Deferred<void> & { readonly ms: number }) | undefined;

  constructor(
    readonly sampleRate: number,
    private readonly wire: PlayoutWire,
    private readonly listener: PlayoutListener,
    private readonly pace: Pace = CARRIER_PACE,
  ) {
    this.#frameSamples = (sampleRate * FRAME_MS) / 1_000;
    this.#catchUp = new CatchUp(sampleRate, this.#frameSamples);
    this.#marks = new PlayoutMarks(pace.acknowledges);
  }

  /** Audio not yet released, in milliseconds. */
  get queuedMs(): number {
    return (this.#queue.length * 1_000) / this.sampleRate;
  }

  /** What is said next is watched, until {@link proven}. */
  prove(proof: HeardProof): void {
    this.#proof = proof;
    this.#breaksBefore = this.#breaks;
  }

  /** What was to be watched has been said, as far as it will be. */
  proven(): void {
    if (this.#breaks !== this.#breaksBefore) this.#proof?.cut();
    this.#proof?.end();
    this.#proof = undefined;
  }

  get #breaks(): number {
    return this.wire.breaks ?? 0;
  }

  /** Audio that has gone out, in milliseconds since the playout began. */
  get releasedMs(): number {
    return this.#releasedMs;
  }

  /** Where the next audio that is written will stand, in milliseconds since the playout began. */
  get writtenMs(): number {
    return this.#releasedMs + this.queuedMs;
  }

  /** How long audio that is written now waits until it is heard, in milliseconds. */
  get waitingMs(): number {
    return Math.max(0, this.#playedAt - performance.now()) + this.queuedMs;
  }

  /** The position that the caller hears now, in milliseconds since the playout began; of what is held, the one that they hear next. */
  get playedMs(): number {
    return this.writtenMs - this.waitingMs;
  }

  /** Whether there is something that the caller hears, or will hear when it is not held any more. */
  get isSpeaking(): boolean {
    return this.#utteranceStartMs !== undefined || (this.#isHeld && this.#queue.length > 0);
  }

  /** How much of the current utterance the caller has heard, in milliseconds; 0 while the bot is silent. */
  get heardMs(): number {
    if (this.#utteranceStartMs === undefined) return 0;
    const elapsed = this.#releasedMs - Math.max(0, this.#playedAt - performance.now());
    const heard = Math.max(this.#marks.ackedMs, Math.min(elapsed, this.#marks.unprovenMs ?? elapsed));
    return Math.max(0, heard - this.#utteranceStartMs);
  }

  /**
   * Adds audio at the playout's sample rate.
   * @param isSpeech whether it is the bot's own: never live, however it arrives
   */
  write(pcm: Int16Array, isSpeech = false): void {
    if (pcm.length === 0) return;
    const isLive = !isSpeech && pcm.length <= this.#frameSamples;
    this.#isLive = isLive;
    if (!isLive) this.#catchUp.reset();
    if (!this.#isHeld) this.#begin();
    this.#queue.push(isLive ? this.#inTime(pcm) : pcm);
    if (this.#isHeld) return;
    const { leadMs, liveLeadMs } = this.pace;
    if (this.#waiting !== 'release') this.#release(pcm.length > this.#frameSamples ? leadMs : liveLeadMs);
  }

  /** What was written is whole: the last part of it goes out with the rest, completed with silence. */
  complete(): void {
    const part = this.#queue.length % this.#frameSamples;
    if (part > 0) this.write(new Int16Array(this.#frameSamples - part), true);
  }

  #begin(): void {
    if (this.#utteranceStartMs !== undefined) return;
    this.#utteranceStartMs = this.#releasedMs;
    this.#proof?.begin(this.pace.acknowledges, this.pace.heardAfterMs ?? 0);
    this.listener.started();
  }

  /**
   * Falls silent at once, here and at the far end, and keeps what has not been heard until {@link resume}.
   * @param from the position to go on from, of the one up to which all was heard; both in milliseconds since the playout began
   */
  hold(from: (heardUntilMs: number) => number): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    clearTimeout(this.#timer);
    this.#waiting = undefined;
    if (this.#utteranceStartMs === undefined) return;
    this.#heldAtMs = this.#heardUntil(this.#utteranceStartMs);
    const fromMs = Math.max(this.#utteranceStartMs, Math.min(this.#heldAtMs, from(this.#heldAtMs)));
    this.wire.sendClear();
    const frames = this.#released.takeBack(this.#releasedMs - fromMs);
    this.#queue.putBack(frames);
    this.#releasedMs -= frames.length * FRAME_MS;
    this.#marks.forget(this.#releasedMs);
    this.#playedAt = 0;
  }

  /** Goes on with what {@link hold} has kept. */
  resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#playedAt = performance.now();
    this.#catchUp.reset();
    if (this.#utteranceStartMs === undefined && this.#queue.length === 0) return;
    this.#begin();
    this.#release();
  }

  #inTime(frame: Int16Array): Int16Array {
    return this.#catchUp.pass(frame, this.waitingMs, this.#queue.length % this.#frameSamples, performance.now());
  }

  /** Resolves when at most `ms` of audio are queued, or the queue was dropped. For one waiter at a time. */
  async room(ms: number): Promise<void> {
    if (this.queuedMs <= ms) return;
    this.#room = { ...deferred(), ms };
    await this.#room.promise;
  }

  /** Says that nothing follows; resolves when everything written has been played to the caller or was dropped. */
  async drain(): Promise<void> {
    if (!this.isSpeaking) return;
    this.#isLastUtterance = true;
    this.#drained ??= deferred();
    if ((this.#waiting === 'part' || this.#waiting === 'pause') && !this.#isHeld) this.#finishUtterance();
    await this.#drained.promise;
  }

  /** The carrier says that everything before this mark has been played. Names from before an interruption are ignored. */
  markPlayed(name: string): void {
    this.#proof?.played(name);
    if (!this.#marks.played(name)) return;
    if (this.#waiting === 'last-mark' && this.#marks.areAllBack) this.#end(this.#releasedMs, false);
  }

  /** Drops what has not been played, here and at the carrier. */
  interrupt(): void {
    if (this.#utteranceStartMs !== undefined && !this.#isHeld) this.wire.sendClear();
    this.stop();
  }

  /** Drops what has not been played without a word to the carrier, for a stream that is gone. */
  stop(): void {
    const isHeld = this.#isHeld;
    this.#isHeld = false;
    if (this.#utteranceStartMs === undefined && !isHeld) return;
    if (isHeld) this.#releasedMs = Math.max(this.#releasedMs, this.#heldAtMs);
    const heardUntilMs = isHeld ? this.#releasedMs : this.#heardUntil(this.#utteranceStartMs ?? this.#releasedMs);
    this.#queue.clear();
    this.#room?.resolve();
    this.#playedAt = 0;
    if (this.#utteranceStartMs !== undefined) this.#end(heardUntilMs, true);
    else this.#settleDrain();
  }

  /** Up to where the caller hears an utterance that is cut off now: the far end plays whole frames. @param startMs of the utterance */
  #heardUntil(startMs: number): number {
    return Math.min(this.#releasedMs, startMs + Math.ceil(this.heardMs / FRAME_MS) * FRAME_MS);
  }

  /** Releases what is due and sets the timer for what comes next. */
  #release(leadMs = this.pace.leadMs): void {
    while (this.#queue.length >= this.#frameSamples) {
      const now = performance.now();
      const waitMs = this.#waitBeforeNext(now, leadMs);
      if (waitMs > 0) {
        this.#wait('release', waitMs);
        return;
      }
      this.#sendFrame(now);
    }
    if (this.#isLastUtterance) this.#finishUtterance();
    else if (this.#waiting === 'pause' && this.#queue.length === 0) this.#timer?.refresh();
    else this.#awaitMore();
  }

  /** 0 when the next frame is due. */
  #waitBeforeNext(now: number, leadMs: number): number {
    const earlyMs = this.#playedAt - now - (leadMs - FRAME_MS);
    if (earlyMs >= TIMER_STEP_MS) return earlyMs;
    return this.wire.isCongested() ? CONGESTION_PAUSE_MS : 0;
  }

  #sendFrame(now: number): void {
    const behindMs = now - this.#playedAt;
    const isBehind = behindMs > this.pace.bridgedMs;
    const missingMs = Math.max(0, FRAME_MS - this.queuedMs);
    const isFirst = this.#releasedMs === this.#utteranceStartMs;
    this.#late.sent(this.#releasedMs, isFirst ? 0 : behindMs, isBehind, missingMs);
    this.#playedAt = (isBehind ? now : this.#playedAt) + FRAME_MS;
    this.#releasedMs += FRAME_MS;
    const frame = this.#queue.take(this.#frameSamples);
    this.#released.add(frame);
    this.wire.sendAudio(frame);
    this.#proof?.sent(frame, this.#playedAt);
    this.listener.released();
    if (this.#room && this.queuedMs <= this.#room.ms) this.#room.resolve();
    if (this.#releasedMs - this.#marks.markedMs >= MARK_EVERY_MS || (isFirst && this.#proof)) this.#sendMark();
  }

  #sendMark(): void {
    const name = this.#marks.set(this.#releasedMs);
    this.#proof?.marked(name, this.#playedAt);
    this.wire.sendMark(name);
  }

  /** The queue is empty. One timer serves many frames: each pushes it on, and when it ends it looks again. */
  #awaitMore(): void {
    const pauseEndsInMs = this.#playedAt + PAUSE_MS - performance.now();
    if (this.#queue.length > 0) this.#awaitRest();
    else if (pauseEndsInMs <= 0) this.#finishUtterance();
    else this.#wait('pause', Math.min(pauseEndsInMs, FRAME_MS + PAUSE_MS));
  }

  /** Less than a frame is left: it goes out, completed with silence, when nothing has come while it could wait. */
  #awaitRest(): void {
    const earlyMs = Math.max(TIMER_STEP_MS, (this.pace.leadMs - FRAME_MS) / 2);
    const waitMs = this.#playedAt + (this.#isLive ? LATE_MS : -earlyMs) - performance.now();
    if (waitMs > 0) {
      this.#wait('part', waitMs);
      return;
    }
    this.#sendFrame(performance.now());
    this.#awaitMore();
  }

  #finishUtterance(): void {
    if (this.#queue.length > 0) this.#sendFrame(performance.now());
    this.#sendMark();
    const remainingMs = Math.max(0, this.#playedAt - performance.now());
    const isUnacknowledged = this.#marks.areMissing && !(this.#proof && this.pace.acknowledges);
    const graceMs = this.#proof ? PROOF_GRACE_MS : MARK_GRACE_MS;
    this.#wait('last-mark', remainingMs + (isUnacknowledged ? this.pace.transitMs : graceMs));
  }

  #wait(waiting: Waiting, ms: number): void {
    clearTimeout(this.#timer);
    this.#waiting = waiting;
    this.#timer = setTimeout(() => this.#onTimer(waiting), Math.max(1, ms));
  }

  #onTimer(waiting: Waiting): void {
    this.#waiting = undefined;
    if (waiting === 'release') this.#release();
    else if (waiting === 'part' || waiting === 'pause') this.#awaitMore();
    else {
      this.#marks.waitedInVain();
      this.#end(this.#releasedMs, false);
    }
  }

  #end(heardUntilMs: number, wasInterrupted: boolean): void {
    clearTimeout(this.#timer);
    this.#waiting = undefined;
    const heardMs = heardUntilMs - (this.#utteranceStartMs ?? heardUntilMs);
    this.#utteranceStartMs = undefined;
    if (wasInterrupted) this.#proof?.cut();
    if (this.#late.count > 0) this.listener.late(this.#late.count, this.#late.silentMs);
    this.#late.reset();
    this.#catchUp.reset();
    this.#released.clear();
    this.#marks.forget(this.#releasedMs);
    this.listener.stopped(heardMs, wasInterrupted, heardUntilMs);
    this.#settleDrain();
  }

  #settleDrain(): void {
    this.#isLastUtterance = false;
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
