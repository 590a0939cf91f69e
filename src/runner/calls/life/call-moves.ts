import type { CallId } from '../../../call/call-id.js';
import type { DialGate } from '../../dialing/dial-limits.js';
import type { MovingCalls, PortableCall } from '../../http/elsewhere.js';
import type { CallRegistry } from './call-registry.js';
import type { PortableLife } from './portable-life.js';
import type { CallDriver, CallParts, CallSupervisor } from './supervisor.js';

/** A live call as JSON, for another runner to go on with. */
interface PackedCall extends PortableLife {
  readonly version: 1;
  /** What its driver knows of it. */
  readonly parts: CallParts;
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
    private readonly limits: Pick<DialGate, 'slotOf'>,
  ) {}

  /** A live call as it is; undefined when it is over. */
  pack(id: CallId): PortableCall | undefined {
    const { supervisor } = this.driver;
    const record = this.registry.get(id);
    const life = supervisor.pack(id);
    const parts = this.driver.partsOf(id);
    if (!record || !life || !parts) return undefined;
    const packed: PackedCall = { version: 1, ...life, parts };
    return { record, life: packed as unknown as PortableCall['life'] };
  }

  /** Whether nobody comes by themselves for what comes next: in a room, and for as long as a transfer goes on. */
  isForTaking({ life }: PortableCall): boolean {
    const { terms, phase } = (life as unknown as PackedCall).life;
    return terms.media === 'room' || phase.is === 'transferring';
  }

  /**
   * Goes on with a call of another runner.
   * @param isLost its bots are gone, with their runner or left behind: another one is brought
   */
  async unpack({ record, life }: PortableCall, isLost: boolean): Promise<void> {
    const { supervisor } = this.driver;
    const packed = life as unknown as PackedCall;
    const { id } = record;
    if (supervisor.lifeOf(id)) return;
    const restored = this.driver.restore(id, packed.parts);
    supervisor.unpack(packed, record);
    // One that another runner has dialled counts against the limits until it ends here.
    const slot = record.direction === 'outbound' ? this.limits.slotOf(id) : undefined;
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
  }
}
