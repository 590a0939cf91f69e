import type { RawData } from 'ws';
import type { DtmfDigit } from '../audio/dtmf-digit.js';
import { decodeMulaw } from '../audio/mulaw.js';
import { Resampler } from '../audio/resampler.js';
import type { StreamMessage } from '../carriers/contract.js';
import { VoicebotError } from '../errors.js';
import {
  CancelFrame,
  DtmfFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  StartFrame,
} from '../frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';
import { WIRE_SAMPLE_RATE } from './carrier-frame-serializer.js';
import type { CurrentStream } from './current-stream.js';
import type { WebSocketTransportParams } from './websocket-transport-params.js';

/** What else the messages of a media stream tell, beside what becomes a frame. */
export interface WebSocketInputListener {
  onMark(name: string): void;
  onDtmf(digit: DtmfDigit): void;
}

/** Turns the messages of a media stream into frames. */
export class WebSocketInput extends FrameProcessor {
  #sampleRate = WIRE_SAMPLE_RATE;
  #resampler: Resampler | undefined;
  #isListening = false;
  #hasBegun = false;
  #farewell: NodeJS.Timeout | undefined;

  constructor(
    private readonly stream: CurrentStream,
    private readonly params: WebSocketTransportParams,
    private readonly listener: WebSocketInputListener,
  ) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
    if (frame instanceof StartFrame) this.#listen(frame.audioInSampleRate);
  }

  override cleanup(): void {
    this.#isListening = false;
    clearTimeout(this.#farewell);
    this.stream.stopReading();
  }

  /** There is no call any more: the pipeline ends, unless it has not started or is over. */
  callEnded(): void {
    if (this.#isListening) this.push(new CancelFrame('call_ended'));
  }

  /** The same after `delayMs`, for a pipeline that does not end itself until then. */
  callEndsIn(delayMs: number): void {
    if (this.#isListening) this.#farewell = setTimeout(() => this.callEnded(), delayMs);
  }

  /** What comes next is the beginning of another stream. */
  beginStream(): void {
    this.#hasBegun = false;
    this.#resampler?.reset();
  }

  #listen(sampleRate: number): void {
    this.#sampleRate = sampleRate;
    if (sampleRate !== WIRE_SAMPLE_RATE) this.#resampler = new Resampler(WIRE_SAMPLE_RATE, sampleRate);
    this.#isListening = true;
    if (this.stream.isOpen) this.stream.read((data, isBinary) => this.#receiveMessage(data, isBinary));
    else this.callEnded();
  }

  #receiveMessage(data: RawData, isBinary: boolean): void {
    const { serializer, audioInEnabled = true } = this.params;
    const message = serializer.decode(isBinary ? '' : String(data));
    if (message.type === 'audio') {
      if (audioInEnabled) this.#pushAudio(decodeMulaw(message.payload));
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
    this.push(new ErrorFrame(error, true, this.name), 'upstream');
  }

  #pushAudio(wirePcm: Int16Array): void {
    const pcm = this.#resampler ? this.#resampler.process(wirePcm) : wirePcm;
    if (pcm.length > 0) this.push(new InputAudioFrame(pcm, this.#sampleRate));
  }
}
