import type { RawData } from 'ws';
import type { DtmfDigit } from '../../../base/audio/dtmf-digit.js';
import { VoicebotError } from '../../../base/errors.js';
import type { StreamMessage } from '../../../providers/carrier.js';
import type { StartFrame } from '../../pipeline/frames/index.js';
import { CallInput } from '../call-input.js';
import type { CurrentStream } from './current-stream.js';
import { UnusedMessages } from './unused-messages.js';
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
  readonly #unused: UnusedMessages;

  constructor(
    private readonly stream: CurrentStream,
    private readonly params: WebSocketTransportParams,
    private readonly listener: WebSocketInputListener,
  ) {
    super(params.audioInEnabled ?? true, stream);
    this.#unused = new UnusedMessages(stream.timeline);
  }

  override cleanup(): void {
    super.cleanup();
    this.stream.stopReading();
    this.#unused.tell();
  }

  /** What comes next is the beginning of another stream. */
  beginStream(): void {
    this.#hasBegun = false;
    this.forgetAudio();
  }

  protected override start({ audioInSampleRate }: StartFrame): void {
    this.listen(this.stream.wireRate, audioInSampleRate);
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
    if (message.type === 'audio') this.pushAudio(this.stream.heard(message.payload));
    else if (message.type === 'start' || message.type === 'unsupported') this.#begin(message);
    else if (isUnused(message)) this.#unused.count(nameOf(message), detailOf(message));
    else if (message.type !== 'held') this.#happen(message);
  }

  #happen(message: Exclude<StreamMessage, UnusedMessage | { type: 'audio' | 'held' | 'start' | 'unsupported' }>): void {
    this.#note(message);
    if (message.type === 'dtmf') {
      this.stream.pressed(message.digit);
      this.press(message.digit, (digit) => this.listener.onDtmf(digit));
    } else if (message.type === 'cleared') this.stream.hasDropped();
    else if (message.type === 'mark' && this.stream.wasPlayed(message.name)) this.listener.onMark(message.name);
  }

  /** The first start says what the stream carries; a later one means nothing. */
  #begin(message: Extract<StreamMessage, { type: 'start' | 'unsupported' }>): void {
    if (this.#hasBegun) {
      this.#unused.count(`another ${message.type}`);
      return;
    }
    this.#hasBegun = true;
    this.#note(message);
    if (message.type === 'unsupported') this.#cannotRead(message.detail);
    else if (this.stream.carry(message.format)) this.changeWireRate(message.format.sampleRate);
    else this.#refuse(`${message.format.encoding} at ${message.format.sampleRate} Hz`);
  }

  #note(message: StreamMessage): void {
    const detail = detailOf(message);
    this.stream.timeline?.note({ type: 'wire', direction: 'in', name: nameOf(message), ...(detail && { detail }) });
  }

  /** The bot has been heard at another rate: another bot may begin with this one. */
  #refuse(format: string): void {
    const error = new VoicebotError('VB_AUDIO_INVALID', `the stream carries ${format} now`, {
      hint: 'all stream elements of a call must ask for the same',
    });
    this.pushError(error, true);
  }

  #cannotRead(format: string): void {
    const error = new VoicebotError('VB_STREAM_UNREADABLE', `it carries ${format}`, {
      hint: "allow the number, or its connection, no codecs but PCMU and PCMA in the carrier's console; a stream element of one's own must ask for mu-law at 8000 Hz, or for L16 at 16000 Hz where the carrier has it",
    });
    this.stream.cannotRead(error);
    this.pushError(error, true);
  }
}

type UnusedMessage = Extract<StreamMessage, { type: 'unknown' | 'malformed' | 'error' }>;

function isUnused(message: StreamMessage): message is UnusedMessage {
  return message.type === 'unknown' || message.type === 'malformed' || message.type === 'error';
}

const nameOf = (message: StreamMessage): string => (message.type === 'unknown' ? message.event : message.type);

/** What is worth knowing of it beside its kind; empty for nothing. */
function detailOf(message: StreamMessage): string {
  if (message.type === 'mark') return message.name;
  if (message.type === 'dtmf') return message.digit;
  if (message.type === 'start') return message.streamId;
  return 'detail' in message ? message.detail : '';
}
