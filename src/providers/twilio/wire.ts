import { VoicebotError } from '../../base/errors.js';
import { isFields, type JsonFields } from '../../base/http/json-fields.js';
import { asProviderCallId } from '../../call/call-id.js';
import type { StreamCodec, StreamFormat, StreamMessage } from '../carrier.js';
import { base64Of, type EventReader, MessageReader, malformed, readMark, unsupported } from '../message-reader.js';
import { isSid } from './identifier.js';

/** All that this carrier's streams carry (carrier reference 7.1). */
export const STREAM_FORMAT: StreamFormat = { encoding: 'PCMU', sampleRate: 8_000 };

const EVENTS: ReadonlyMap<string, EventReader> = new Map<string, EventReader>([
  ['start', readStart],
  ['mark', readMark],
  ['stop', () => ({ type: 'stop' })],
]);

/**
 * The messages of one media stream. Numbers come as strings, and nothing depends on `sequenceNumber`: a message that is
 * out of order or comes twice says what it says.
 * @see carrier reference 7.1
 */
export class TwilioCodec implements StreamCodec {
  readonly #reader = new MessageReader(1, EVENTS);
  readonly #streamSid: string;
  /** A `media` message up to its payload. */
  readonly #audioHead: string;

  /**
   * @param streamSid the identifier from `start`
   * @throws VoicebotError VB_AUDIO_INVALID for anything but mu-law at 8000 Hz
   */
  constructor(streamSid: string, { encoding, sampleRate }: StreamFormat = STREAM_FORMAT) {
    if (encoding !== STREAM_FORMAT.encoding || sampleRate !== STREAM_FORMAT.sampleRate) {
      throw new VoicebotError('VB_AUDIO_INVALID', `no Twilio stream carries ${encoding} at ${sampleRate} Hz`);
    }
    this.#streamSid = streamSid;
    this.#audioHead = JSON.stringify({ event: 'media', streamSid, media: { payload: '' } }).slice(0, -'"}}'.length);
  }

  decode(message: string | Buffer): StreamMessage {
    return this.#reader.decode(message);
  }

  encodeAudio(payload: Uint8Array): string {
    return `${this.#audioHead}${base64Of(payload)}"}}`;
  }

  encodeMark(name: string): string {
    return JSON.stringify({ event: 'mark', streamSid: this.#streamSid, mark: { name } });
  }

  encodeClear(): string {
    return JSON.stringify({ event: 'clear', streamSid: this.#streamSid });
  }

  encodeDtmf(): undefined {
    return undefined;
  }
}

function readStart({ start }: JsonFields): StreamMessage {
  if (!isFields(start)) return malformed('start without its object');
  const { callSid, streamSid: streamId, mediaFormat = { encoding: MULAW, sampleRate: 8_000 } } = start;
  if (!isSid(callSid, 'CA')) return malformed('start.callSid missing or not of the expected form');
  if (!isSid(streamId, 'MZ')) return malformed('start.streamSid missing or not of the expected form');
  const providerCallId = asProviderCallId(callSid);
  const { encoding, sampleRate } = isFields(mediaFormat) ? mediaFormat : {};
  const isKnown = encoding === MULAW && (sampleRate === 8_000 || sampleRate === '8000');
  if (isKnown) return { type: 'start', streamId, providerCallId, format: STREAM_FORMAT };
  return unsupported({ streamId, providerCallId }, encoding, sampleRate);
}

const MULAW = 'audio/x-mulaw';
