import { join } from 'node:path';
import { settlesWithin } from '../../base/async/deadline.js';
import { deferred } from '../../base/async/deferred.js';
import type { Logger } from '../../base/logger.js';
import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import { callFolderName, callFoldersDirectory } from '../../call/folder/folder-name.js';
import { isRecordingRemoved } from '../../call/folder/removed-recording.js';
import type { TimelineEvent } from '../../call/timeline.js';
import type { CallRegistry } from '../calls/life/call-registry.js';
import type { ApplicationEventType } from './application-event.js';
import { CallEventPicker } from './call-event-picker.js';
import { AT_ONCE, type DeliveryClock, EventDelivery, systemClock } from './event-delivery.js';
import { ADOPTED_AT_ONCE, EventJournal } from './event-journal.js';
import { EventsReceiver } from './events-receiver.js';
import type { OutboxFile } from './outbox-file.js';

/** How long the end of a call waits for what its bots have to tell, in milliseconds: messages of another process come some at a time. */
const BOTS_LIMIT_MS = 1_000;
/** How often runners that are gone are looked for, in milliseconds. */
const SWEEP_MS = 60_000;
/** After more was found than is taken up at once, in milliseconds. */
const NEXT_SWEEP_MS = 200;
/** How long what is undelivered may hold up the end of the runner, in milliseconds. */
const CLOSE_LIMIT_MS = 3_000;
/** No caller can still be talking in a call of a runner that is gone, so long after the longest call, in milliseconds. */
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
  /** Whether another runner goes on with a call of one that has died, or has told its end. */
  readonly goesOnElsewhere: (callId: CallId) => Promise<boolean>;
  readonly logger: Logger;
  /** Default: the system's. */
  readonly clock?: DeliveryClock | undefined;
  /** Longest wait for the receiver's answer, in milliseconds. Default 15 000. */
  readonly timeoutMs?: number | undefined;
}

/** What of a runner's options concerns its events. */
export interface RunnersEventsOptions
  extends Pick<ApplicationEventsOptions, 'stateDirectory' | 'goesOnElsewhere' | 'logger'> {
  readonly events?: (EventsSettings & Pick<ApplicationEventsOptions, 'clock'>) | undefined;
  readonly maxCallSeconds: number;
}

interface OpenCall {
  readonly told: CallEventPicker;
  readonly file: OutboxFile;
  /** Ends the wait for what is still to be told. */
  cancel: () => void;
  /** Its runner has died, and nothing has been heard of it here. */
  isLost: boolean;
}

/**
 * Tells the user's application of calls: each event is written down before anybody else learns what it says, and sent until it is
 * accepted, in order for each call. The last one of a call is `call.ended`, also when the runner dies.
 */
export class ApplicationEvents {
  readonly #receiver: EventsReceiver;
  readonly #journal: EventJournal;
  readonly #delivery: EventDelivery;
  readonly #clock: DeliveryClock;
  /** Calls that may have more to tell. */
  readonly #open = new Map<CallId, OpenCall>();
  /** Nothing of what was said in these is to be kept. */
  readonly #removed = new Set<CallId>();
  #cancelSweep = () => {};
  #isClosed = false;

  /** Tells what is noted of a runner's calls, where the runner has a receiver. What was not delivered of a call that moves to another runner stays here. */
  static following(registry: CallRegistry, options: RunnersEventsOptions): ApplicationEvents | undefined {
    const { events, stateDirectory, goesOnElsewhere, maxCallSeconds, logger } = options;
    if (!events) return undefined;
    const maxCallMs = maxCallSeconds * 1_000;
    const told = new ApplicationEvents({ ...events, stateDirectory, goesOnElsewhere, logger, maxCallMs });
    registry.on('adopted', (record) => told.goOn(record));
    registry.on('released', (callId) => told.letGo(callId));
    registry.on('recordings_removed', (ids) => told.forgetTalk(ids));
    registry.timelines.on('event', (callId, event) => {
      const { isLocal } = event.type === 'record' ? event.record : (registry.get(callId) ?? {});
      if (!isLocal) told.see(callId, event); // an application would take it for a call of a customer
    });
    return told;
  }

  constructor(private readonly options: ApplicationEventsOptions) {
    const { stateDirectory, url, logger, clock = systemClock } = options;
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
  }

  /** Events that are not accepted yet. */
  get waiting(): number {
    return this.#journal.count;
  }

  /** Resolves when nothing can be delivered at the moment. */
  settled(): Promise<void> {
    return this.#delivery.settled();
  }

  /** A call that another runner had goes on at this one: what that runner must have told is not told again. */
  goOn(record: CallRecord): void {
    if (this.#delivery.isOff || this.#isClosed) return;
    const call = this.#open.get(record.id);
    if (call) this.#isHere(call);
    else this.#begin(record.id, toldOf(record));
  }

  /** A call goes on at another runner, which tells what comes. */
  letGo(callId: CallId): void {
    const call = this.#open.get(callId);
    if (!call) return;
    call.file.finish();
    this.#release(callId, call);
  }

  /** What was said in these calls is not to be kept: what waits to be delivered has none of it from now on. */
  forgetTalk(ids: readonly CallId[]): void {
    for (const id of ids) this.#removed.add(id);
    this.#journal.forgetTalk(new Set(ids));
  }

  /** What happens in a call, in order. Never throws. */
  see(callId: CallId, event: TimelineEvent): void {
    if (this.#delivery.isOff || this.#isClosed) return;
    try {
      const call = this.#open.get(callId) ?? (isBeginning(event) ? this.#begin(callId) : undefined);
      if (call) this.#tell(callId, call, event);
    } catch (error) {
      this.options.logger.error('an event of a call was lost', { callId, error });
    }
  }

  /** Takes up what runners that are gone have left, now and from time to time. */
  recover(): void {
    if (this.#delivery.isOff) return;
    this.#journal.show();
    const adopted = this.#journal.adopt();
    for (const file of adopted) this.#adopt(file);
    const isMore = adopted.length >= ADOPTED_AT_ONCE;
    this.#cancelSweep = this.#clock.after(isMore ? NEXT_SWEEP_MS : SWEEP_MS, () => this.recover());
  }

  /** Gives what waits a moment, unless `atOnce` is or becomes aborted, then leaves it to the next runner. */
  async close(atOnce: AbortSignal): Promise<void> {
    this.#cancelSweep();
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
    await this.#receiver.close();
    this.#journal.release();
  }

  /** What a runner that has died has left on this disk. */
  #adopt(file: OutboxFile): void {
    const { record } = file;
    if (record && this.#isRemoved(record)) file.forgetTalk();
    if (file.hasEnded) file.isHeld = false;
    else if (record && !this.#open.has(record.id)) this.#takeUp(file, record);
    else file.finish();
    this.#delivery.push(file);
  }

  /** That its recording is removed may have been told while its runner was gone. */
  #isRemoved({ id, startedAt }: CallRecord): boolean {
    const folder = join(callFoldersDirectory(this.options.stateDirectory), callFolderName(id, startedAt));
    return this.#removed.has(id) || isRecordingRemoved(folder);
  }

  #begin(id: CallId, told: readonly ApplicationEventType[] = []): OpenCall {
    const file = this.#journal.open();
    if (told.length > 0) file.keepTold(told);
    const call = { told: new CallEventPicker(id, told), file, cancel: () => {}, isLost: false };
    this.#open.set(id, call);
    return call;
  }

  #tell(id: CallId, call: OpenCall, event: TimelineEvent): void {
    const { told, file } = call;
    if (!file.hasEnded) this.#isHere(call);
    if (event.type === 'record') file.keepRecord(event.record);
    const events = told.see(event);
    for (const one of events) {
      // what a call has cost is told late only while its end waits for its bots
      if (one.type !== 'call.ended' || !file.hasEnded || file.isHeld) file.add(one);
    }
    if (file.hasEnded) this.#end(id, call);
    if (events.length > 0) this.#delivery.push(file);
  }

  /** A call of a runner that has died has come to this one. */
  #isHere(call: OpenCall): void {
    call.cancel();
    call.isLost = false;
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

  /** A call whose runner has died may go on without it, and may come to this one. Should it not, its end is told when it must be over. */
  #takeUp(file: OutboxFile, record: CallRecord): void {
    const { id, startedAt } = record;
    const call: OpenCall = { told: new CallEventPicker(id, file.types), file, cancel: () => {}, isLost: true };
    const overAt = startedAt + this.options.maxCallMs + LOST_SLACK_MS;
    this.#open.set(id, call);
    this.#unlessElsewhere(id, call, () => {
      call.cancel = this.#clock.after(Math.max(0, overAt - this.#clock.now()), () =>
        this.#unlessElsewhere(id, call, () => this.#tellLost(record, file)),
      );
    });
  }

  /** Its end, which no runner has seen. */
  #tellLost(record: CallRecord, file: OutboxFile): void {
    const at = this.#clock.now();
    const endReason = file.types.has('call.transferred') ? 'transferred' : 'runner_stopped';
    const ended = { ...record, state: 'ended', endedAt: at, endReason } as const;
    this.see(record.id, { type: 'record', at, source: 'runner', record: ended });
  }

  /** Goes on with a call of a runner that has died, unless another runner tells what becomes of it. While that cannot be asked, it waits. */
  #unlessElsewhere(id: CallId, call: OpenCall, goOn: () => void): void {
    const isStillLost = () => this.#open.get(id) === call && call.isLost;
    this.options.goesOnElsewhere(id).then(
      (isElsewhere) => {
        if (!isStillLost()) return;
        if (isElsewhere) this.letGo(id);
        else goOn();
      },
      () => {
        if (isStillLost()) call.cancel = this.#clock.after(SWEEP_MS, () => this.#unlessElsewhere(id, call, goOn));
      },
    );
  }

  #forgetAll(): void {
    this.#cancelSweep();
    for (const { cancel } of this.#open.values()) cancel();
    this.#open.clear();
    this.#journal.forgetAll();
  }
}

const isBeginning = (event: TimelineEvent) => event.type === 'record' && event.record.state !== 'ended';

/** What the former runner of a call has told of it, by its record. */
const toldOf = ({ answeredAt }: CallRecord): ApplicationEventType[] =>
  answeredAt === undefined ? ['call.started'] : ['call.started', 'call.answered'];
