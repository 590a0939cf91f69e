import { FRAME_MS } from '../../audio/frame.js';
import { encodeMulawInto } from '../../audio/mulaw.js';
import { VoicebotError } from '../../errors.js';
import { CARRIER_PACE } from '../playout.js';
import type { SpeechWire } from '../speech-output.js';
import { type CarrierFrameSerializer, WIRE_SAMPLE_RATE } from './carrier-frame-serializer.js';
import type { CurrentStream } from './current-stream.js';

/** Bytes the peer may leave unread before releasing pauses: about a second of audio. */
const MAX_UNSENT_BYTES = 16 * 1_024;

/** The bot's speech on the media stream of a call, as messages of the carrier. */
export class WebSocketWire implements SpeechWire {
  readonly pace = CARRIER_PACE;
  /** Of one frame at a time: it is encoded again before the next one comes. */
  readonly #payload = new Uint8Array((WIRE_SAMPLE_RATE * FRAME_MS) / 1_000);

  constructor(
    private readonly stream: CurrentStream,
    private readonly serializer: CarrierFrameSerializer,
  ) {}

  sampleRate(): number {
    return WIRE_SAMPLE_RATE;
  }

  isOpen(): boolean {
    return this.stream.isOpen;
  }

  isCongested(): boolean {
    return this.stream.unsentBytes > MAX_UNSENT_BYTES;
  }

  sendAudio(pcm: Int16Array): void {
    this.stream.send(this.serializer.encodeAudio(encodeMulawInto(this.#payload, pcm)));
  }

  sendMark(name: string): void {
    this.stream.send(this.serializer.encodeMark(name));
  }

  sendClear(): void {
    this.stream.send(this.serializer.encodeClear());
  }

  /** @throws VoicebotError VB_REQUEST_INVALID, VB_CARRIER_UNSUPPORTED, VB_STREAM_CLOSED */
  sendDtmf(digits: string): void {
    const text = this.serializer.encodeDtmf(digits);
    if (text === undefined) {
      const { name } = this.serializer.carrier;
      throw new VoicebotError('VB_CARRIER_UNSUPPORTED', `${name} sends no digits on a media stream`);
    }
    if (!this.stream.isOpen) throw new VoicebotError('VB_STREAM_CLOSED', 'digits cannot be sent');
    this.stream.send(text);
  }
}
