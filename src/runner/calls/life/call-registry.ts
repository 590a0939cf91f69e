import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { EndReason } from '../../../call/call.js';
import type { CallCost } from '../../../call/call-cost.js';
import { asCallId, type CallId } from '../../../call/call-id.js';
import type { CallRecord } from '../../../call/call-record.js';
import type { RecordingOrder } from '../../../call/call-tape.js';
import { type ColdTransfers, NO_TRANSFERS } from '../../costs/paid-legs.js';
import { CallTimelines } from './call-timelines.js';

export type CallChange = Partial<
  Pick<
    CallRecord,
    | 'state'
    | 'attempt'
    | 'reconnects'
    | 'providerCallId'
    | 'answeredAt'
    | 'answeredBy'
    | 'disclosure'
    | 'recordingNotice'
    | 'recordingRemovedAt'
    | 'cost'
    | 'doNotCall'
    | 'consulted'
  >
>;

/** What may be learnt of a call when it is over. */
export type LateChange = Pick<
  CallChange,
  'cost' | 'disclosure' | 'doNotCall' | 'recordingNotice' | 'recordingRemovedAt'
>;

/** Ended calls kept for looking back. */
const MAX_ENDED = 1_000;

/** Names a call that goes out: its provider has not named it yet. */
export const newCallId = (): CallId => asCallId(`out_${randomBytes(12).toString('base64url')}`);

export interface CallRegistryEvents {
  change: [record: CallRecord];
  /** A live call that another runner had is this one's now. */
  adopted: [record: CallRecord, transfers: ColdTransfers];
  /** Another runner has the call now: nothing more is known of it here. */
  released: [id: CallId];
  /** More is known of a call that is over: what it has cost, what was heard first, that its recording is removed, or its number not to be called again. */
  amended: [record: CallRecord];
  /** Nothing of what was said in these calls is to be kept. They need not be known here. */
  recordings_removed: [ids: readonly CallId[]];
  /** A call is over, and what it has cost is all known. Only where calls are priced. */
  settled: [record: CallRecord];
}

/** What is known of a call that begins. */
type NewRecord = Pick<
  CallRecord,
  'id' | 'providerCallId' | 'direction' | 'from' | 'to' | 'linkedTo' | 'isLocal' | 'state'
>;

/** Every call of this runner: the live ones and the most recent ended ones. */
export class CallRegistry extends EventEmitter<CallRegistryEvents> {
  /** What happens in them. */
  readonly timelines = new CallTimelines();
  readonly #live = new Map<CallId, CallRecord>();
  readonly #ended = new Map<CallId, CallRecord>();
  /** Where the bots of a call record it; undefined where it is not recorded. */
  recordingOf: (id: CallId) => RecordingOrder | undefined = () => undefined;
  /** What a call has cost so far; undefined where calls are not priced. */
  costOf: (record: CallRecord) => CallCost | undefined = () => undefined;
  /** Resolves when what a call has cost is all known; at once where it is, or where calls are not priced. */
  settledOf: (id: CallId) => Promise<void> = async () => {};
  /** What a runner that takes a call over has to know of its cold transfers. */
  transfersOf: (id: CallId) => ColdTransfers = () => NO_TRANSFERS;
  /** Whether this process follows what is said in calls that are not recorded. */
  followsTalk = false;
  /** What the records of calls that begin here name as the bot. */
  botFile: string | undefined;
  /** What to do when a live call ends. */
  readonly #waiting = new Map<CallId, Array<() => void>>();

  get liveCount(): number {
    return this.#live.size;
  }

  /** Newest first. */
  list(): CallRecord[] {
    return [...this.#ended.values(), ...this.#live.values()].reverse();
  }

  get(id: CallId): CallRecord | undefined {
    return this.#live.get(id) ?? this.#ended.get(id);
  }

  /** From the answer to the end of a call, in milliseconds; 0 when it was not answered. */
  talkedMs(id: CallId): number {
    const { answeredAt, endedAt = Date.now() } = this.get(id) ?? {};
    return answeredAt === undefined ? 0 : endedAt - answeredAt;
  }

  open(call: NewRecord, attempt = 1): void {
    const { botFile } = this;
    const [startedAt, other] = [Date.now(), call.linkedTo && this.get(call.linkedTo)];
    // what its bot says may have been said by the one who has objected
    const removed = other?.recordingRemovedAt === undefined ? {} : { recordingRemovedAt: startedAt };
    this.#put({ ...call, ...(botFile && { botFile }), attempt, startedAt, ...removed });
    if (other) this.update(other.id, { consulted: [...(other.consulted ?? []), call.id] });
  }

  /** A live call that another runner had until now. */
  adopt(record: CallRecord, transfers = NO_TRANSFERS): void {
    this.#ended.delete(record.id);
    this.emit('adopted', record, transfers);
    this.#put(record);
  }

  /** Forgets a live call that another runner has now; what {@link onceEnded} was given for it is never called. */
  release(id: CallId): void {
    if (!this.#live.delete(id)) return;
    this.#waiting.delete(id);
    this.timelines.release(id);
    this.emit('released', id);
  }

  /** Changes a live call; an ended one stays as it is. */
  update(id: CallId, change: CallChange): void {
    const record = this.#live.get(id);
    if (!record) return;
    const isFirstConnect = change.state === 'connected' && record.connectedAt === undefined;
    this.#put({ ...record, ...change, ...(isFirstConnect && { connectedAt: Date.now() }) });
  }

  /**
   * Changes a call that may be over.
   * @see update
   */
  amend(id: CallId, change: LateChange): void {
    const record = this.#ended.get(id);
    if (!record) {
      this.update(id, change);
      return;
    }
    const amended = { ...record, ...change };
    this.#ended.set(id, amended);
    this.timelines.note(id, { type: 'record', record: amended });
    this.emit('amended', amended);
  }

  /** Who has heard that a machine calls, and that it records, was not the other party. */
  forgetNotices(id: CallId): void {
    const record = this.#live.get(id);
    if (!record) return;
    const { disclosure: _, recordingNotice: __, ...rest } = record;
    this.#put(rest);
  }

  /**
   * A party of these calls wishes that nothing is kept of what was said: neither on the disk nor here. It goes for the calls that are linked
   * with them too, which have the same voices.
   */
  removeRecordings(ids: readonly CallId[]): void {
    const all = this.#linkedWith(ids);
    for (const id of all) {
      const record = this.get(id);
      if (record && record.recordingRemovedAt === undefined) this.amend(id, { recordingRemovedAt: Date.now() });
      this.timelines.forgetTalk(id);
    }
    this.emit('recordings_removed', all);
  }

  /** These calls and those beside which they were dialled, or which were dialled beside them. */
  #linkedWith(ids: readonly CallId[]): CallId[] {
    const all = new Set(ids);
    for (const id of all) {
      const { linkedTo, consulted = [] } = this.get(id) ?? {};
      for (const other of [...(linkedTo ? [linkedTo] : []), ...consulted]) all.add(other);
    }
    return [...all];
  }

  /** Calls `done` when the call is over, at once if it is already. */
  onceEnded(id: CallId, done: () => void): void {
    if (!this.#live.has(id)) {
      done();
      return;
    }
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.set(id, [...waiting, done]);
  }

  /** The first reason stays. */
  end(id: CallId, endReason: EndReason): void {
    const record = this.#live.get(id);
    if (!record) return;
    this.#live.delete(id);
    const over: CallRecord = { ...record, state: 'ended', endedAt: Date.now(), endReason };
    const cost = this.costOf(over);
    const ended: CallRecord = cost ? { ...over, cost } : over;
    this.#ended.set(id, ended);
    if (this.#ended.size > MAX_ENDED) this.#ended.delete(this.#ended.keys().next().value as CallId);
    for (const done of this.#waiting.get(id) ?? []) done();
    this.#waiting.delete(id);
    this.#changed(ended);
  }

  /** Nothing more of what a call that is over has cost is to come. */
  settle(id: CallId): void {
    const record = this.#ended.get(id);
    if (record) this.emit('settled', record);
  }

  #put(record: CallRecord): void {
    this.#live.set(record.id, record);
    this.#changed(record);
  }

  #changed(record: CallRecord): void {
    this.timelines.note(record.id, { type: 'record', record });
    this.emit('change', record);
  }
}
