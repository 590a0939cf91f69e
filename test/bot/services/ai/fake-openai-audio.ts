import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { deferred } from '../../../../src/base/async/deferred.js';
import { levelDb } from '../../../../src/base/audio/level.js';
import { encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import { encodeWav } from '../../../../src/base/audio/wav.js';
import { buzz } from '../../../../src/lab/kit/fake-speech.js';
import { closeWebSockets } from '../../../../src/sandbox/network/web-sockets.js';

export interface FakeAudioOptions {
  /** What the caller says, one text for each utterance. */
  texts?: readonly string[];
  /** What the caller says every time, in place of `texts`. */
  everyText?: string;
  /** The one key that is accepted. Default: any. */
  apiKey?: string;
  /** How long the service thinks before it answers, in milliseconds. Default 0. */
  delayMs?: number;
  /** How long a character is spoken, in milliseconds. Default 20. */
  characterMs?: number;
}

/** One connection that transcribes: what came. */
export interface HeardStream {
  readonly request: IncomingMessage;
  readonly socket: WebSocket;
  /** Text messages without audio, in order. */
  readonly messages: Record<string, unknown>[];
  readonly audio: Buffer[];
  isCommitted: boolean;
}

export interface SpeechRequest {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly headers: IncomingMessage['headers'];
  readonly query: URLSearchParams;
  isAborted: boolean;
}

/** What fakes of vendors have that listen on a WebSocket and speak over HTTP. */
export abstract class FakeAudioVendor implements AsyncDisposable {
  readonly streams: HeardStream[] = [];
  readonly speeches: SpeechRequest[] = [];
  /** Answers what is set instead, once for each. */
  readonly failures: Array<{ status: number; message: string } | 'hang' | 'drop'> = [];
  /** What every client gets instead of a connection, until it is taken away. */
  refusal: { status: number; message: string; retryAfterS?: number } | undefined;
  readonly texts: string[];
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  #news = deferred();

  protected constructor(protected readonly options: FakeAudioOptions) {
    const { everyText, texts = [] } = options;
    this.texts = everyText === undefined ? [...texts] : Object.assign([everyText], { shift: () => everyText });
    this.#server.on('upgrade', (request, socket, head) => {
      const refusal: FakeAudioVendor['refusal'] = this.refusal ?? this.refusalOf(request);
      if (refusal) {
        const retryAfter = refusal.retryAfterS === undefined ? '' : `retry-after: ${refusal.retryAfterS}\r\n`;
        const body = JSON.stringify({ error: { message: refusal.message } });
        socket.end(
          `HTTP/1.1 ${refusal.status} Refused\r\n${retryAfter}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        );
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        client.on('error', () => {});
        const stream: HeardStream = { request, socket: client, messages: [], audio: [], isCommitted: false };
        this.streams.push(stream);
        this.#wake();
        client.on('message', (data: Buffer, isBinary) => {
          this.receive(stream, data, isBinary);
          this.#wake();
        });
        this.opened(stream);
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  /** Resolves when `condition` holds, asked whenever something came. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#news.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closeWebSockets(this.#sockets);
    await closed;
  }

  protected abstract refusalOf(request: IncomingMessage): { status: number; message: string } | undefined;
  protected abstract opened(stream: HeardStream): void;
  protected abstract receive(stream: HeardStream, data: Buffer, isBinary: boolean): void;
  /** Audio of a text, as it is asked for. @returns the body and its media type */
  protected abstract speak(request: SpeechRequest): { body: Uint8Array; type: string };

  protected send(stream: HeardStream, message: object): void {
    setTimeout(() => stream.socket.send(JSON.stringify(message), () => {}), this.options.delayMs ?? 0);
  }

  protected buzzOf(text: string, sampleRate: number): Int16Array {
    return buzz(text.length * (this.options.characterMs ?? 20), sampleRate);
  }

  #wake(): void {
    const news = this.#news;
    this.#news = deferred();
    news.resolve();
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://fake');
    const request: SpeechRequest = {
      path: pathname,
      body: JSON.parse(Buffer.concat(parts).toString() || '{}'),
      headers: incoming.headers,
      query: searchParams,
      isAborted: false,
    };
    response.once('close', () => {
      request.isAborted = !response.writableFinished;
      this.#wake();
    });
    this.speeches.push(request);
    this.#wake();
    await wait(this.options.delayMs ?? 0);
    const failure = this.failures.shift() ?? this.refusal ?? this.refusalOf(incoming);
    if (failure === 'hang') return;
    if (failure === 'drop') response.destroy();
    else if (failure) {
      response.writeHead(failure.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: failure.message, type: 'fake', param: null, code: null } }));
    } else {
      const { body, type } = this.speak(request);
      response.writeHead(200, { 'content-type': type }).end(body);
    }
  }
}

export const bytesOf = (pcm: Int16Array): Buffer => Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);

/** Samples as a format says. */
export function encoded(pcm: Int16Array, sampleRate: number, format: string): { body: Uint8Array; type: string } {
  if (format === 'wav') return { body: encodeWav({ encoding: 'L16', sampleRate, channels: [pcm] }), type: 'audio/wav' };
  if (format === 'pcm') return { body: bytesOf(pcm), type: 'audio/pcm' };
  if (format === 'mulaw') return { body: encodeMulaw(pcm), type: 'audio/basic' };
  return { body: Buffer.from('ID3 not for us'), type: 'audio/mpeg' };
}

const AUDIBLE_DB = -45;

/** Whether there is a voice in 16-bit audio. */
export function isAudible(audio: Buffer): boolean {
  return levelDb(new Int16Array(new Uint8Array(audio).buffer, 0, audio.length >> 1)) > AUDIBLE_DB;
}

/**
 * OpenAI's transcription over a WebSocket and its speech over HTTP, as far as `@ai-sdk/openai` uses them: what it sends must be of
 * the documented form.
 */
export class FakeOpenAIAudio extends FakeAudioVendor {
  /** Deltas, per stream, that were told. */
  readonly #told = new WeakMap<HeardStream, number>();

  static start(options: FakeAudioOptions = {}): Promise<FakeOpenAIAudio> {
    return new FakeOpenAIAudio(options).listen();
  }

  protected override refusalOf({ headers }: IncomingMessage) {
    const { apiKey } = this.options;
    const offered = String(headers['sec-websocket-protocol'] ?? '').split(/, */);
    const key = offered.find((name) => name.startsWith('openai-insecure-api-key.'))?.slice(24);
    const given = key ?? headers.authorization?.replace('Bearer ', '');
    const isRight = given !== undefined && (apiKey === undefined || given === apiKey);
    return isRight ? undefined : { status: 401, message: `Incorrect API key provided: ${given}.` };
  }

  protected override opened(stream: HeardStream): void {
    this.send(stream, { type: 'session.created', session: { type: 'transcription' } });
  }

  protected override receive(stream: HeardStream, data: Buffer): void {
    const message = JSON.parse(String(data));
    if (message.type === 'input_audio_buffer.append') {
      const audio = Buffer.from(message.audio, 'base64');
      stream.audio.push(audio);
      this.#tellDelta(stream, audio);
      return;
    }
    stream.messages.push(message);
    if (message.type === 'session.update') {
      const { format, turn_detection: detection } = message.session.audio.input;
      const isRight = format.type === 'audio/pcm' && format.rate === 24_000 && detection === null;
      if (!isRight) this.send(stream, { type: 'error', error: { message: `bad format ${JSON.stringify(format)}` } });
    } else if (message.type === 'input_audio_buffer.commit') this.#commit(stream);
  }

  protected override speak({ body }: SpeechRequest) {
    const format = String(body.response_format);
    return encoded(this.buzzOf(String(body.input), 24_000), 24_000, format);
  }

  #tellDelta(stream: HeardStream, audio: Buffer): void {
    const told = this.#told.get(stream) ?? 0;
    const word = this.texts[0]?.split(' ')[told];
    if (!isAudible(audio) || word === undefined) return;
    this.#told.set(stream, told + 1);
    const delta = `${told > 0 ? ' ' : ''}${word}`;
    this.send(stream, { type: 'conversation.item.input_audio_transcription.delta', item_id: 'item', delta });
  }

  #commit(stream: HeardStream): void {
    stream.isCommitted = true;
    const transcript = this.#told.has(stream) ? this.texts.shift() : '';
    const completed = 'conversation.item.input_audio_transcription.completed';
    this.send(stream, { type: completed, item_id: 'item', transcript: transcript ?? '' });
  }
}
