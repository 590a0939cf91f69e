import { VoicebotError } from '../../../base/errors.js';
import type { CallInput } from '../call-input.js';
import type { HoldableWire } from '../holdable-wire.js';
import type { LoopedSound } from '../looped-sound.js';
import type { Party } from '../party.js';
import type { StreamEar } from './stream-ear.js';
import type { StreamPort } from './stream-port.js';

/** The party of a media stream: the sound of its peers passes through this process. */
export class StreamParty implements Party {
  constructor(
    private readonly ear: StreamEar,
    private readonly wire: HoldableWire,
    private readonly input: () => Pick<CallInput, 'attend'>,
    private readonly port: Pick<StreamPort, 'prepareHangUp'>,
  ) {}

  hold(sound: LoopedSound | undefined): void {
    if (sound) this.wire.hold(sound, this.ear.sampleRate());
    else this.wire.unhold();
    void this.port.prepareHangUp(); // others will be called
  }

  unhold(): void {
    this.wire.unhold();
  }

  listen(isListening: boolean): void {
    this.input().attend(isListening);
  }

  async hear(others: readonly Party[]): Promise<void> {
    this.ear.hear(
      others.map((other) => {
        if (other instanceof StreamParty) return other.ear.stream;
        throw new VoicebotError('VB_CARRIER_UNSUPPORTED', 'a call of a carrier and one in a room cannot be joined');
      }),
    );
  }

  /** The stream is over: nothing more can be heard on it. */
  stop(): void {
    this.wire.unhold();
    this.ear.stop();
  }
}
