import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { cleanText } from '../../clean-text.js';
import { ProviderError } from '../provider-error.js';
import { connectProvider } from '../provider-socket.js';
import { BACKOFF_MS, GIVE_UP_MS, jittered } from '../reconnect.js';
import type { TtsCodec, TtsDialect, TtsEvent } from './tts-dialect.js';

/** A connection that lasted this long has worked, in milliseconds. */
const WORKING_MS = 5_000;
/** How long the provider may take to answer the end of a connection, in milliseconds. */
const CLOSE_LIMIT_MS = 1_000;

export interface SpeechConnectionListener {
  opened(): void;
  received(event: TtsEvent): void;
  /** The connection broke and is being opened again. */
  lost(error: ProviderError): void;
  /** There will be no connection any more. */
  gaveUp(error: ProviderError): void;
}

/** A socket to a provider that is kept for a call: opened before it is needed, and again when it breaks. */
export class SpeechConnection {
  #socket: WebSocket | undefined;
  #codec: TtsCodec | undefined;
  #attempt: AbortController | undefined;
  #keepAlive: NodeJS.Timeout | undefined;
  #openedAt = 0;
  #hasWorked = false;
  /** Attempts that failed, one after the other. */
  #failures = 0;
  #failingSince: number | undefined;
  #isOver = false;

  constructor(
    private readonly dialect: TtsDialect,
    private readonly listener: SpeechConnectionListener,
  ) {}

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  /** Connects, unless that has been done. */
  open(): void {
    if (!this.#socket && !this.#attempt && !this.#isOver) void this.#connect();
  }

  /** Sends what `order` makes of the codec, when there is a connection. */
  send(order: (codec: TtsCodec) => string[]): void {
    if (!this.#codec || !this.#socket) return;
    for (const message of order(this.#codec)) this.#socket.send(message);
    this.#keepAlive?.refresh();
  }

  /** The connection is of no use: opens another. */
  renew(error: ProviderError): void {
    if (this.#isOver) return;
    if (this.#socket) this.#drop(this.#socket, error);
    else this.open();
  }

  /** What was asked for came: the connection works. */
  works(): void {
    this.#hasWorked = true;
  }

  close(): void {
    if (this.#isOver) return;
    this.send((codec) => codec.bye());
    this.#isOver = true;
    this.#attempt?.abort();
    clearInterval(this.#keepAlive);
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    socket.close();
    const timer = setTimeout(() => socket.terminate(), CLOSE_LIMIT_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  async #connect(): Promise<void> {
    const { dialect } = this;
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#failingSince ??= performance.now();
    try {
      if (this.#failures > 0) await sleep(this.#backoffMs(), undefined, { signal: attempt.signal });
      const socket = await connectProvider({
        account: dialect.account,
        path: dialect.path,
        headers: dialect.headers,
        signal: attempt.signal,
      });
      if (this.#isOver) return void socket.terminate();
      this.#attempt = undefined;
      this.#adopt(socket);
    } catch (error) {
      this.#attempt = undefined;
      if (!this.#isOver) this.#failed(error as ProviderError);
    }
  }

  #backoffMs(): number {
    return jittered(BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length) - 1] as number);
  }

  #failed(error: ProviderError): void {
    this.#failures += 1;
    const waitMs = BACKOFF_MS[this.#failures - 1];
    const failingMs = performance.now() - (this.#failingSince ?? performance.now());
    if (error.isFinal || error.isRefusal || waitMs === undefined || failingMs + waitMs > GIVE_UP_MS)
      this.#giveUp(error);
    else void this.#connect();
  }

  #giveUp(error: ProviderError): void {
    this.#isOver = true;
    this.listener.gaveUp(error.asFinal());
  }

  #adopt(socket: WebSocket): void {
    this.#socket = socket;
    this.#codec = this.dialect.codec();
    this.#openedAt = performance.now();
    this.#failingSince = undefined;
    this.#hasWorked = false;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (this.#socket !== socket) return;
      for (const event of this.#parse(socket, data, isBinary)) this.listener.received(event);
    });
    socket.once('close', (code, reason) => {
      if (this.#socket === socket) this.#drop(socket, this.#breakOf(code, reason.toString()));
    });
    const { keepAlive } = this.dialect;
    if (keepAlive) {
      const send = () => this.#socket?.send(keepAlive.message);
      this.#keepAlive = setInterval(send, keepAlive.everyMs).unref();
    }
    this.listener.opened();
  }

  /** The words of what a codec throws may hold what is being said, so they are not told. */
  #parse(socket: WebSocket, data: Buffer, isBinary: boolean): readonly TtsEvent[] {
    try {
      return this.#codec?.parse(data, isBinary) ?? [];
    } catch {
      const { name } = this.dialect.account.provider;
      this.#drop(socket, new ProviderError(name, 'VB_PROVIDER_FAILED', 'sent a message that cannot be read'));
      return [];
    }
  }

  #drop(socket: WebSocket, error: ProviderError): void {
    this.#socket = undefined;
    this.#codec = undefined;
    clearInterval(this.#keepAlive);
    socket.removeAllListeners('message');
    socket.terminate();
    if (error.isFinal) {
      this.#giveUp(error);
      return;
    }
    this.listener.lost(error);
    if (this.#isOver) return;
    // A connection that breaks before anything came of it is an attempt that failed.
    if (this.#hasWorked || performance.now() - this.#openedAt > WORKING_MS) {
      this.#failures = 0;
      this.open();
    } else this.#failed(error);
  }

  #breakOf(code: number, reason: string): ProviderError {
    const { provider } = this.dialect.account;
    const words = `the connection was closed with ${code}${reason ? `, ${cleanText(reason, 300)}` : ''}`;
    // Some providers look at the key only after the handshake.
    if (/api[ _-]?key|unauthori[sz]ed|authenticat/i.test(reason)) return ProviderError.ofStatus(provider, 401, reason);
    return new ProviderError(provider.name, 'VB_PROVIDER_FAILED', words, { status: code });
  }
}
