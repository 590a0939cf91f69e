import type { EndReason } from '../../../call/call.js';
import type { RoomNews } from '../../../call/runner-link.js';
import type { RoomConnection, RoomParticipant } from '../../../providers/rooms/room-connection.js';
import { RequestLostError } from '../../../providers/rooms/room-refusal.js';
import { legFailure } from './leg-failure.js';

/** How long a callee may let the phone ring where no runner says so, in milliseconds. */
const RING_LIMIT_MS = 120_000;
/** How long a provider may take until a phone that was called rings, in milliseconds. */
const DIAL_LIMIT_MS = 30_000;
/** How long the participant of a connected leg may take until it is told of, in milliseconds. */
const PRESENCE_LIMIT_MS = 4_000;
/** How long a leg may be in the room without an event that it was answered, and without being heard to ring, in milliseconds. */
const ANSWER_LIMIT_MS = 8_000;
/** A ringing leg that the provider counts as a participant comes as it begins to ring; later than this, in milliseconds, it has answered. */
const COMES_RINGING_MS = 500;
/** Longest wait for an answered leg to be seen in the room, in milliseconds, when our connection to the room was lost meanwhile. */
const ARRIVAL_LIMIT_MS = 10_000;
/** How long the event that a leg has stopped may come after it has left the room, in milliseconds. */
const STOP_GRACE_MS = 1_000;
/** How long a leg that was made to go may take, in milliseconds; later it goes for reasons of its own. */
const GO_LIMIT_MS = 10_000;

/** A telephone in the room, or on the way to it. */
export interface Leg {
  readonly sessionId: string;
  readonly kind: 'dial-in' | 'dial-out';
}

/** What becomes of a call that goes out. */
export type DialoutNews =
  | { readonly type: 'ringing' | 'answered' | 'stopped' }
  | { readonly type: 'failed'; readonly errorMsg: string };

export interface RoomCallActions {
  tell(news: RoomNews): void;
  /** The other party is there and hears the bot. */
  connected(): void;
  /** The leg that the bot serves is not there any more. */
  gone(reason: EndReason): void;
  /** An event of the leg that the bot serves must have been lost. */
  missed(event: 'participant_joined' | 'dialout_answered', leg: Leg): void;
  /** The leg that the bot serves has rung for too long. */
  rangTooLong(leg: Leg): void;
}

/**
 * The telephone call that a bot in a room serves: the leg that came in, or the first one that was dialled. Knows the
 * other legs that it has to see off, too.
 */
export class RoomCall {
  #leg: Leg | undefined;
  #isAnswered = false;
  #isConnected = false;
  #isDialling = false;
  #isOver = false;
  /** Why the leg will go, and until when that counts, in monotonic milliseconds. */
  #expected: { readonly reason: EndReason; readonly until: number } | undefined;
  /** Legs that the bot has besides the one it serves. */
  readonly #others = new Map<string, Leg>();
  /** The latest event of each unknown leg, while the provider has not said which one we have dialled. */
  readonly #unknown = new Map<string | undefined, DialoutNews>();
  /** Legs that mean nothing any more. */
  readonly #discarded = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Since when the leg rings, in monotonic milliseconds. */
  #ringsSince: number | undefined;
  /** When each participant came into the room, in monotonic milliseconds. */
  readonly #cameAt = new Map<string, number>();
  /** The phone that was called is heard to ring in the room, so to be there says nothing. */
  #isHeardRinging = false;

  /** @param ringMs how long a callee may let the phone ring, in milliseconds */
  constructor(
    private readonly actions: RoomCallActions,
    private readonly ringMs = RING_LIMIT_MS,
  ) {}

  /** The leg that the bot serves. */
  get leg(): Leg | undefined {
    return this.#leg;
  }

  /** Whether the next leg that is dialled is the one to serve. */
  get isFree(): boolean {
    return !this.#leg && !this.#isDialling && !this.#isOver;
  }

  /** Whether the other party has answered, or has called. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Whether sound of the leg would tell something: it may have answered, or may be there, without anybody having said so. */
  get isUnconfirmed(): boolean {
    return this.#leg !== undefined && !this.#isOver && !this.#isConnected;
  }

  /** Why the leg is about to go, where the bot has asked for that. */
  get expectedEnd(): EndReason | undefined {
    return this.#expected && performance.now() < this.#expected.until ? this.#expected.reason : undefined;
  }

  /** Whether a leg is one of ours, or is done with. */
  knows(sessionId: string): boolean {
    return sessionId === this.#leg?.sessionId || this.#others.has(sessionId) || this.#discarded.has(sessionId);
  }

  /** Takes on what an earlier bot has dialled. */
  resume(sessionId: string, isAnswered: boolean): void {
    this.#serve({ sessionId, kind: 'dial-out' });
    this.#isAnswered = isAnswered;
    // An earlier bot has been connected with it: it is there when this one comes, or has gone unseen.
    if (isAnswered) this.#limit(PRESENCE_LIMIT_MS, () => this.hear(sessionId, { type: 'stopped' }));
    else {
      this.#ringsSince = performance.now();
      this.#limitRinging();
    }
  }

  /** A call has come in. */
  comesIn(sessionId: string): void {
    if (this.knows(sessionId)) return;
    const leg: Leg = { sessionId, kind: 'dial-in' };
    if (this.isFree) this.#serve(leg);
    else this.#others.set(sessionId, leg);
  }

  /** Dials the leg to serve. @throws as `dial` does */
  async dial(dial: () => Promise<{ readonly sessionId: string }>): Promise<{ sessionId: string }> {
    this.#isDialling = true;
    try {
      const { sessionId } = await dial();
      this.#serve({ sessionId, kind: 'dial-out' });
      this.actions.tell({ type: 'dialled', sessionId });
      this.#limitRinging();
      return { sessionId };
    } finally {
      this.#isDialling = false;
      for (const [sessionId, news] of this.#unknown) this.hear(sessionId, news);
      this.#unknown.clear();
    }
  }

  /** The bot has dialled a leg besides the one it serves. */
  alsoDialled(sessionId: string): void {
    this.#others.set(sessionId, { sessionId, kind: 'dial-out' });
  }

  /** Makes later events of a leg mean nothing. */
  discard(sessionId: string): void {
    this.#discarded.add(sessionId);
  }

  appeared({ sessionId, kind }: RoomParticipant): void {
    if (!this.#cameAt.has(sessionId)) this.#cameAt.set(sessionId, performance.now());
    if (kind === 'dial-in') this.comesIn(sessionId);
    if (sessionId !== this.#leg?.sessionId) return;
    if (this.#leg.kind === 'dial-in' || this.#isAnswered) this.#connect();
    else this.#awaitAnswer();
  }

  /** The leg is heard: a person speaks on it, or the phone that was called rings. */
  heard(sound: 'voice' | 'ringing'): void {
    const { leg } = this;
    if (!leg || !this.isUnconfirmed) return;
    if (sound === 'ringing') this.#isHeardRinging = true;
    else this.actions.missed(this.#isAnswered ? 'participant_joined' : 'dialout_answered', leg);
  }

  disappeared({ sessionId }: RoomParticipant): void {
    this.#cameAt.delete(sessionId);
    if (sessionId !== this.#leg?.sessionId) this.#forget(sessionId);
    else this.#limit(STOP_GRACE_MS, () => this.hear(sessionId, { type: 'stopped' }));
  }

  /** Events of some time are missing. @param isThere whether a leg is in the room now */
  missedNews(isThere: (sessionId: string) => boolean): void {
    const { leg } = this;
    if (!leg || !this.#isAnswered || isThere(leg.sessionId)) return;
    this.#limit(ARRIVAL_LIMIT_MS, () => this.hear(leg.sessionId, { type: 'stopped' }));
  }

  /** An event of a leg; a failure without a session is of the one that is being dialled. */
  hear(sessionId: string | undefined, news: DialoutNews): void {
    if (this.#isOver) return;
    const isOfLeg = this.#leg && (sessionId === undefined ? !this.#isAnswered : sessionId === this.#leg.sessionId);
    if (isOfLeg) this.#hearOfLeg(news);
    else if (this.#isDialling) this.#unknown.set(sessionId, news);
    else if (sessionId && (news.type === 'stopped' || news.type === 'failed')) this.#forget(sessionId);
  }

  /**
   * Asks for something that makes the leg go; when it goes soon, that is for `reason`.
   * @throws as `ask` does; the leg stays then, unless the connection was lost before the answer
   */
  async endsWith(reason: EndReason, ask: () => Promise<void>): Promise<void> {
    this.#expected = { reason, until: Infinity };
    try {
      await ask();
      this.#expected = { reason, until: performance.now() + GO_LIMIT_MS };
    } catch (error) {
      const isUncertain = error instanceof RequestLostError;
      this.#expected = isUncertain ? { reason, until: performance.now() + GO_LIMIT_MS } : undefined;
      throw error;
    }
  }

  /** Waits for nothing any more. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Hangs up every leg of ours. Rejects when one cannot be. */
  async hangUp(connection: RoomConnection): Promise<void> {
    const legs = [...(this.#leg ? [this.#leg] : []), ...this.#others.values()];
    const callers = legs.filter(({ kind }) => kind === 'dial-in').map(({ sessionId }) => sessionId);
    const dialled = legs.filter(({ kind }) => kind === 'dial-out');
    await Promise.all([
      ...(callers.length > 0 ? [connection.eject(callers)] : []),
      ...dialled.map(({ sessionId }) => connection.stopDialout({ sessionId })),
    ]);
  }

  /** What is told late of a leg that has ended means nothing. */
  #forget(sessionId: string): void {
    this.#others.delete(sessionId);
    this.#discarded.add(sessionId);
  }

  #serve(leg: Leg): void {
    this.#leg = leg;
    this.#isAnswered = leg.kind === 'dial-in';
    if (leg.kind === 'dial-in') this.#limit(PRESENCE_LIMIT_MS, () => this.actions.missed('participant_joined', leg));
  }

  #limitRinging(): void {
    const { leg } = this;
    if (!leg) return;
    const waitMs = this.#ringsSince === undefined ? DIAL_LIMIT_MS : this.#ringsSince - performance.now();
    this.#limit(waitMs + this.ringMs, () => {
      if (this.#seemsAnswered) this.actions.missed('dialout_answered', leg);
      else this.actions.rangTooLong(leg);
    });
  }

  /**
   * Whether a leg has answered although no event says so: it came into the room when it rang already. A provider may count
   * a ringing leg as a participant (rooms reference 16), which then comes as it begins to ring, and may be heard to ring.
   */
  get #seemsAnswered(): boolean {
    const { leg } = this;
    if (leg?.kind !== 'dial-out' || this.#isHeardRinging) return false;
    const [rang, came] = [this.#ringsSince, this.#cameAt.get(leg.sessionId)];
    return rang !== undefined && came !== undefined && came - rang > COMES_RINGING_MS;
  }

  /** The person who has answered hears nothing as long as no event says so. */
  #awaitAnswer(): void {
    const { leg } = this;
    if (!leg || !this.#seemsAnswered) return;
    const ringsUntil = (this.#ringsSince ?? 0) + this.ringMs;
    this.#limit(Math.min(ANSWER_LIMIT_MS, ringsUntil - performance.now()), () => {
      if (this.#seemsAnswered) this.actions.missed('dialout_answered', leg);
      else this.#limitRinging();
    });
  }

  /** What is waited for last is what counts. */
  #limit(limitMs: number, onLate: () => void): void {
    clearTimeout(this.#timer);
    if (!this.#isOver) this.#timer = setTimeout(onLate, limitMs);
  }

  #hearOfLeg(news: DialoutNews): void {
    if (news.type === 'ringing') this.#rings();
    else if (news.type === 'answered') {
      this.#isAnswered = true;
      this.#connect();
    } else this.#end(this.#reasonOf(news));
  }

  #rings(): void {
    if (this.#isAnswered) return;
    const isFirst = this.#ringsSince === undefined;
    this.#ringsSince ??= performance.now();
    this.actions.tell({ type: 'ringing' });
    if (isFirst) this.#limitRinging();
  }

  #reasonOf(news: DialoutNews): EndReason {
    if (this.expectedEnd) return this.expectedEnd;
    const wasAnswered = this.#isAnswered || this.#seemsAnswered;
    if (news.type !== 'failed') return wasAnswered ? 'caller_hung_up' : 'no_answer';
    return (!wasAnswered && legFailure(news.errorMsg)) || 'telephony_error';
  }

  #connect(): void {
    clearTimeout(this.#timer);
    const { leg } = this;
    if (leg && !this.#cameAt.has(leg.sessionId)) {
      this.#limit(PRESENCE_LIMIT_MS, () => this.actions.missed('participant_joined', leg));
    }
    if (this.#isConnected) return;
    this.#isConnected = true;
    this.actions.connected();
  }

  #end(reason: EndReason): void {
    this.#leg = undefined;
    this.close();
    this.actions.gone(reason);
  }
}
