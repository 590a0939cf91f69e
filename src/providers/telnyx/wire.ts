import { cleanText } from '../../base/clean-text.js';
import { VoicebotError } from '../../base/errors.js';
import { isFields, type JsonFields } from '../../base/http/json-fields.js';
import { asProviderCallId } from '../../call/call-id.js';
import type { StreamCodec, StreamFormat, StreamMessage } from '../carrier.js';
import { base64Of, type EventReader, MessageReader, malformed, readMark, unsupported } from '../message-reader.js';
import { ChunkOrder } from './chunk-order.js';
import { isTelnyxIdentifier } from './identifier.js';
import { DEFAULT_FORMAT, isSupported, parseMediaFormat } from './media-format.js';

const EVENTS: ReadonlyMap<string, EventReader> = new Map<string, EventReader>([
  ['start', readStart],
  ['mark', readMark],
  ['stop', () => ({ type: 'stop' })],
  ['error', readError],
]);

/** The messages of one media stream, which bear no stream id on our side. @see carrier reference 7.2 */
export class TelnyxCodec implements StreamCodec {
  readonly #reader: MessageReader;

  /**
   * @param format the stream's audio, both ways
   * @throws VoicebotError VB_AUDIO_INVALID when this carrier's streams are not asked to carry the format
   */
  constructor(format: StreamFormat = DEFAULT_FORMAT) {
    if (!isSupported(format)) {
      throw new VoicebotError(
        'VB_AUDIO_INVALID',
        `no Telnyx stream carries ${format.encoding} at ${format.sampleRate} Hz`,
      );
    }
    this.#reader = new MessageReader(format.encoding === 'L16' ? 2 : 1, EVENTS, new ChunkOrder());
  }

  decode(message: string | Buffer): StreamMessage {
    return this.#reader.decode(message);
  }

  encodeAudio(payload: Uint8Array): string {
    return `{"event":"media","media":{"payload":"${base64Of(payload)}"}}`;
  }

  encodeMark(name: string): string {
    return JSON.stringify({ event: 'mark', mark: { name } });
  }

  encodeClear(): string {
    return '{"event":"clear"}';
  }

  /** There is no such message: keys are pressed by tones in the audio. */
  encodeDtmf(): undefined {}
}

function readStart({ stream_id: streamId, start }: JsonFields): StreamMessage {
  if (!isFields(start)) return malformed('start without its object');
  const { call_control_id: id, media_format: mediaFormat } = start;
  if (!isTelnyxIdentifier(id)) return malformed('start.call_control_id missing or not of the expected form');
  if (!isTelnyxIdentifier(streamId)) return malformed('stream_id missing or not of the expected form');
  const providerCallId = asProviderCallId(id);
  const format = parseMediaFormat(mediaFormat);
  if (format) return { type: 'start', streamId, providerCallId, format };
  const { encoding, sample_rate: sampleRate } = isFields(mediaFormat) ? mediaFormat : {};
  return unsupported({ streamId, providerCallId }, encoding, sampleRate);
}

/** What of ours could not be used. */
function readError({ payload }: JsonFields): StreamMessage {
  const { code, title, detail } = isFields(payload) ? payload : {};
  const words = [code, title, detail].filter((word) => typeof word === 'string' || typeof word === 'number');
  return { type: 'error', detail: cleanText(words.join(' '), 200) || 'no reason given' };
}
