import { z } from 'zod';
import type { CallId } from '../../../call/call-id.js';
import { type ReadRecord, recordIn } from '../../../call/folder/read-record.js';
import { type ColdTransfers, NO_TRANSFERS } from '../../costs/paid-legs.js';
import type { DialGate, MovedPlace } from '../../dialing/dial-limits.js';
import type { MovingCalls, PortableCall } from '../../http/elsewhere.js';
import type { CallDriver, CallParts } from './call-driver.js';
import type { CallRegistry } from './call-registry.js';
import { type PortableLife, readPortable, unpackLife } from './portable-life.js';
import type { CallSupervisor } from './supervisor.js';

/** A live call as JSON, for another runner to go on with. */
interface PackedCall extends PortableLife {
  readonly version: 1;
  /** What its driver knows of it. */
  readonly parts: CallParts;
  readonly transfers: ColdTransfers;
  /** Undefined for a call that counts against no limits. */
  readonly place?: MovedPlace | undefined;
}

const LEG = z.object({ to: z.string().max(256), at: z.number() });
const TRANSFERS: z.ZodType<ColdTransfers> = z.object({ asked: LEG.optional(), answered: z.array(LEG) });
const PLACE: z.ZodType<MovedPlace> = z.object({
  number: z.string().max(256).optional(),
  day: z.number().optional(),
  minutes: z.number().nonnegative(),
  micros: z.number().nonnegative(),
  admittedAt: z.number(),
});
const PACKED = z.object({
  version: z.literal(1),
  parts: z.record(z.string(), z.unknown()),
  transfers: TRANSFERS.default(NO_TRANSFERS),
  place: PLACE.optional(),
});
const RECORD = z.object({ record: z.custom<ReadRecord>((read) => read !== undefined) });

/** @throws VoicebotError VB_CLUSTER_UNSUITABLE for what another version has packed, or is damaged */
function unpacked({ record, life: packed }: PortableCall) {
  const { parts, transfers, place } = readPortable(PACKED, packed);
  const life = unpackLife(packed);
  const { id } = life.life.terms;
  const read = readPortable(RECORD, { record: recordIn(record, { id, startedAt: Date.now() }) });
  return { id, record: { ...read.record.record, id }, life, parts, transfers, place };
}

/** A driver whose calls can move from one runner to another. */
export interface MovingDriver extends Pick<CallDriver, 'partsOf' | 'restore' | 'forget'> {
  readonly supervisor: CallSupervisor;
  /** The room of a call that has moved here was not there yet. */
  reopen?(id: CallId): Promise<void>;
}

/** Moves live calls from one runner to another: what is needed to go on travels as JSON, bots and streams stay behind. */
export class CallMoves implements MovingCalls {
  constructor(
    private readonly driver: MovingDriver,
    private readonly registry: CallRegistry,
    private readonly limits: Pick<DialGate, 'slotOf' | 'placeOf' | 'letGo'>,
  ) {}

  /** A live call as it is; undefined when it is over. */
  pack(id: CallId): PortableCall | undefined {
    const { supervisor } = this.driver;
    const record = this.registry.get(id);
    const life = supervisor.pack(id);
    const parts = this.driver.partsOf(id);
    if (!record || !life || !parts) return undefined;
    const place = this.limits.placeOf?.(id);
    const packed: PackedCall = { version: 1, ...life, parts, transfers: this.registry.transfersOf(id), place };
    return { record, life: { ...packed } };
  }

  /** Whether the provider does not come by itself for what comes next: in a room, and for as long as a transfer goes on. */
  isForTaking(call: PortableCall): boolean {
    try {
      const { terms, phase } = unpacked(call).life.life;
      return terms.media === 'room' || phase.is === 'transferring';
    } catch {
      return false; // it cannot go on here
    }
  }

  /**
   * Goes on with a call of another runner.
   * @param isLost its bots are gone, with their runner or left behind: another one is brought
   * @throws VoicebotError VB_CLUSTER_UNSUITABLE when it cannot be read; nothing is begun then
   */
  async unpack(call: PortableCall, isLost: boolean): Promise<void> {
    const { supervisor } = this.driver;
    const { id, record, life, parts, transfers, place } = unpacked(call);
    if (supervisor.lifeOf(id)) return;
    const restored = this.driver.restore(id, parts);
    supervisor.unpack(life, record, transfers);
    // One that another runner has dialled counts against the limits until it ends here.
    const slot = record.direction === 'outbound' ? this.limits.slotOf(id, place) : undefined;
    if (slot) this.registry.onceEnded(id, () => slot.release(this.registry.talkedMs(id)));
    try {
      await restored;
    } catch {
      supervisor.happen(id, { type: 'room_failed', reason: 'telephony_error' }); // of a room that is not there any more
    }
    if (isLost) supervisor.happen(id, { type: 'runner_lost' });
    if (supervisor.lifeOf(id)?.phase.is === 'opening_room') await this.driver.reopen?.(id);
  }

  /** Another runner has the call: it goes on there, and nothing is ended here. */
  letGo(id: CallId): void {
    this.driver.forget(id);
    this.driver.supervisor.release(id);
    this.limits.letGo?.(id);
  }
}
