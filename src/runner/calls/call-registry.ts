import { EventEmitter } from 'node:events';
import type { CallDirection, CallState, EndReason } from '../../call/call.js';
import type { CallId, ProviderCallId } from '../../call/call-id.js';

/** A call as operators see it; plain JSON. Times are milliseconds since the Unix epoch. */
export interface CallRecord {
  readonly id: CallId;
  /** The carrier's identifier; for a dialled call known once the carrier has told it. */
  readonly providerCallId?: ProviderCallId;
  readonly direction: CallDirection;
  readonly from: string;
  readonly to: string;
  readonly state: CallState;
  /** Which bot serves it: 1, and one more for each that was replaced. */
  readonly attempt: number;
  /** How often the media stream was lost with the tunnel and the caller brought back. */
  readonly reconnects?: number;
  readonly startedAt: number;
  /** When a person or machine at the other end picked up. */
  readonly answeredAt?: number;
  /** What picked up, where the carrier was asked to find out. */
  readonly answeredBy?: 'person' | 'machine';
  readonly connectedAt?: number;
  readonly endedAt?: number;
  readonly endReason?: EndReason;
}

export type CallChange = Partial<
  Pick<CallRecord, 'state' | 'attempt' | 'reconnects' | 'providerCallId' | 'answeredAt' | 'answeredBy'>
>;

/** Ended calls kept for looking back. */
const MAX_ENDED = 1_000;

/** Every call of this runner: the live ones and the most recent ended ones. */
export class CallRegistry extends EventEmitter<{ change: [record: CallRecord] }> {
  readonly #live = new Map<CallId, CallRecord>();
  readonly #ended = new Map<CallId, CallRecord>();
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

  /** From the answer to the end of a call, in milliseconds; 0 when nobody answered. */
  talkedMs(id: CallId): number {
    const { answeredAt, endedAt = Date.now() } = this.get(id) ?? {};
    return answeredAt === undefined ? 0 : endedAt - answeredAt;
  }

  open(call: Pick<CallRecord, 'id' | 'providerCallId' | 'direction' | 'from' | 'to' | 'state'>, attempt = 1): void {
    this.#put({ ...call, attempt, startedAt: Date.now() });
  }

  /** Changes a live call; an ended one stays as it is. */
  update(id: CallId, change: CallChange): void {
    const record = this.#live.get(id);
    if (!record) return;
    const isFirstConnect = change.state === 'connected' && record.connectedAt === undefined;
    this.#put({ ...record, ...change, ...(isFirstConnect && { connectedAt: Date.now() }) });
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
    const ended: CallRecord = { ...record, state: 'ended', endedAt: Date.now(), endReason };
    this.#ended.set(id, ended);
    if (this.#ended.size > MAX_ENDED) this.#ended.delete(this.#ended.keys().next().value as CallId);
    for (const done of this.#waiting.get(id) ?? []) done();
    this.#waiting.delete(id);
    this.emit('change', ended);
  }

  #put(record: CallRecord): void {
    this.#live.set(record.id, record);
    this.emit('change', record);
  }
}
