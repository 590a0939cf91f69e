import type { RawData, WebSocket } from 'ws';
import { FRAME_MS } from '../../audio/frame.js';
import { encodeMulawInto } from '../../audio/mulaw.js';
import { VoicebotError } from '../../errors.js';
import { CARRIER_PACE } from '../playout.js';
import type { SpeechWire } from '../speech-output.js';
import { type CarrierFrameSerializer, WIRE_SAMPLE_RATE } from './carrier-frame-serializer.js';

/** Bytes the peer may leave unread before releasing pauses: about a second of audio. */
const MAX_UNSENT_BYTES = 16 * 1_024;

/** Of one frame of any stream: it is on its way as text before the next one comes. */
const payload = new Uint8Array((WIRE_SAMPLE_RATE * FRAME_MS) / 1_000);

export type StreamReader = (data: RawData, isBinary: boolean) => void;

/**
 * The media stream that a call has at the moment: the bot's speech goes out on it as messages of the carrier. A transfer that comes to nothing gives the call another one; whoever
 * reads and writes here goes on with it.
 */
export class CurrentStream implements SpeechWire {
  readonly pace = CARRIER_PACE;
  #websocket: WebSocket;
  #reader: StreamReader | undefined;

  /** @param onClose told when the stream is over, unless another one has replaced it; `code` as in RFC 6455 section 7.4 */
  constructor(
    websocket: WebSocket,
    private readonly serializer: CarrierFrameSerializer,
    private readonly onClose: (code: number) => void,
  ) {
    this.#websocket = websocket;
    this.#watch(websocket);
  }

  get websocket(): WebSocket {
    return this.#websocket;
  }

  isOpen(): boolean {
    return this.#websocket.readyState === this.#websocket.OPEN;
  }

  isCongested(): boolean {
    return this.#websocket.bufferedAmount > MAX_UNSENT_BYTES;
  }

  sampleRate(): number {
    return WIRE_SAMPLE_RATE;
  }

  sendAudio(pcm: Int16Array): void {
    this.#send(this.serializer.encodeAudio(encodeMulawInto(payload, pcm)));
  }

  sendMark(name: string): void {
    this.#send(this.serializer.encodeMark(name));
  }

  sendClear(): void {
    this.#send(this.serializer.encodeClear());
  }

  /** @throws VoicebotError VB_REQUEST_INVALID, VB_CARRIER_UNSUPPORTED, VB_STREAM_CLOSED */
  sendDtmf(digits: string): void {
    const text = this.serializer.encodeDtmf(digits);
    if (text === undefined) {
      const { name } = this.serializer.carrier;
      throw new VoicebotError('VB_CARRIER_UNSUPPORTED', `${name} sends no digits on a media stream`);
    }
    if (!this.isOpen()) throw new VoicebotError('VB_STREAM_CLOSED', 'digits cannot be sent');
    this.#send(text);
  }

  /** Does nothing when the stream is not open: what was meant for it is worthless afterwards. */
  #send(text: string): void {
    if (this.isOpen()) this.#websocket.send(text);
  }

  close(code: number): void {
    this.#websocket.close(code);
  }

  /** Gives `reader` every message from now on, also of a stream that comes later. */
  read(reader: StreamReader): void {
    this.#reader = reader;
    this.#websocket.on('message', reader);
    this.#websocket.resume();
  }

  stopReading(): void {
    if (this.#reader) this.#websocket.off('message', this.#reader);
    this.#reader = undefined;
  }

  replace(websocket: WebSocket): void {
    const reader = this.#reader;
    this.stopReading();
    this.#websocket = websocket;
    this.#watch(websocket);
    if (reader) this.read(reader);
  }

  #watch(websocket: WebSocket): void {
    websocket.once('close', (code) => {
      if (websocket === this.#websocket) this.onClose(code);
    });
  }
}
