import { isDtmfDigit } from '../../base/audio/dtmf.js';
import { asObject, readJsonMessage, readMarkName, readPayload } from '../carrier/bot-message.js';
import { IncorrectPayload, type StreamCommand } from '../carrier/face.js';
import type { SandboxStreamFormat } from '../network/stream-audio.js';

const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_DIGITS = 64;

/**
 * Reads one message more strictly than the real carrier, so that a mistake shows here first.
 * @throws IncorrectPayload
 * @see carrier reference 5.3, 5.5 and 5.8
 */
export function readBotMessage(
  data: Buffer,
  isBinary: boolean,
  streamId: string,
  format: SandboxStreamFormat,
): StreamCommand {
  const message = readJsonMessage(data, isBinary, MAX_MESSAGE_BYTES);
  switch (message.event) {
    case 'playAudio':
      return { do: 'play', payload: readAudio(asObject(message.media, 'playAudio.media'), format) };
    case 'checkpoint':
      requireStreamId(message, streamId);
      return { do: 'mark', name: readMarkName(message.name, 'checkpoint.name') };
    case 'clearAudio':
      requireStreamId(message, streamId);
      return { do: 'clear' };
    case 'sendDTMF': {
      const digits = typeof message.dtmf === 'string' ? [...message.dtmf] : [];
      if (digits.length === 0 || digits.length > MAX_DIGITS || !digits.every(isDtmfDigit)) {
        throw new IncorrectPayload(`sendDTMF.dtmf must be 1 to ${MAX_DIGITS} of 0-9 * # A-D`);
      }
      return { do: 'press', digits };
    }
    default:
      throw new IncorrectPayload(`unknown event ${JSON.stringify(message.event)?.slice(0, 64)}`);
  }
}

function readAudio(media: Record<string, unknown>, format: SandboxStreamFormat): Buffer {
  const { contentType, sampleRate, payload } = media;
  if (typeof contentType === 'string' && contentType.includes(';')) {
    throw new IncorrectPayload(`playAudio.media.contentType must be "${format.contentType}" without ";rate="`);
  }
  if (contentType !== format.contentType)
    throw new IncorrectPayload(`playAudio.media.contentType must be "${format.contentType}", as the stream's`);
  if (sampleRate !== format.sampleRate && sampleRate !== String(format.sampleRate)) {
    throw new IncorrectPayload(
      `playAudio.media.sampleRate must be ${format.sampleRate}, as the stream's, not ${JSON.stringify(sampleRate)}`,
    );
  }
  return readPayload(payload, 'playAudio.media.payload', format);
}

function requireStreamId(message: Record<string, unknown>, streamId: string): void {
  if (message.streamId !== streamId) throw new IncorrectPayload(`${message.event}.streamId is not this stream's`);
}
