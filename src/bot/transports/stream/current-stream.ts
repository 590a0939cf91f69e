import type { RawData, WebSocket } from 'ws';
import type { DtmfDigit } from '../../../base/audio/dtmf-digit.js';
import { type PayloadCoding, payloadCoding } from '../../../base/audio/payload.js';
import { VoicebotError } from '../../../base/errors.js';
import type { CallTape } from '../../../call/call-tape.js';
import { runnerLinkOf } from '../../../call/runner-link.js';
import type { CallStandIns } from '../../../call/stand-ins.js';
import type { CallTimeline } from '../../../call/timeline.js';
import type { StreamFormat } from '../../../providers/carrier.js';
import { CARRIER_PACE } from '../playout-wire.js';
import type { SpeechWire } from '../speech-wire.js';
import type { CarrierFrameSerializer } from './carrier-frame-serializer.js';
import { formatOf } from './stream-formats.js';

/** Bytes the peer may leave unread before releasing pauses: about a second of audio. */
const MAX_UNSENT_BYTES = 16 * 1_024;

export type StreamReader = (data: RawData, isBinary: boolean) => void;

/** Who hears the caller of a stream beside its bot. */
export interface StreamListener {
  /**
   * A message of the caller's audio, before the bot gets it.
   * @param payload as it came, good until the call returns
   * @param pcm the same in samples, which are not written to
   */
  heard(payload: Uint8Array, pcm: Int16Array): void;
  pressed(digit: DtmfDigit): void;
}

/**
 * The media stream that a call has at the moment: the bot's speech goes out on it as messages of the carrier. A transfer that comes to
 * nothing gives the call another one; the transport goes on with it.
 */
export class CurrentStream implements SpeechWire {
  readonly pace = CARRIER_PACE;
  /** Where what happens in the call is noted; undefined for a stream that no runner let in. */
  readonly timeline: CallTimeline | undefined;
  readonly standIns: CallStandIns | undefined;
  /** Hears what goes over the streams of the call. */
  readonly tape: CallTape | undefined;
  readonly listeners = new Set<StreamListener>();
  /** Undefined for a carrier that says when it has dropped audio. */
  readonly #marks: SentMarks | undefined;
  #tapeMarks = 0;
  #coding: PayloadCoding | undefined;
  /** The pipeline counts on the rate of the audio that is sent. */
  #isRateSettled = false;
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
    this.standIns = link?.standIns;
    this.tape = link?.tape;
    const { capabilities } = serializer.carrier;
    this.#marks = capabilities.confirmsClear ? undefined : new SentMarks();
    this.carry(formatOf(websocket) ?? serializer.format);
    this.#watch(websocket);
  }

  get websocket(): WebSocket {
    return this.#websocket;
  }

  /** No other bot of the call could read it either. */
  cannotRead(error: VoicebotError): void {
    runnerLinkOf({ websocket: this.#websocket })?.cannotRead(error);
  }

  isOpen(): boolean {
    return this.#websocket.readyState === this.#websocket.OPEN;
  }

  isCongested(): boolean {
    return this.#websocket.bufferedAmount > MAX_UNSENT_BYTES;
  }

  /** Of what the stream carries, in hertz. */
  get wireRate(): number {
    return this.serializer.format.sampleRate;
  }

  sampleRate(): number {
    this.#isRateSettled = true;
    return this.wireRate;
  }

  /**
   * The stream says what it carries.
   * @returns false when that cannot be decoded, or comes too late to be changed
   */
  carry(format: StreamFormat): boolean {
    const coding = payloadCoding(format.encoding);
    if (!coding || (this.#isRateSettled && format.sampleRate !== this.wireRate)) return false;
    this.#coding = coding;
    this.serializer.carry(format);
    return true;
  }

  /** Samples of the caller's audio, which those who listen hear at once. */
  heard(payload: Uint8Array): Int16Array {
    const pcm = (this.#coding as PayloadCoding).decode(payload);
    for (const listener of this.listeners) listener.heard(payload, pcm);
    return pcm;
  }

  /** The caller has pressed a key. */
  pressed(digit: DtmfDigit): void {
    for (const listener of this.listeners) listener.pressed(digit);
  }

  /** @param kept what the recording has of it: as long as the whole */
  sendAudio(pcm: Int16Array, kept = pcm): void {
    if (this.isOpen()) this.sendPayload((this.#coding as PayloadCoding).encode(pcm), kept);
  }

  /** Sends audio that is encoded already as this stream has it. @param kept as for {@link sendAudio}, in samples */
  sendPayload(payload: Uint8Array, kept: Int16Array): void {
    if (!this.isOpen()) return;
    this.#websocket.send(this.serializer.encodeAudio(payload));
    if (this.tape?.sent(kept, this.wireRate)) this.#sendTapeMark();
  }

  /** Whether what comes in on another stream can go out on this one as it is. */
  takes({ serializer: { format } }: CurrentStream): boolean {
    const { encoding, sampleRate } = this.serializer.format;
    // What is sent to a stream that brings A-law is mu-law: see `payloadCoding`.
    return format.encoding === encoding && encoding !== 'PCMA' && format.sampleRate === sampleRate;
  }

  #sendTapeMark(): void {
    this.#tapeMarks += 1;
    this.sendMark(`tape${this.#tapeMarks}`);
  }

  sendMark(name: string): void {
    this.#note('mark', name);
    this.#send(this.serializer.encodeMark(name));
    this.#marks?.sent(name);
    this.tape?.marked(name);
  }

  /** What the carrier does not confirm, a mark tells that comes back at once. */
  sendClear(): void {
    if (this.tape && this.#marks) this.#sendTapeMark();
    this.#note('clear');
    this.#send(this.serializer.encodeClear());
    this.#marks?.cleared();
    this.tape?.cleared();
  }

  /** The carrier says that it has dropped what it had not played. */
  hasDropped(): void {
    this.tape?.dropped();
  }

  /** A mark has come back. @returns whether everything before it was heard, and not dropped */
  wasPlayed(name: string): boolean {
    if (this.#marks?.wasDropped(name)) {
      this.tape?.dropped();
      return false;
    }
    this.tape?.played(name);
    return true;
  }

  get pressesKeys(): boolean {
    return this.serializer.carrier.capabilities.pressesKeys;
  }

  /**
   * @param isKept whether it is noted
   * @throws VoicebotError VB_REQUEST_INVALID, VB_STREAM_CLOSED
   */
  sendDtmf(digits: string, isKept = true): void {
    const text = this.serializer.encodeDtmf(digits);
    if (!this.isOpen()) throw new VoicebotError('VB_STREAM_CLOSED', 'digits cannot be sent');
    if (text === undefined) return;
    if (isKept) this.#note('dtmf', digits);
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
    this.#marks?.forget();
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

/**
 * Marks on their way, for a carrier that does not say when it has dropped audio: it gives the marks back at once that were
 * behind that audio (carrier reference 7.1 and 7.2), which then says nothing of what was heard.
 */
class SentMarks {
  readonly #waiting = new Set<string>();
  readonly #dropped = new Set<string>();

  sent(name: string): void {
    this.#waiting.add(name);
  }

  /** The carrier is told to drop what it has not played. */
  cleared(): void {
    for (const name of this.#waiting) this.#dropped.add(name);
    this.#waiting.clear();
  }

  /** @returns whether a mark that has come back was behind audio that the carrier was told to drop */
  wasDropped(name: string): boolean {
    this.#waiting.delete(name);
    return this.#dropped.delete(name);
  }

  /** Those of a stream that is over do not come back. */
  forget(): void {
    this.#waiting.clear();
    this.#dropped.clear();
  }
}
