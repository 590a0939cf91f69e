import type { StreamCodec, StreamMessage } from '../../../providers/carrier.js';
import { createMessageMutator } from './message-mutator.js';

const TYPES = {
  start: true,
  audio: true,
  held: true,
  dtmf: true,
  mark: true,
  cleared: true,
  stop: true,
  unsupported: true,
  error: true,
  unknown: true,
  malformed: true,
} satisfies Record<StreamMessage['type'], true>;

/** Whether a message is what the rest of the project relies on, for its type. */
export function isSensible(message: StreamMessage, isCallId: (id: string) => boolean): boolean {
  switch (message.type) {
    case 'start':
      return isCallId(message.providerCallId) && [8000, 16000, 24000].includes(message.format.sampleRate);
    case 'audio':
      return message.payload.length > 0;
    case 'dtmf':
      return '0123456789*#ABCD'.includes(message.digit);
    case 'mark':
      return typeof message.name === 'string';
    case 'error':
    case 'unsupported':
    case 'malformed':
      return message.detail !== '' && message.detail.length < 300;
    default:
      return Object.hasOwn(TYPES, message.type);
  }
}

/** What becomes of mutations of `corpus`; the codec must not throw. */
export function decodeDamaged(
  codec: StreamCodec,
  corpus: readonly string[],
  { count, seed, isCallId }: { count: number; seed: number; isCallId: (id: string) => boolean },
): { seen: Set<StreamMessage['type']>; wrong: string[] } {
  const next = createMessageMutator(corpus, seed);
  const seen = new Set<StreamMessage['type']>();
  const wrong: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const text = next();
    // As text and as bytes by turns: the two are read in different ways.
    const message = codec.decode(index % 2 === 0 ? text : Buffer.from(text));
    seen.add(message.type);
    const isFalseEnd = message.type === 'stop' && JSON.parse(text).event !== 'stop';
    if (isFalseEnd || !isSensible(message, isCallId)) wrong.push(text);
  }
  return { seen, wrong };
}
