import { settlesWithin } from '../../base/async/deadline.js';
import { deferred } from '../../base/async/deferred.js';
import type { Logger } from '../../base/logger.js';
import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { SharedOutboxes } from '../../cluster/events/shared-outboxes.js';
import type { Cluster } from '../../cluster/members/cluster.js';
import type { CallRegistry } from '../calls/life/call-registry.js';
import { AT_ONCE, type DeliveryClock, EventDelivery, systemClock } from './event-delivery.js';
import { ADOPTED_AT_ONCE, EventJournal } from './event-journal.js';
import { EventsReceiver } from './events-receiver.js';
import type { OutboxFile, OutboxState } from './outbox-file.js';
import { ToldCall } from './told-call.js';

/** How long the end of a call waits for what its bots have to tell, in milliseconds: news of another process come some at a time. */
const BOTS_LIMIT_MS = 1_000;
/** How often runners that are gone are looked for, in milliseconds. */
const SWEEP_MS = 60_000;
/** After more was found than is taken up at once, in milliseconds. */
const NEXT_SWEEP_MS = 200;
/** How long what is undelivered may hold up the end of the runner, in milliseconds. */
const CLOSE_LIMIT_MS = 3_000;
/** Nobody can still be talking in a call of a runner that is gone, so long after the longest call, in milliseconds. */
const LOST_SLACK_MS = 60_000;

/** Where the user's application is told of calls. */
export interface EventsSettings {
  /** https, or http on this machine. */
  readonly url: string;
  /** `whsec_` and base64 of 24 to 64 bytes. */
  readonly secret: string;
}

export interface ApplicationEventsOptions extends EventsSettings {
  readonly stateDirectory: string;
  /** Longest any call may last, in milliseconds. */
  readonly maxCallMs: number;
  /** Its runners go on delivering what one that is gone has left. Default: this runner is alone. */
  readonly cluster?: Cluster | undefined;
  readonly logger: Logger;
  /** Default: the system's. */
  readonly clock?: DeliveryClock | undefined;
  /** Longest wait for the receiver's answer, in milliseconds. Default 15 000. */
  readonly timeoutMs?: number | undefined;
}

/** What of a runner's options concerns its events. */
export interface RunnersEventsOptions extends Pick<ApplicationEventsOptions, 'stateDirectory' | 'cluster' | 'logger'> {
  readonly events?: (EventsSettings & Pick<ApplicationEventsOptions, 'clock'>) | undefined;
  readonly maxCallSeconds: number;
}

interface OpenCall {
  readonly told: ToldCall;
  readonly file: OutboxFile;
  /** Ends the wait for what is still to be told. */
  cancel: () => void;
}

/**
 * Tells the user's application of calls: each event is written down before anybody else learns what it says, and sent until it is
 * accepted, in order for each call. The last one of a call is `call.ended`, also when the runner dies.
 */
export class ApplicationEvents {
  readonly #receiver: EventsReceiver;
  readonly #journal: EventJournal;
  readonly #delivery: EventDelivery;
  readonly #shared: SharedOutboxes | undefined;
  readonly #clock: DeliveryClock;
  /** Calls that are another runner's now. */
  readonly #handedOver = new Set<CallId>();
  /** Calls that may have more to tell. */
  readonly #open = new Map<CallId, OpenCall>();
  #cancelSweep = () => {};
  #isClosed = false;

  /** Tells what is noted of a runner's calls, where it is to; those that move take with them what is not delivered. */
  static following(registry: CallRegistry, options: RunnersEventsOptions): ApplicationEvents | undefined {
    const { events, stateDirectory, cluster, maxCallSeconds, logger } = options;
    if (!events) return undefined;
    const maxCallMs = maxCallSeconds * 1_000;
    const told = new ApplicationEvents({ ...events, stateDirectory, cluster, logger, maxCallMs });
    const moved = (callId: CallId) => (error: unknown) =>
      logger.warn('events of a call that has moved stay with the runner that it was at', { callId, error });
    registry.on('adopted', (callId) => void told.takeOver(callId).catch(moved(callId)));
    registry.on('released', (callId) => void told.handOver(callId).catch(moved(callId)));
    registry.timelines.on('event', (callId, event) => told.see(callId, event));
    return told;
  }

  constructor(private readonly options: ApplicationEventsOptions) {
    const { stateDirectory, url, cluster, logger, clock = systemClock } = options;
    this.#clock = clock;
    this.#receiver = new EventsReceiver({ ...options, atOnce: AT_ONCE });
    this.#journal = new EventJournal({ stateDirectory, url, logger });
    this.#delivery = new EventDelivery({
      receiver: this.#receiver,
      logger,
      clock,
      onDone: (file) => this.#journal.forget(file),
      onOff: () => this.#forgetAll(),
    });
    this.#shared = cluster && this.#shareIn(cluster);
  }

  /** Events that are not accepted yet. */
  get waiting(): number {
    return this.#journal.count;
  }

  /** Resolves when nothing can be delivered at the moment. */
  async settled(): Promise<void> {
    await this.#shared?.written();
    await this.#delivery.settled();
    await this.#shared?.written();
  }

  /**
   * The call moves to another runner of the cluster, which goes on telling of it; what happens in it here is not told from now on.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE; its events stay here then
   */
  async handOver(callId: CallId): Promise<void> {
    if (!this.#shared || this.#delivery.isOff) return;
    this.#handedOver.add(callId);
    try {
      await this.#shared.handOver(callId);
    } catch (error) {
      this.#handedOver.delete(callId);
      throw error;
    }
  }

  /**
   * The call has moved to this runner: what other runners have not delivered of it is delivered here, and then what happens in it.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  async takeOver(callId: CallId): Promise<void> {
    this.#handedOver.delete(callId);
    if (!this.#delivery.isOff && !this.#isClosed) await this.#shared?.takeOver(callId);
  }

  /** What happens in a call, in order. Never throws. */
  see(callId: CallId, event: TimelineEvent): void {
    if (this.#delivery.isOff || this.#isClosed) return;
    try {
      const mayBegin = isBeginning(event) && !this.#handedOver.has(callId);
      if (isEnd(event)) this.#handedOver.delete(callId);
      const call = this.#open.get(callId) ?? (mayBegin ? this.#begin(callId) : undefined);
      if (call) this.#tell(callId, call, event);
    } catch (error) {
      this.options.logger.error('an event of a call was lost', { callId, error });
    }
  }

  /** Takes up what runners that are gone have left, now and from time to time. */
  recover(): void {
    this.#sweep();
    this.#shared?.follow();
  }

  #sweep(): void {
    if (this.#delivery.isOff) return;
    this.#journal.show();
    const isUp = this.#shared?.isUp ?? true; // whose the events are is asked first, where others may have taken them over
    const adopted = isUp ? this.#journal.adopt() : [];
    for (const file of adopted) this.#adopt(file);
    const isMore = adopted.length >= ADOPTED_AT_ONCE;
    this.#cancelSweep = this.#clock.after(isMore ? NEXT_SWEEP_MS : SWEEP_MS, () => this.#sweep());
  }

  /** Gives what waits a moment, unless `atOnce` is or becomes aborted, then leaves it to the next runner. */
  async close(atOnce: AbortSignal): Promise<void> {
    this.#cancelSweep();
    this.#shared?.stopTaking();
    for (const [id, call] of this.#open) if (call.file.hasEnded) this.#release(id, call);
    this.#delivery.hurry();
    const hurried = deferred();
    atOnce.addEventListener('abort', () => hurried.resolve(), { once: true });
    if (atOnce.aborted) hurried.resolve();
    await settlesWithin(Promise.race([this.settled(), hurried.promise]), CLOSE_LIMIT_MS);
    this.#isClosed = true; // what happens from here on, the next runner learns
    for (const { cancel } of this.#open.values()) cancel();
    this.#open.clear();
    this.#delivery.close();
    await Promise.all([this.#receiver.close(), this.#shared?.close()]);
    this.#journal.release();
  }

  #shareIn(cluster: Cluster): SharedOutboxes {
    const { url, logger } = this.options;
    return new SharedOutboxes({
      cluster,
      url,
      clock: this.#clock,
      logger,
      onReady: (file) => this.#delivery.push(file),
      onLost: (callId, file) => this.#drop(callId, file),
      onTaken: (state) => this.#take(state),
      onMerged: (callId, file) => this.#learn(callId, file),
    });
  }

  /** What a runner that is gone has left on this disk. */
  #adopt(file: OutboxFile): void {
    const callId = file.record?.id ?? file.next()?.event.data.callId;
    if (callId !== undefined && this.#shared?.merge(callId, file)) {
      this.#journal.forget(file);
      return;
    }
    this.#goOn(file);
    if (callId !== undefined) this.#shared?.attach(callId, file, true);
    this.#delivery.push(file);
  }

  #goOn(file: OutboxFile): void {
    const { record } = file;
    if (file.hasEnded) file.isHeld = false;
    else if (record && !this.#open.has(record.id)) this.#takeUp(file, record);
    else file.finish();
  }

  /** What a runner that is gone, or one that has given the call away, has left in the cluster. */
  #take(state: OutboxState): OutboxFile {
    const file = this.#journal.open();
    file.replace(state);
    this.#goOn(file);
    return file;
  }

  /** Other runners have told of a call of this one. */
  #learn(callId: CallId, file: OutboxFile): void {
    const call = this.#open.get(callId);
    call?.told.alsoTold(file.types);
    if (call && file.hasEnded) this.#end(callId, call);
  }

  /** Another runner tells of the call. */
  #drop(callId: CallId, file: OutboxFile): void {
    const call = this.#open.get(callId);
    if (call?.file === file) {
      call.cancel();
      this.#open.delete(callId);
    }
    this.#journal.forget(file);
  }

  #begin(id: CallId): OpenCall {
    const call = { told: new ToldCall(id), file: this.#journal.open(), cancel: () => {} };
    this.#open.set(id, call);
    this.#shared?.attach(id, call.file, false);
    return call;
  }

  #tell(id: CallId, call: OpenCall, event: TimelineEvent): void {
    const { told, file } = call;
    if (!file.hasEnded) call.cancel(); // a call of another runner has come to this one
    if (event.type === 'record') {
      file.keepRecord(event.record);
      if (isBeginning(event)) this.#shared?.hold(id);
    }
    const events = told.see(event);
    for (const one of events) file.add(one);
    if (file.hasEnded) this.#end(id, call);
    if (events.length > 0) this.#delivery.push(file);
  }

  /** Its bots may have something to tell that happened before. */
  #end(id: CallId, call: OpenCall): void {
    if (!call.told.hasBots) this.#release(id, call);
    else if (!call.file.isHeld) {
      call.file.isHeld = true;
      call.cancel = this.#clock.after(BOTS_LIMIT_MS, () => this.#release(id, call));
    }
  }

  #release(id: CallId, { file, cancel }: OpenCall): void {
    cancel();
    this.#open.delete(id);
    file.isHeld = false;
    this.#delivery.push(file);
  }

  /** A call whose runner is gone may go on without it, and may come to this one. Should it not, its end is told when it must be over. */
  #takeUp(file: OutboxFile, record: CallRecord): void {
    const { id, startedAt } = record;
    const overAt = startedAt + this.options.maxCallMs + LOST_SLACK_MS;
    const cancel = this.#clock.after(Math.max(0, overAt - this.#clock.now()), () => {
      const at = this.#clock.now();
      const endReason = file.types.has('call.transferred') ? 'transferred' : 'runner_stopped';
      const ended = { ...record, state: 'ended', endedAt: at, endReason } as const;
      this.see(id, { type: 'record', at, source: 'runner', record: ended });
    });
    this.#open.set(id, { told: new ToldCall(id, file.types), file, cancel });
  }

  #forgetAll(): void {
    this.#cancelSweep();
    this.#shared?.stopTaking();
    for (const { cancel } of this.#open.values()) cancel();
    this.#open.clear();
    this.#journal.forgetAll();
  }
}

const isEnd = (event: TimelineEvent) => event.type === 'record' && event.record.state === 'ended';
const isBeginning = (event: TimelineEvent) => event.type === 'record' && event.record.state !== 'ended';
