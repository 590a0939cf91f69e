import { dtmfDigitsOf } from '../../base/audio/dtmf-digit.js';
import { cleanText } from '../../base/clean-text.js';
import { VoicebotError } from '../../base/errors.js';
import { isFields, type JsonFields } from '../../base/http/json-fields.js';
import { asProviderCallId } from '../../call/call-id.js';
import type { StreamCodec, StreamFormat, StreamMessage } from '../carrier.js';
import { base64Of, type EventReader, MessageReader, malformed, unsupported } from '../message-reader.js';
import { isPlivoIdentifier } from './identifier.js';
import { contentTypeOf, DEFAULT_FORMAT, parseMediaFormat } from './media-format.js';

const EVENTS: ReadonlyMap<string, EventReader> = new Map<string, EventReader>([
  ['start', readStart],
  ['playedStream', readPlayed],
  ['played', readPlayed],
  ['clearedAudio', () => ({ type: 'cleared' })],
  ['stop', () => ({ type: 'stop' })],
  ['error', (message) => readError('error', message)],
  ['playFailed', (message) => readError('playFailed', message)],
]);

/**
 * The messages of one media stream. `decode` reads what the field really sends (carrier reference 5.2): numbers as strings, any
 * sequence number, acknowledgements without `streamId`, `played` for `playedStream`, unknown events and keys.
 */
export class PlivoCodec implements StreamCodec {
  readonly #streamId: string;
  /** A `playAudio` message up to its payload: the same for every frame of a stream. */
  readonly #audioHead: string;
  readonly #reader: MessageReader;

  /**
   * @param streamId the identifier from `start`
   * @param format the stream's audio, both ways
   * @throws VoicebotError VB_AUDIO_INVALID when this carrier's streams cannot carry the format
   */
  constructor(streamId: string, format: StreamFormat = DEFAULT_FORMAT) {
    const contentType = contentTypeOf(format);
    if (contentType === undefined) {
      throw new VoicebotError(
        'VB_AUDIO_INVALID',
        `no Plivo stream carries ${format.encoding} at ${format.sampleRate} Hz`,
      );
    }
    this.#streamId = streamId;
    this.#reader = new MessageReader(format.encoding === 'L16' ? 2 : 1, EVENTS);
    this.#audioHead = audioHeadOf(contentType, format.sampleRate);
  }

  decode(message: string | Buffer): StreamMessage {
    return this.#reader.decode(message);
  }

  encodeAudio(payload: Uint8Array): string {
    return `${this.#audioHead}${base64Of(payload)}"}}`;
  }

  encodeMark(name: string): string {
    return JSON.stringify({ event: 'checkpoint', streamId: this.#streamId, name });
  }

  encodeClear(): string {
    return JSON.stringify({ event: 'clearAudio', streamId: this.#streamId });
  }

  /**
   * @param digits 1 to 64 of `0-9 * # A-D`, in either case
   * @throws VoicebotError VB_REQUEST_INVALID for anything else
   * @see carrier reference 5.3
   */
  encodeDtmf(digits: string): string {
    return JSON.stringify({ event: 'sendDTMF', dtmf: dtmfDigitsOf(digits).join('') });
  }
}

const audioHeads = new Map<string, string>();

/** One string for all streams of a format. The content type goes without `;rate=` and the rate as a number (carrier reference 0.5 and 9). */
function audioHeadOf(contentType: string, sampleRate: number): string {
  const media = JSON.stringify({ contentType, sampleRate, payload: '' });
  const head = audioHeads.get(media) ?? `{"event":"playAudio","media":${media.slice(0, -2)}`;
  audioHeads.set(media, head);
  return head;
}

function readStart({ start }: JsonFields): StreamMessage {
  if (!isFields(start)) return malformed('start without its object');
  const { callId: id, streamId, mediaFormat } = start;
  if (!isPlivoIdentifier(id)) return malformed('start.callId missing or not of the expected form');
  if (!isPlivoIdentifier(streamId)) return malformed('start.streamId missing or not of the expected form');
  const providerCallId = asProviderCallId(id);
  const format = parseMediaFormat(mediaFormat);
  if (format) return { type: 'start', streamId, providerCallId, format };
  const { encoding, sampleRate } = isFields(mediaFormat) ? mediaFormat : {};
  return unsupported({ streamId, providerCallId }, encoding, sampleRate);
}

function readPlayed({ event, name }: JsonFields): StreamMessage {
  return typeof name === 'string' ? { type: 'mark', name } : malformed(`${event} without name`);
}

function readError(event: string, message: JsonFields): StreamMessage {
  const nested = message[event];
  const reason = message.reason ?? (isFields(nested) ? nested.reason : nested);
  return {
    type: 'error',
    detail: `${event}: ${typeof reason === 'string' ? cleanText(reason, 200) : 'no reason given'}`,
  };
}
