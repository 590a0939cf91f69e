import type { Logger } from '../../base/logger.js';
import type { EventsReceiver, ReceiverAnswer } from './events-receiver.js';
import type { KeptEvent, OutboxFile } from './outbox-file.js';

/** Requests at once. */
export const AT_ONCE = 8;
/** Waits before the next tries, in milliseconds; the last is repeated. A random part of up to a fifth is added. */
const WAITS_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000];
/** After so many failures in a row, and nothing else, one request at a time asks for all. */
const PROBED_AFTER = 20;
/** Longest wait between two of these, and the longest when another call has something new to tell, in milliseconds. */
const LONGEST_PROBE_MS = 600_000;
const FRESH_PROBE_MS = 30_000;
/** The longest wait that is granted to a receiver that asks for one, in milliseconds. */
const LONGEST_ASKED_MS = 3_600_000;
/** It is told that nothing is accepted after so many failures in a row, and this long after the first, in milliseconds. */
const TOLD_AFTER = 3;
const TOLD_AFTER_MS = 20_000;
/** Least time between two times that it is told, in milliseconds. */
const TOLD_EVERY_MS = 600_000;
/** How long the receiver, or one event, is tried, in milliseconds; and how old an event may be that earlier runners have tried. */
const GIVEN_UP_AFTER_MS = 24 * 60 * 60 * 1_000;
const OLDEST_MS = 3 * GIVEN_UP_AFTER_MS;

export interface DeliveryClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs something later, unless it is cancelled. Keeps no process alive. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: DeliveryClock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

export interface EventDeliveryOptions {
  readonly receiver: Pick<EventsReceiver, 'origin' | 'send'>;
  readonly logger: Logger;
  readonly clock: DeliveryClock;
  /** The last event of a call is delivered or given up. */
  onDone(file: OutboxFile): void;
  /** Nothing is sent any more. */
  onOff(): void;
}

type FailedTry = Extract<ReceiverAnswer, { is: 'failed' }>;

/** Nothing was accepted any more. */
interface Failing {
  /** Calls whose events were refused. */
  readonly files: Set<OutboxFile>;
  /** From when on it is not only events that others have been accepted beside. */
  since: number | undefined;
  /** In a row. */
  failures: number;
  /** Requests that have asked for all. */
  probes: number;
  isTold: boolean;
}

/** The event that is next in a call was refused. */
interface Refused {
  tries: number;
  /** When it was for the first time. */
  since: number;
  /** How many events the receiver had accepted by then, the last time. */
  accepted: number;
  /** Others were accepted between two tries: the receiver may have something against this one. */
  isAlone: boolean;
}

/**
 * Delivers the events of each call in order, several calls at once. A call whose event was not accepted waits, others go on. While
 * nothing is accepted at all, one request at a time finds out whether the receiver is back; then everybody goes on.
 */
export class EventDelivery {
  /** Calls whose next event can be sent, in the order of their turns. */
  readonly #ready = new Set<OutboxFile>();
  readonly #busy = new Set<OutboxFile>();
  /** How to wake those that wait. */
  readonly #waiting = new Map<OutboxFile, () => void>();
  readonly #refused = new Map<OutboxFile, Refused>();
  readonly #idle = new Set<() => void>();
  #failing: Failing | undefined;
  #accepted = 0;
  #triedAt = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #notBefore = 0;
  /** The receiver has asked to be left alone until then. */
  #askedUntil = 0;
  #cancelPause = () => {};
  #isOff = false;
  #isClosed = false;

  constructor(private readonly options: EventDeliveryOptions) {}

  /** Nothing is sent any more. */
  get isOff(): boolean {
    return this.#isOff;
  }

  /** There may be something to deliver. */
  push(file: OutboxFile): void {
    if (this.#isOff || this.#isClosed || this.#busy.has(file) || this.#waiting.has(file)) return;
    this.#ready.add(file);
    if (this.#isProbing && this.#isFresh(file))
      this.#pauseUntil(Math.min(this.#notBefore, this.#triedAt + FRESH_PROBE_MS));
    this.#go();
  }

  /** Every call that waits for another try has one now, unless none would succeed. */
  hurry(): void {
    if (this.#isProbing) return;
    for (const [file, cancel] of this.#waiting) {
      cancel();
      this.#ready.add(file);
    }
    this.#waiting.clear();
    this.#go();
  }

  /** Resolves when nothing can be delivered at the moment. */
  async settled(): Promise<void> {
    const isIdle = () => this.#busy.size === 0 && (this.#ready.size === 0 || this.#isPaused);
    if (!isIdle()) await new Promise<void>((resolve) => this.#idle.add(resolve));
  }

  /** Ends every wait; what is under way has to be broken off, and counts for nothing. */
  close(): void {
    this.#isClosed = true;
    this.#cancelPause();
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
    this.#ready.clear();
    this.#noteIdle();
  }

  /** One request at a time asks for all. */
  get #isProbing(): boolean {
    return this.#failing !== undefined && this.#failing.failures >= PROBED_AFTER;
  }

  get #isPaused(): boolean {
    return this.options.clock.now() < this.#notBefore;
  }

  #go(): void {
    while (!this.#isPaused && this.#busy.size < (this.#isProbing ? 1 : AT_ONCE)) {
      const file = this.#inTurn();
      if (!file) break;
      this.#ready.delete(file);
      const kept = file.next();
      if (kept) void this.#send(file, kept);
      else if (file.isDone) this.#forget(file);
    }
    this.#noteIdle();
  }

  /** When nothing is accepted, what is new finds out whether that is so for all. */
  #inTurn(): OutboxFile | undefined {
    const [first] = this.#ready;
    return (this.#isProbing ? [...this.#ready].findLast((file) => this.#isFresh(file)) : undefined) ?? first;
  }

  #isFresh(file: OutboxFile): boolean {
    return !this.#refused.has(file);
  }

  #noteIdle(): void {
    if (this.#busy.size > 0 || (this.#ready.size > 0 && !this.#isPaused)) return;
    for (const tell of this.#idle) tell();
    this.#idle.clear();
  }

  async #send(file: OutboxFile, kept: KeptEvent): Promise<void> {
    this.#busy.add(file);
    const answer = await this.options.receiver.send(kept);
    this.#busy.delete(file);
    if (this.#isOff) return;
    if (answer.is === 'accepted') this.#accept(file, kept);
    else if (this.#isClosed) return;
    else if (answer.is === 'gone') this.#switchOff('answered 410, which asks for no more events');
    else this.#fail(file, kept, answer);
    this.#go();
  }

  #accept(file: OutboxFile, { id }: KeptEvent): void {
    const { logger, receiver } = this.options;
    file.settle(id);
    this.#accepted += 1;
    this.#refused.delete(file);
    if (!this.#isClosed) this.#ready.add(file);
    const wasProbing = this.#isProbing;
    const wasTold = this.#failing?.isTold;
    this.#failing = undefined;
    if (wasTold) logger.warn('the events receiver accepts events again', { receiver: receiver.origin });
    if (wasProbing || wasTold) this.#everybodyGoesOn();
  }

  #fail(file: OutboxFile, kept: KeptEvent, { reason, retryAfterMs = 0 }: FailedTry): void {
    const { clock } = this.options;
    const now = clock.now();
    const refused = this.#noteRefused(file);
    const failing = this.#noteFailing(file, refused, reason);
    if (failing.since !== undefined && now - failing.since >= GIVEN_UP_AFTER_MS) {
      this.#switchOff(`has accepted none for a day (${reason})`);
      return;
    }
    this.#triedAt = now;
    const askedMs = Math.min(retryAfterMs, LONGEST_ASKED_MS);
    this.#askedUntil = Math.max(this.#askedUntil, now + askedMs);
    this.#pauseUntil(this.#notBefore);
    if (this.#isProbing) {
      this.#ready.add(file);
      if (this.#busy.size > 0) return; // of those that were under way together the last one counts
      failing.probes += 1;
      this.#pauseUntil(now + Math.min(waitMs(failing.probes), LONGEST_PROBE_MS));
    } else if (isTooOld(kept, refused, now)) this.#drop(file, kept, reason);
    else {
      const wake = () => {
        this.#waiting.delete(file);
        this.push(file);
      };
      this.#waiting.set(file, clock.after(Math.max(askedMs, waitMs(refused.tries)), wake));
    }
  }

  #noteRefused(file: OutboxFile): Refused {
    const before = this.#refused.get(file);
    const refused: Refused = {
      tries: (before?.tries ?? 0) + 1,
      since: before?.since ?? this.options.clock.now(),
      accepted: this.#accepted,
      isAlone: before !== undefined && (before.isAlone || before.accepted < this.#accepted),
    };
    this.#refused.set(file, refused);
    return refused;
  }

  #everybodyGoesOn(): void {
    this.#pauseUntil(0);
    this.hurry();
  }

  /** Tells once that nothing is accepted any more. */
  #noteFailing(file: OutboxFile, { isAlone }: Refused, reason: string): Failing {
    const { clock, logger, receiver } = this.options;
    this.#failing ??= { files: new Set(), since: undefined, failures: 0, probes: 0, isTold: false };
    const failing = this.#failing;
    failing.files.add(file);
    if (isAlone && failing.files.size === 1) return failing;
    failing.since ??= clock.now();
    failing.failures += 1;
    const now = clock.now();
    const isClear = failing.failures >= TOLD_AFTER && now - failing.since >= TOLD_AFTER_MS;
    if (isClear && !failing.isTold && now - this.#toldAt >= TOLD_EVERY_MS) {
      failing.isTold = true;
      this.#toldAt = now;
      const told = 'the events receiver accepts no events: they are kept, and sent again for a day';
      logger.warn(told, { receiver: receiver.origin, reason });
    }
    return failing;
  }

  /** The receiver accepts others, and not this one. */
  #drop(file: OutboxFile, { id, event }: KeptEvent, reason: string): void {
    const { type, data } = event;
    const told = 'an event that the receiver has not accepted within a day is dropped';
    this.options.logger.warn(told, { callId: data.callId, type, id, reason });
    file.settle(id);
    this.#refused.set(file, { tries: 0, since: this.options.clock.now(), accepted: this.#accepted, isAlone: true });
    this.#ready.add(file);
  }

  /** The receiver as a whole is left alone, until then or for as long as it has asked for. @param at milliseconds since the Unix epoch */
  #pauseUntil(at: number): void {
    const { clock } = this.options;
    this.#notBefore = Math.max(at, this.#askedUntil);
    this.#cancelPause();
    if (!this.#isPaused) return;
    this.#cancelPause = clock.after(this.#notBefore - clock.now(), () => {
      this.#notBefore = 0; // a timer may be early
      this.#go();
    });
  }

  #switchOff(why: string): void {
    const { logger, receiver, onOff } = this.options;
    this.#isOff = true;
    this.close();
    this.#refused.clear();
    const told = `the events receiver ${why}: its events are dropped, and none are sent until the runner is started again`;
    logger.warn(told, { receiver: receiver.origin });
    onOff();
  }

  #forget(file: OutboxFile): void {
    this.#refused.delete(file);
    this.options.onDone(file);
  }
}

const isTooOld = ({ event }: KeptEvent, { since }: Refused, now: number) =>
  now - since >= GIVEN_UP_AFTER_MS || now - Date.parse(event.timestamp) >= OLDEST_MS;

/** @param tries 1 or more */
function waitMs(tries: number): number {
  const base = WAITS_MS[Math.min(tries, WAITS_MS.length) - 1] as number;
  return base * (1 + Math.random() / 5);
}
