import { isDtmfDigit } from '../../audio/dtmf-digit.js';
import { asProviderCallId } from '../../call/call-id.js';
import { cleanText } from '../../clean-text.js';
import { VoicebotError } from '../../errors.js';
import type { StreamCodec, StreamFormat, StreamMessage } from '../carrier.js';
import { MediaForm } from '../media-form.js';
import { isPlivoIdentifier } from './identifier.js';
import { contentTypeOf, DEFAULT_FORMAT, parseMediaFormat } from './media-format.js';

type Json = Record<string, unknown>;

/**
 * The messages of one media stream. `decode` reads what the field really sends (carrier reference 5.2): numbers as strings, any
 * sequence number, acknowledgements without `streamId`, `played` for `playedStream`, unknown events and keys.
 */
export class PlivoCodec implements StreamCodec {
  readonly #streamId: string;
  readonly #bytesPerSample: number;
  /** A `playAudio` message up to its payload: the same for every frame of a stream. */
  readonly #audioHead: string;
  readonly #mediaForm = new MediaForm();

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
    this.#bytesPerSample = format.encoding === 'L16' ? 2 : 1;
    this.#audioHead = audioHeadOf(contentType, format.sampleRate);
  }

  decode(message: string | Buffer): StreamMessage {
    if (typeof message === 'string') return this.#parse(message);
    const payload = this.#mediaForm.payloadOf(message);
    if (payload && payload.length % this.#bytesPerSample === 0) return { type: 'audio', payload };
    const parsed = this.#parse(String(message));
    if (parsed.type === 'audio') this.#mediaForm.remember(message);
    return parsed;
  }

  #parse(text: string): StreamMessage {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return malformed('not JSON'); // the parser's own message would quote the payload
    }
    if (!isObject(message)) return malformed('not an object');
    switch (message.event) {
      case 'media':
        return this.#decodeMedia(message.media);
      case 'start':
        return decodeStart(message);
      case 'dtmf':
        return decodeDtmf(message.dtmf);
      case 'playedStream':
      case 'played':
        return typeof message.name === 'string'
          ? { type: 'mark', name: message.name }
          : malformed(`${message.event} without name`);
      case 'clearedAudio':
        return { type: 'cleared' };
      case 'stop':
        return { type: 'stop' };
      case 'error':
      case 'playFailed':
        return decodeError(message.event, message);
      default:
        return typeof message.event === 'string'
          ? { type: 'unknown', event: cleanText(message.event, 64) }
          : malformed('no event');
    }
  }

  encodeAudio(payload: Uint8Array): string {
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
    return `${this.#audioHead}${bytes.toString('base64')}"}}`;
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
    const dtmf = digits.toUpperCase();
    if (!/^[0-9*#A-D]{1,64}$/.test(dtmf)) {
      throw new VoicebotError('VB_REQUEST_INVALID', 'keys to press must be 1 to 64 of 0-9 * # A-D');
    }
    return JSON.stringify({ event: 'sendDTMF', dtmf });
  }

  #decodeMedia(media: unknown): StreamMessage {
    if (!isObject(media)) return malformed('media without its object');
    if (media.track === 'outbound') return { type: 'unknown', event: 'media of the outbound track' };
    const text = media.payload;
    if (typeof text !== 'string' || text === '') return malformed('media without payload');
    const payload = Buffer.from(text, 'base64');
    if (payload.length !== decodedLength(text)) return malformed('media payload is not base64');
    if (payload.length % this.#bytesPerSample !== 0) return malformed('media payload ends inside a sample');
    return { type: 'audio', payload };
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

/**
 * How many bytes base64 text stands for, padded or not; -1 when no text of this length is base64. Node skips characters
 * that are not base64, so anything but an equal length means that there were some.
 */
function decodedLength(text: string): number {
  let digits = text.length;
  if (text.charCodeAt(digits - 1) === PADDING) digits -= text.charCodeAt(digits - 2) === PADDING ? 2 : 1;
  return digits === 0 || digits % 4 === 1 ? -1 : Math.floor((digits * 3) / 4);
}

const PADDING = '='.charCodeAt(0);

function decodeStart(message: Json): StreamMessage {
  const { start } = message;
  if (!isObject(start)) return malformed('start without its object');
  const { callId: id, streamId } = start;
  if (!isPlivoIdentifier(id)) return malformed('start.callId missing or not of the expected form');
  if (!isPlivoIdentifier(streamId)) return malformed('start.streamId missing or not of the expected form');
  const callId = asProviderCallId(id);
  const format = parseMediaFormat(start.mediaFormat);
  if (!format) {
    return { type: 'unsupported', streamId, callId, detail: `cannot decode ${describeFormat(start.mediaFormat)}` };
  }
  return { type: 'start', streamId, callId, format };
}

/** Only short scalars are shown: the format may be anything, nested too deeply to be written out. */
function describeFormat(mediaFormat: unknown): string {
  const { encoding, sampleRate } = isObject(mediaFormat) ? mediaFormat : {};
  const shown = [encoding, sampleRate].map((value) =>
    typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value).slice(0, 64) : typeof value,
  );
  return `encoding ${shown[0]} at sample rate ${shown[1]}`;
}

function decodeDtmf(dtmf: unknown): StreamMessage {
  if (!isObject(dtmf)) return malformed('dtmf without its object');
  if (dtmf.track === 'outbound') return { type: 'unknown', event: 'dtmf of the outbound track' };
  const digit = typeof dtmf.digit === 'number' ? String(dtmf.digit) : dtmf.digit;
  const upperCase = typeof digit === 'string' ? digit.toUpperCase() : '';
  return isDtmfDigit(upperCase) ? { type: 'dtmf', digit: upperCase } : malformed('dtmf.digit is not a DTMF digit');
}

function decodeError(event: string, message: Json): StreamMessage {
  const nested = message[event];
  const reason = message.reason ?? (isObject(nested) ? nested.reason : nested);
  return {
    type: 'error',
    detail: `${event}: ${typeof reason === 'string' ? cleanText(reason, 200) : 'no reason given'}`,
  };
}

function malformed(detail: string): StreamMessage {
  return { type: 'malformed', detail };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
