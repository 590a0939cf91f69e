import { once } from 'node:events';
import type { RawData, WebSocket } from 'ws';
import { deferred } from '../../base/async/deferred.js';
import { payloadCoding } from '../../base/audio/payload.js';
import type { FakeRequest } from './fake-request.js';
import { bytesPerMs, type FakeEncoding } from './fake-speech.js';
import { type SilenceOptions, SpeechEar, type Understood } from './speech-ear.js';

/** What one connection understands. */
export interface EarSessionOptions {
  /** What the caller says; holds what is left of it when the connection is gone. */
  readonly texts: string[];
  /** Silence that ends speech, in milliseconds. Default: what the client asks for, else the provider's own. */
  readonly silenceMs: number | undefined;
  readonly delayMs: number;
  /** Default: the provider's own. */
  readonly idleLimitMs: number | undefined;
}

/** How audio comes, and what its silences mean. */
export interface EarFormat extends SilenceOptions {
  readonly encoding: FakeEncoding;
  /** Hertz. */
  readonly sampleRate: number;
  /** Longest time without a message of the client's, in milliseconds. */
  readonly idleLimitMs: number;
}

/** One connection of a client to a provider that listens: what it sent, and what is said to it. */
export abstract class EarSession {
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** Types of the text messages that came without audio, in order, such as `KeepAlive` and `CloseStream`. */
  readonly messages: string[] = [];
  /** Sizes of the audio messages that came, in bytes. */
  readonly audioMessages: number[] = [];
  /** Says nothing of its own accord while true. */
  isMute = false;
  /** Resolves with the code when the connection is gone. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #options: EarSessionOptions;
  #format!: EarFormat;
  readonly #audio: Buffer[] = [];
  #audioBytes = 0;
  #bytesPerMs = 1;
  #ear!: SpeechEar;
  /** What is told when the timer says so, with what was understood. */
  readonly #untold = new Map<NodeJS.Timeout, Understood | undefined>();
  #idle: NodeJS.Timeout | undefined;
  #news = deferred();

  protected constructor(socket: WebSocket, request: FakeRequest, options: EarSessionOptions, format: EarFormat) {
    this.#socket = socket;
    this.#options = options;
    this.listenIn(format);
    this.query = request.query;
    this.headers = request.headers;
    this.closed = once(socket, 'close').then(([code]) => code);
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.once('close', () => this.#end());
    this.#restartIdle();
  }

  /** All audio that came, as it came. */
  get audio(): Buffer {
    return Buffer.concat(this.#audio);
  }

  /** Length of all audio that came, in milliseconds. */
  get audioMs(): number {
    return this.#audioBytes / this.#bytesPerMs;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Whether the client has said that it is done: the next connection is another call. @internal */
  abstract get isDone(): boolean;

  /** Resolves when this much audio has come. */
  async heard(ms: number): Promise<void> {
    while (this.audioMs < ms) await this.#news.promise;
  }

  /** Resolves when a text message of this type has come this many times. */
  async received(type: string, times = 1): Promise<void> {
    while (this.messages.filter((message) => message === type).length < times) await this.#news.promise;
  }

  /** Sends a message as it stands: a string, or an object as JSON. */
  send(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Cuts the connection without a word. */
  dropConnection(): void {
    this.#socket.terminate();
  }

  /** Closes the connection. */
  close(code = 1000, reason = ''): void {
    this.#socket.close(code, reason);
  }

  /** Closes the connection with a frame that has no code: the client sees 1005. */
  protected closeWithoutCode(): void {
    this.#socket.close();
  }

  /** Tells what was understood, in the provider's messages. @param untilMs the audio that had come by then @internal */
  protected abstract tell(understood: Understood, untilMs: number): void;

  /** A message of the client's. */
  protected abstract receive(data: Buffer, isBinary: boolean): void;

  /** Nothing came for too long: does what the provider does then. */
  protected abstract idle(): void;

  /** Takes audio in this format from now on: before any came. @internal */
  protected listenIn(format: EarFormat): void {
    const { sampleRate, encoding, silenceMs, pauseMs } = format;
    const options = this.#options;
    this.#format = { ...format, idleLimitMs: options.idleLimitMs ?? format.idleLimitMs };
    this.#bytesPerMs = bytesPerMs(encoding, sampleRate);
    this.#ear = new SpeechEar(options.texts, sampleRate, { silenceMs: options.silenceMs ?? silenceMs, pauseMs });
  }

  /** Takes audio of the client's. */
  protected hear(payload: Buffer): void {
    this.#audio.push(payload);
    this.audioMessages.push(payload.length);
    this.#audioBytes += payload.length;
    if (this.isMute) return;
    for (const understood of this.#ear.hear(payloadCoding(this.#format.encoding).decode(payload)))
      this.#tellLater(understood);
  }

  /** Takes what is being said for said to its end. @returns whether something was */
  protected endSpeech(): boolean {
    const end = this.#ear.end();
    if (end) this.#tellLater(end);
    return end !== undefined;
  }

  /** A sign of life of the client's that is no message. */
  protected keptAlive(): void {
    this.#restartIdle();
  }

  /** Does it when the service has thought for its time; never on a connection that is gone. @internal */
  protected later(work: () => void, understood?: Understood): void {
    const { delayMs } = this.#options;
    if (delayMs === 0) {
      work();
      return;
    }
    const timer = setTimeout(() => {
      this.#untold.delete(timer);
      if (!this.isMute) work();
    }, delayMs);
    this.#untold.set(timer, understood);
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#restartIdle();
    this.receive(data as Buffer, isBinary);
    const news = this.#news;
    this.#news = deferred();
    news.resolve();
  }

  #tellLater(understood: Understood): void {
    const untilMs = this.audioMs;
    this.later(() => this.tell(understood, untilMs), understood);
  }

  #restartIdle(): void {
    clearTimeout(this.#idle);
    const { idleLimitMs } = this.#format;
    if (Number.isFinite(idleLimitMs)) this.#idle = setTimeout(() => this.idle(), idleLimitMs);
  }

  #end(): void {
    clearTimeout(this.#idle);
    for (const timer of this.#untold.keys()) clearTimeout(timer);
    const ends = [...this.#untold.values()].flatMap((one) => (one?.is === 'end' ? one.text : []));
    this.#options.texts.unshift(...ends);
  }
}
