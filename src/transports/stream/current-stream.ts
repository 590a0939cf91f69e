import type { RawData, WebSocket } from 'ws';
import { FRAME_MS } from '../../audio/frame.js';
import { encodeMulawInto } from '../../audio/mulaw.js';
import type { CallTape } from '../../call/call-tape.js';
import { runnerLinkOf } from '../../call/runner-link.js';
import type { TypedSentences } from '../../call/stand-ins.js';
import type { CallTimeline } from '../../call/timeline.js';
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
  /** Where what happens in the call is noted; undefined for a stream that no runner let in. */
  readonly timeline: CallTimeline | undefined;
  readonly typed: TypedSentences | undefined;
  /** Hears what goes over the streams of the call. */
  readonly tape: CallTape | undefined;
  #tapeMarks = 0;
  #websocket: WebSocket;
  #reader: StreamReader | undefined;

  /** @param onClose told when the stream is over, unless another one has replaced it; `code` as in RFC 6455 section 7.4 */
  constructor(
    websocket: WebSocket,
    private readonly serializer: CarrierFrameSerializer,
    private readonly onClose: (code: number) => void,
  ) {
    this.#websocket = websocket;
    const link = runnerLinkOf({ websocket });
    this.timeline = link?.timeline;
    this.typed = link?.typed;
    this.tape = link?.tape;
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
    if (!this.isOpen()) return;
    this.#websocket.send(this.serializer.encodeAudio(encodeMulawInto(payload, pcm)));
    if (!this.tape?.sent(pcm, WIRE_SAMPLE_RATE)) return;
    this.#tapeMarks += 1;
    this.sendMark(`tape${this.#tapeMarks}`);
  }

  sendMark(name: string): void {
    this.#note('mark', name);
    this.#send(this.serializer.encodeMark(name));
    this.tape?.marked(name);
  }

  sendClear(): void {
    this.#note('clear');
    this.#send(this.serializer.encodeClear());
    this.tape?.cleared();
  }

  /** @throws VoicebotError VB_REQUEST_INVALID, VB_CARRIER_UNSUPPORTED, VB_STREAM_CLOSED */
  sendDtmf(digits: string): void {
    const text = this.serializer.encodeDtmf(digits);
    if (text === undefined) {
      const { name } = this.serializer.carrier;
      throw new VoicebotError('VB_CARRIER_UNSUPPORTED', `${name} sends no digits on a media stream`);
    }
    if (!this.isOpen()) throw new VoicebotError('VB_STREAM_CLOSED', 'digits cannot be sent');
    this.#note('dtmf', digits);
    this.#send(text);
  }

  #note(name: string, detail?: string): void {
    if (this.isOpen()) this.timeline?.note({ type: 'wire', direction: 'out', name, ...(detail && { detail }) });
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
      this.timeline?.note({ type: 'wire', direction: 'in', name: 'close', detail: String(code) });
      if (websocket !== this.#websocket) return;
      this.tape?.streamOver();
      this.onClose(code);
    });
  }
}
