import { isDtmfDigit } from '../base/audio/dtmf-digit.js';
import { cleanText } from '../base/clean-text.js';
import { isFields, type JsonFields } from '../base/http/json-fields.js';
import type { ProviderCallId } from '../call/call-id.js';
import type { StreamMessage } from './carrier.js';
import { MediaForm } from './media-form.js';

/** Reads the messages of one event. Must not throw. */
export type EventReader = (message: JsonFields) => StreamMessage;

/** Puts audio in order that may arrive out of it. Must not throw. */
export interface AudioOrder {
  /** The key of a message's number, under `media`: digits, as a string or a number. Audio without one is taken as it comes. */
  readonly key: string;
  /** The next audio: what is due now, or `held`. */
  take(chunk: number, payload: Uint8Array): StreamMessage;
}

/**
 * Reads a media stream whose messages are JSON objects with an `event`, and whose audio is the base64 text under
 * `media.payload`. Never throws. Audio is read without parsing its message when that has the form of an earlier one.
 */
export class MessageReader {
  readonly #mediaForm: MediaForm;

  /**
   * @param bytesPerSample what the audio must be a multiple of
   * @param events what this dialect knows besides `media` and `dtmf`
   * @param order where audio may arrive out of order
   */
  constructor(
    private readonly bytesPerSample: number,
    private readonly events: ReadonlyMap<string, EventReader>,
    private readonly order?: AudioOrder,
  ) {
    this.#mediaForm = new MediaForm(order?.key);
  }

  /** What a message says. */
  decode(message: string | Buffer): StreamMessage {
    if (typeof message === 'string') return this.#parse(message);
    const payload = this.#mediaForm.payloadOf(message);
    if (payload && payload.length % this.bytesPerSample === 0) {
      return this.order ? this.order.take(this.#mediaForm.counter, payload) : { type: 'audio', payload };
    }
    return this.#parse(String(message), message);
  }

  /** @param bytes the same message */
  #parse(text: string, bytes?: Buffer): StreamMessage {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return malformed('not JSON'); // the parser's own message would quote the payload
    }
    if (!isFields(message)) return malformed('not an object');
    const { event } = message;
    if (typeof event !== 'string') return malformed('no event');
    if (event === 'media') return this.#readAudio(message.media, bytes);
    if (event === 'dtmf') return readDtmf(message.dtmf);
    return this.events.get(event)?.(message) ?? { type: 'unknown', event: cleanText(event, 64) };
  }

  #readAudio(media: unknown, bytes: Buffer | undefined): StreamMessage {
    const audio = readMedia(media, this.bytesPerSample);
    if (audio.type !== 'audio') return audio;
    const chunk = this.order && chunkOf((media as JsonFields)[this.order.key]);
    if (bytes && (!this.order || chunk !== undefined)) this.#mediaForm.remember(bytes);
    return this.order && chunk !== undefined ? this.order.take(chunk, audio.payload) : audio;
  }
}

function chunkOf(value: unknown): number | undefined {
  if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** @param bytesPerSample what the audio must be a multiple of */
function readMedia(media: unknown, bytesPerSample: number): StreamMessage {
  if (!isFields(media)) return malformed('media without its object');
  if (isOutbound(media.track)) return { type: 'unknown', event: 'media of the outbound track' };
  const text = media.payload;
  if (typeof text !== 'string' || text === '') return malformed('media without payload');
  const payload = Buffer.from(text, 'base64');
  if (payload.length !== decodedLength(text)) return malformed('media payload is not base64');
  if (payload.length % bytesPerSample !== 0) return malformed('media payload ends inside a sample');
  return { type: 'audio', payload };
}

/** For what is not a message of this wire. @param detail what is wrong with it */
export function malformed(detail: string): StreamMessage {
  return { type: 'malformed', detail };
}

/** A stream whose audio cannot be decoded. Only short scalars are shown: the format may be anything, nested too deeply to be written out. */
export function unsupported(
  stream: { readonly streamId: string; readonly providerCallId: ProviderCallId },
  encoding: unknown,
  sampleRate: unknown,
): StreamMessage {
  const shown = [encoding, sampleRate].map((value) =>
    typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value).slice(0, 64) : typeof value,
  );
  return { type: 'unsupported', ...stream, detail: `cannot decode encoding ${shown[0]} at sample rate ${shown[1]}` };
}

/** Audio as it is in a message. */
export const base64Of = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** As two carriers have it. */
export function readMark({ mark }: JsonFields): StreamMessage {
  return isFields(mark) && typeof mark.name === 'string'
    ? { type: 'mark', name: mark.name }
    : malformed('mark without name');
}

function readDtmf(dtmf: unknown): StreamMessage {
  if (!isFields(dtmf)) return malformed('dtmf without its object');
  if (isOutbound(dtmf.track)) return { type: 'unknown', event: 'dtmf of the outbound track' };
  const digit = typeof dtmf.digit === 'number' ? String(dtmf.digit) : dtmf.digit;
  const upperCase = typeof digit === 'string' ? digit.toUpperCase() : '';
  return isDtmfDigit(upperCase) ? { type: 'dtmf', digit: upperCase } : malformed('dtmf.digit is not a DTMF digit');
}

/** What we say ourselves. */
const isOutbound = (track: unknown) => track === 'outbound' || track === 'outbound_track';

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
