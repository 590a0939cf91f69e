import { isDtmfDigit } from '../../audio/dtmf.js';
import { IncorrectPayload, type StreamCommand } from '../carrier/face.js';
import type { SandboxStreamFormat } from '../network/stream-audio.js';

const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_NAME_CHARACTERS = 256;
const MAX_DIGITS = 64;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

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
  if (isBinary) throw new IncorrectPayload('a binary message; every message must be JSON text');
  if (data.length > MAX_MESSAGE_BYTES)
    throw new IncorrectPayload(`a message of ${data.length} bytes; at most ${MAX_MESSAGE_BYTES}`);
  const message = asObject(parseJson(data.toString()), 'the message');
  switch (message.event) {
    case 'playAudio':
      return { do: 'play', payload: readAudio(asObject(message.media, 'playAudio.media'), format) };
    case 'checkpoint': {
      requireStreamId(message, streamId);
      const { name } = message;
      if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_CHARACTERS) {
        throw new IncorrectPayload(`checkpoint.name must be text of 1 to ${MAX_NAME_CHARACTERS} characters`);
      }
      return { do: 'mark', name };
    }
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
  if (typeof payload !== 'string' || payload === '' || !BASE64.test(payload)) {
    throw new IncorrectPayload('playAudio.media.payload must be base64');
  }
  const audio = Buffer.from(payload, 'base64');
  if (format.contentType === 'audio/x-l16' && audio.length % 2 > 0)
    throw new IncorrectPayload(`playAudio.media.payload must be whole samples of two bytes, not ${audio.length} bytes`);
  return audio;
}

function requireStreamId(message: Record<string, unknown>, streamId: string): void {
  if (message.streamId !== streamId) throw new IncorrectPayload(`${message.event}.streamId is not this stream's`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new IncorrectPayload('not JSON');
  }
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new IncorrectPayload(`${what} must be an object`);
  return value as Record<string, unknown>;
}
