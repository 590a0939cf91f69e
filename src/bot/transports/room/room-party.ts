import { VoicebotError } from '../../../base/errors.js';
import type { CallInput } from '../call-input.js';
import type { HoldableWire } from '../holdable-wire.js';
import type { LoopedSound } from '../looped-sound.js';
import type { Party } from '../party.js';
import type { RoomWire } from './room-wire.js';

/** The party whom a bot serves in a room. */
export class RoomParty implements Party {
  constructor(
    private readonly wire: HoldableWire,
    private readonly input: Pick<CallInput, 'attend'>,
    private readonly room: Pick<RoomWire, 'rate'>,
  ) {}

  hold(sound: LoopedSound | undefined): void {
    if (sound) this.wire.hold(sound, this.room.rate);
    else this.wire.unhold();
  }

  unhold(): void {
    this.wire.unhold();
  }

  listen(isListening: boolean): void {
    this.input.attend(isListening);
  }

  async hear(others: readonly Party[]): Promise<void> {
    if (others.length > 0) throw new VoicebotError('VB_CARRIER_UNSUPPORTED', 'calls in rooms cannot be joined');
  }
}
