import { VoicebotError } from '../../../base/errors.js';
import type { CallInput } from '../call-input.js';
import type { HoldableWire } from '../holdable-wire.js';
import type { LoopedSound } from '../looped-sound.js';
import type { Party } from '../party.js';
import type { RoomSeat } from './room-seat.js';
import type { RoomWire } from './room-wire.js';

/** The party whom a bot serves in a room. Whom they hear beside it, the provider sees to: the sound does not pass through this process. */
export class RoomParty implements Party {
  constructor(
    private readonly seat: RoomSeat,
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
    const seats = others.map((other) => {
      if (other instanceof RoomParty && other.seat.isBy(this.seat)) return other.seat;
      throw new VoicebotError('VB_CARRIER_UNSUPPORTED', 'only calls in the same room can be joined');
    });
    await this.seat.hear(seats);
  }
}
