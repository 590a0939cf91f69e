import type { SandboxStreamFormat } from '../network/stream-audio.js';
import { IncorrectPayload } from './face.js';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MAX_NAME_CHARACTERS = 256;

/** A message of a bot, as every carrier has them: one JSON object as text. @throws IncorrectPayload */
export function readJsonMessage(data: Buffer, isBinary: boolean, maxBytes: number): Record<string, unknown> {
  if (isBinary) throw new IncorrectPayload('a binary message; every message must be JSON text');
  if (data.length > maxBytes) throw new IncorrectPayload(`a message of ${data.length} bytes; at most ${maxBytes}`);
  return asObject(parseJson(data.toString()), 'the message');
}

/** @param what as in `media` @throws IncorrectPayload */
export function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new IncorrectPayload(`${what} must be an object`);
  return value as Record<string, unknown>;
}

/** @param what as in `media.payload` @throws IncorrectPayload */
export function readPayload(payload: unknown, what: string, { contentType }: SandboxStreamFormat): Buffer {
  if (typeof payload !== 'string' || payload === '' || !BASE64.test(payload))
    throw new IncorrectPayload(`${what} must be base64`);
  const audio = Buffer.from(payload, 'base64');
  if (contentType === 'audio/x-l16' && audio.length % 2 > 0)
    throw new IncorrectPayload(`${what} must be whole samples of two bytes, not ${audio.length} bytes`);
  return audio;
}

/** @param what as in `mark.name` @throws IncorrectPayload */
export function readMarkName(name: unknown, what: string): string {
  if (typeof name === 'string' && name !== '' && name.length <= MAX_NAME_CHARACTERS) return name;
  throw new IncorrectPayload(`${what} must be text of 1 to ${MAX_NAME_CHARACTERS} characters`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new IncorrectPayload('not JSON');
  }
}
