import { IncomingAudio, type ReceivedPacket } from './incoming-audio.js';
import { LOCAL_DELAY } from './pcm-codec.js';
import { PcmuCodec } from './pcmu-codec.js';

/** Mu-law that comes in pieces, by a clock that is not its reader's. */
export class MulawLine extends IncomingAudio {
  #pieces = 0;
  #timestamp = 0;

  /** @param sampleRate at which it is taken, in hertz */
  constructor(sampleRate: number) {
    super(new PcmuCodec(sampleRate), sampleRate, LOCAL_DELAY);
  }

  /** The next piece. @param nowMs monotonic */
  bring(payload: Uint8Array, nowMs: number): void {
    const packet: ReceivedPacket = { ssrc: 0, sequence: this.#pieces & 0xffff, timestamp: this.#timestamp, payload };
    this.#pieces += 1;
    this.#timestamp = (this.#timestamp + payload.length) | 0;
    this.receive(packet, nowMs);
  }
}
