import type { RawData } from 'ws';
import type { DtmfDigit } from '../../audio/dtmf-digit.js';
import { decodeMulaw } from '../../audio/mulaw.js';
import { VoicebotError } from '../../errors.js';
import type { StartFrame } from '../../pipeline/frames/index.js';
import type { StreamMessage } from '../../providers/carrier.js';
import { CallInput } from '../call-input.js';
import { WIRE_SAMPLE_RATE } from './carrier-frame-serializer.js';
import type { CurrentStream } from './current-stream.js';
import type { WebSocketTransportParams } from './websocket-transport-params.js';

/** What else happens, beside what becomes a frame. */
export interface WebSocketInputListener {
  /** The pipeline has started, and the caller is there. */
  onStarted(): void;
  onMark(name: string): void;
  onDtmf(digit: DtmfDigit): void;
}

/** Turns the messages of a media stream into frames. */
export class WebSocketInput extends CallInput {
  #hasBegun = false;

  constructor(
    private readonly stream: CurrentStream,
    private readonly params: WebSocketTransportParams,
    private readonly listener: WebSocketInputListener,
  ) {
    super(params.audioInEnabled ?? true, stream);
  }

  override cleanup(): void {
    super.cleanup();
    this.stream.stopReading();
  }

  /** What comes next is the beginning of another stream. */
  beginStream(): void {
    this.#hasBegun = false;
    this.forgetAudio();
  }

  protected override start({ audioInSampleRate }: StartFrame): void {
    this.listen(WIRE_SAMPLE_RATE, audioInSampleRate);
    if (!this.stream.isOpen()) {
      this.callEnded();
      return;
    }
    this.stream.read((data, isBinary) => this.#receiveMessage(data, isBinary));
    this.listener.onStarted();
    this.callerJoined();
  }

  /** ws gives every text as one Buffer. */
  #receiveMessage(data: RawData, isBinary: boolean): void {
    const message = this.params.serializer.decode(isBinary ? '' : (data as Buffer));
    if (message.type === 'audio') {
      this.pushAudio(decodeMulaw(message.payload));
      return;
    }
    this.stream.timeline?.note({ type: 'wire', direction: 'in', name: nameOf(message), ...detailOf(message) });
    if (message.type === 'dtmf') {
      this.listener.onDtmf(message.digit);
      this.press(message.digit);
    } else if (message.type === 'cleared') {
      this.stream.tape?.dropped();
    } else if (message.type === 'mark') {
      this.stream.tape?.played(message.name);
      this.listener.onMark(message.name);
    } else if (message.type === 'start' || message.type === 'unsupported') {
      this.#begin(message);
    }
  }

  /** The first start says what the stream carries; a later one means nothing. */
  #begin(message: Extract<StreamMessage, { type: 'start' | 'unsupported' }>): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (message.type === 'unsupported') this.#refuse(message.detail);
    else if (message.format.encoding !== 'PCMU' || message.format.sampleRate !== WIRE_SAMPLE_RATE) {
      this.#refuse(`${message.format.encoding} at ${message.format.sampleRate} Hz`);
    }
  }

  #refuse(format: string): void {
    const error = new VoicebotError('VB_AUDIO_INVALID', `the stream carries ${format}`, {
      hint: 'the stream element must ask for contentType="audio/x-mulaw;rate=8000"',
    });
    this.pushError(error, true);
  }
}

const nameOf = (message: StreamMessage): string => (message.type === 'unknown' ? message.event : message.type);

/** What is worth knowing of it beside its kind. */
function detailOf(message: StreamMessage): { detail?: string } {
  if (message.type === 'mark') return { detail: message.name };
  if (message.type === 'dtmf') return { detail: message.digit };
  if (message.type === 'start') return { detail: message.streamId };
  return 'detail' in message ? { detail: message.detail } : {};
}
