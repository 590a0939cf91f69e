import type { RawData } from 'ws';
import type { DtmfDigit } from '../../audio/dtmf-digit.js';
import { decodeMulaw } from '../../audio/mulaw.js';
import { VoicebotError } from '../../errors.js';
import { DtmfFrame, type Frame, type FrameDirection, StartFrame } from '../../pipeline/frames/index.js';
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
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
    if (frame instanceof StartFrame) this.#start(frame.audioInSampleRate);
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

  #start(sampleRate: number): void {
    this.listen(WIRE_SAMPLE_RATE, sampleRate);
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
    const { serializer, audioInEnabled = true } = this.params;
    const message = serializer.decode(isBinary ? '' : (data as Buffer));
    if (message.type === 'audio') {
      if (audioInEnabled) this.pushAudio(decodeMulaw(message.payload));
    } else if (message.type === 'dtmf') {
      this.listener.onDtmf(message.digit);
      this.push(new DtmfFrame(message.digit));
    } else if (message.type === 'mark') {
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
