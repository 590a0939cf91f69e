import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeWav } from '../../base/audio/wav.js';
import { buzz, type FakeEncoding, type FakeVoiceOptions, fakeChunks } from './fake-speech.js';

/** Speech that is asked for over HTTP. */
export interface FakeSpeechOrder {
  readonly text: string;
  /** Hertz. */
  readonly sampleRate: number;
  readonly encoding: FakeEncoding;
  /** In a WAV file; then all of it comes at once. */
  readonly isWav?: boolean;
}

interface Answering {
  readonly options: FakeVoiceOptions;
  /** Nothing is answered. */
  readonly isMute: boolean;
  readonly refusal: { readonly status: number; readonly message: string } | undefined;
  /** How many texts were asked for before. */
  readonly count: number;
  orderOf(body: Readonly<Record<string, unknown>>): FakeSpeechOrder | string | undefined;
  wordsOf(message: string): object;
}

/** Answers a request for speech as the fake was told to. */
export async function answerOverHttp(
  request: IncomingMessage,
  response: ServerResponse,
  { options, isMute, refusal, count, orderOf, wordsOf }: Answering,
): Promise<void> {
  response.on('error', () => {});
  const refuse = (status: number, message: string) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(wordsOf(message)));
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  if (refusal) return void refuse(refusal.status, refusal.message);
  const order = orderOf(fieldsIn(Buffer.concat(parts)));
  if (order === undefined) return void refuse(404, 'Not found.');
  if (typeof order === 'string') return void refuse(400, order);
  const reply = options.reply?.(order.text, count) ?? 'speak';
  if (reply === 'hang' || isMute) return;
  if (typeof reply === 'object' && 'error' in reply) return void refuse(reply.status ?? 500, reply.error);
  await sleep(options.firstByteMs ?? 0);
  if (order.isWav) {
    const text = order.text.trim();
    const { sampleRate } = order;
    const pcm = options.audio?.(text, sampleRate) ?? buzz(text.length * (options.characterMs ?? 60), sampleRate);
    response.writeHead(200, { 'content-type': 'audio/wav' });
    response.end(encodeWav({ encoding: 'L16', sampleRate, channels: [pcm] }));
    return;
  }
  const dropAfterMs = typeof reply === 'object' ? reply.dropAfterMs : Number.POSITIVE_INFINITY;
  response.writeHead(200, { 'content-type': order.encoding === 'PCMU' ? 'audio/basic' : 'audio/pcm' });
  for (const { bytes, startMs } of fakeChunks(order.text, order.sampleRate, order.encoding, options)) {
    if (startMs >= dropAfterMs) {
      response.destroy();
      return;
    }
    if (startMs > 0 && options.betweenChunksMs) await sleep(options.betweenChunksMs);
    response.write(bytes);
  }
  response.end();
}

function fieldsIn(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(String(body));
    return typeof fields === 'object' && fields !== null ? { ...fields } : {};
  } catch {
    return {};
  }
}
