import { once } from 'node:events';
import type { RawData, WebSocket } from 'ws';
import { deferred } from '../../../base/async/deferred.js';
import { payloadCoding } from '../../../base/audio/payload.js';
import type { FakeRequest } from '../fake-request.js';
import { buzz, bytesPerMs, type FakeEncoding } from '../fake-speech.js';
import type { FakeLiveItem, FakeLiveMoment, FakeLiveOptions, FakeLiveReply } from './fake-live-reply.js';

/** How audio is written on a live wire. */
export interface FakeLiveFormat {
  readonly type: 'audio/pcm' | 'audio/pcmu';
  /** Hertz. */
  readonly rate: number;
}

/** Fields of one message. */
export type FakeFields = Readonly<Record<string, unknown>>;

/** Audio of one message of a live model, in milliseconds. */
export const CHUNK_MS = 100;

/** What a session is made with. */
export interface FakeLiveSetting {
  readonly request: FakeRequest;
  readonly options: FakeLiveOptions;
  /** What the caller says, turn by turn. */
  readonly texts: string[];
  readonly nextReply: (moment: Omit<FakeLiveMoment, 'count'>) => FakeLiveReply;
}

/** One session of a client with a fake live model: what it sent, what it was told, and what the model remembers. */
export abstract class FakeLiveSession {
  /** What the client asked for when it connected, without its key. */
  readonly request: FakeRequest;
  /** Every message of the client, in order. */
  readonly messages: FakeFields[] = [];
  /** Every message to the client, in order. */
  readonly told: FakeFields[] = [];
  /** Sends nothing while true. */
  isMute = false;
  /** Resolves with the code when the connection is gone. */
  readonly closed: Promise<number>;
  protected readonly options: FakeLiveOptions;
  protected readonly texts: string[];
  /** @internal */
  protected readonly nextReply: FakeLiveSetting['nextReply'];
  readonly #audio: Buffer[] = [];
  #news = deferred();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(
    protected readonly socket: WebSocket,
    { request, options, texts, nextReply }: FakeLiveSetting,
  ) {
    this.request = request;
    this.options = options;
    this.texts = texts;
    this.nextReply = nextReply;
    this.closed = once(socket, 'close').then(([code]) => code);
    socket.on('error', () => {});
    socket.on('message', (data) => this.#underWay(() => this.#receive(data)));
    socket.once('close', () => {
      for (const timer of this.#timers) clearTimeout(timer);
      this.end();
      this.#tellNews();
    });
  }

  /** What the model remembers, oldest first. */
  abstract get items(): readonly FakeLiveItem[];

  /** How the client's audio is written. @internal */
  protected abstract get inputFormat(): FakeLiveFormat;

  /** All audio of the client's, as it came. */
  get audio(): Buffer {
    return Buffer.concat(this.#audio);
  }

  /** Length of all audio of the client's, in milliseconds. */
  get audioMs(): number {
    const bytes = this.#audio.reduce((sum, { length }) => sum + length, 0);
    return bytes / bytesPerMsOf(this.inputFormat);
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Begins the session, as soon as the client is connected. */
  abstract open(): void;

  /** Ends the session as the provider does when it has lasted too long. */
  abstract expire(): void;

  /** Resolves when this much audio of the client has come. */
  async heard(ms: number): Promise<void> {
    while (this.audioMs < ms) await this.#news.promise;
  }

  /** Resolves when `condition` holds; it is asked after every message from and to the client. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#news.promise;
  }

  /** Sends a message as it stands: a string, or an object as JSON. */
  send(message: string | FakeFields): void {
    if (this.isMute || !this.isOpen) return;
    if (typeof message !== 'string') this.told.push(message);
    const encoded = this.encode(message);
    this.#underWay(() => {
      if (this.isOpen) this.socket.send(encoded);
    });
    this.#tellNews();
  }

  /** Cuts the connection without a word. */
  dropConnection(): void {
    this.socket.terminate();
  }

  /** Closes the connection. */
  close(code = 1000, reason = ''): void {
    this.socket.close(code, reason);
  }

  /** A message as it goes over the socket: text, or a binary frame. */
  protected encode(message: string | FakeFields): string | Buffer {
    return typeof message === 'string' ? message : JSON.stringify(message);
  }

  /** Takes a message of the client's. @internal */
  protected abstract receive(fields: FakeFields): void;

  /** A message of the client's is no JSON object. */
  protected abstract receiveNonsense(): void;

  /** The connection is gone: whatever was going on ends. */
  protected abstract end(): void;

  /** Ends the session after the longest time of a session. @param defaultMs the provider's */
  protected limitTo(defaultMs: number): void {
    const ms = this.options.sessionLimitMs ?? defaultMs;
    this.later(ms, () => this.expire()).unref();
  }

  /** Does it after so long, unless the connection is gone by then. @internal */
  protected later(ms: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  /** Takes audio of the client's. @returns it as samples, or nothing when it is not what it should be */
  protected take(base64: string): Int16Array | undefined {
    const bytes = Buffer.from(base64, 'base64');
    const isWhole = this.inputFormat.type !== 'audio/pcm' || bytes.length % 2 === 0;
    if (bytes.toString('base64').replaceAll('=', '') !== base64.replaceAll('=', '') || !isWhole) return undefined;
    this.#audio.push(bytes);
    return payloadCoding(encodingOf(this.inputFormat)).decode(bytes);
  }

  /** The audio of a text, in messages. @internal */
  protected speak(text: string, format: FakeLiveFormat): Buffer[] {
    const { characterMs = 60, audio } = this.options;
    const pcm = audio?.(text, format.rate) ?? buzz(text.length * characterMs, format.rate);
    const bytes = Buffer.from(payloadCoding(encodingOf(format)).encode(pcm));
    const size = CHUNK_MS * bytesPerMsOf(format);
    return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
  }

  /** Messages stay in order: all are on their way for as long. */
  #underWay(arrive: () => void): void {
    const { latencyMs = 0 } = this.options;
    if (latencyMs > 0) setTimeout(arrive, latencyMs);
    else arrive();
  }

  #receive(data: RawData): void {
    if (!this.isOpen) return;
    const fields = objectOf(String(data));
    if (fields) {
      this.messages.push(fields);
      this.receive(fields);
    } else this.receiveNonsense();
    this.#tellNews();
  }

  #tellNews(): void {
    const news = this.#news;
    this.#news = deferred();
    news.resolve();
  }
}

/** Bytes of one millisecond of audio. */
export const bytesPerMsOf = (format: FakeLiveFormat): number => bytesPerMs(encodingOf(format), format.rate);

const encodingOf = ({ type }: FakeLiveFormat): FakeEncoding => (type === 'audio/pcmu' ? 'PCMU' : 'L16');

function objectOf(json: string): FakeFields | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FakeFields) : undefined;
  } catch {
    return undefined;
  }
}
