import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { DialGate, DialSlot, MovedPlace } from './dial-limits.js';
import type { DoNotCallList } from './do-not-call/do-not-call-list.js';

/** Lets no call pass to a number that asked not to be called, also one that was put on the list while the call waited for its place. */
export class ListedGate implements DialGate {
  constructor(
    private readonly gate: DialGate,
    private readonly list: Pick<DoNotCallList, 'check'>,
  ) {}

  /** @throws VoicebotError as the gate, and VB_DO_NOT_CALL, VB_DO_NOT_CALL_DAMAGED */
  async admit(to: string, callId: CallId): Promise<DialSlot> {
    const place = await this.gate.admit(to, callId);
    try {
      await this.list.check(to);
    } catch (error) {
      place.undo();
      throw error;
    }
    return place;
  }

  settled(record: CallRecord): void {
    this.gate.settled(record);
  }

  slotOf(callId: CallId, moved?: MovedPlace): DialSlot {
    return this.gate.slotOf(callId, moved);
  }

  placeOf(callId: CallId): MovedPlace | undefined {
    return this.gate.placeOf?.(callId);
  }

  letGo(callId: CallId): void {
    this.gate.letGo?.(callId);
  }

  close(): Promise<void> {
    return this.gate.close();
  }
}
