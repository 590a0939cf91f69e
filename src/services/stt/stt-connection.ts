import type { WebSocket } from 'ws';
import type { ProviderError } from '../provider-error.js';
import { connectionFailure, connectProvider } from '../provider-socket.js';
import type { AudioFormat, SttDialect, SttResult } from './stt-dialect.js';

/** What one connection tells. Nothing comes after `onLost`, nor after {@link SttConnection.close}. */
export interface SttConnectionListener {
  onOpen(): void;
  /** Once: the provider has answered, or has at least held the connection while there was little to answer to. */
  onAlive(): void;
  onResult(result: Exclude<SttResult, { type: 'error' }>): void;
  /** Once: the connection broke, was refused, or is of no use. @param since when it stopped working, monotonic milliseconds */
  onLost(error: ProviderError, since: number): void;
}

/** Longest wait for the provider to accept the connection, in milliseconds: time is left for another attempt. */
const HANDSHAKE_LIMIT_MS = 2_500;
const WATCH_MS = 250;
/** A connection that was held this long counts as alive, in milliseconds. */
const HELD_MS = 1_000;
/** More audio than this waiting in the socket means that nobody takes it, in milliseconds. */
const MAX_UNTAKEN_MS = 15_000;
/** Time for the provider to close before the connection is cut, in milliseconds. */
const CLOSE_LIMIT_MS = 500;
/** The close code of a connection that broke without one. */
const ABNORMAL_CLOSE = 1_006;

/** One connection to a provider of speech to text: opened, kept alive and watched. */
export class SttConnection {
  readonly #abort = new AbortController();
  readonly #bytesPerMs: number;
  #socket: WebSocket | undefined;
  #isOver = false;
  #isAlive = false;
  #openedAt = 0;
  #sentAt = 0;
  /** Audio since the provider last said anything, and when it began. */
  #unansweredBytes = 0;
  #unansweredSince = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(
    private readonly dialect: SttDialect,
    format: AudioFormat,
    private readonly listener: SttConnectionListener,
  ) {
    this.#bytesPerMs = bytesPerMs(format);
    const { path, headers } = dialect.request(format);
    const connecting = connectProvider({
      account: dialect.account,
      path,
      headers,
      signal: this.#abort.signal,
      limitMs: HANDSHAKE_LIMIT_MS,
      attach: (socket) => {
        socket.once('open', () => this.#open(socket));
        socket.on('message', (data) => this.#receive(String(data)));
        socket.once('close', (code, reason) => this.#closed(code, String(reason)));
      },
    });
    connecting.catch((error: ProviderError) => this.#lose(error));
  }

  get isOpen(): boolean {
    return this.#socket !== undefined && !this.#isOver;
  }

  /** Sends audio, once the connection is open. Never waits. */
  send(audio: Uint8Array): void {
    const socket = this.#socket;
    if (!socket || this.#isOver) return;
    socket.send(this.dialect.encode ? this.dialect.encode(audio) : audio);
    this.#sentAt = performance.now();
    if (this.#unansweredBytes === 0) this.#unansweredSince = this.#sentAt;
    this.#unansweredBytes += audio.length;
    if (socket.bufferedAmount > MAX_UNTAKEN_MS * this.#bytesPerMs) this.#lose(this.#failure('does not take the audio'));
  }

  /** Ends the connection in good order, or the attempt at one; nothing more is told. Safe at any time. */
  close(): void {
    if (this.#isOver) return;
    this.#end();
    const socket = this.#socket;
    if (!socket) {
      this.#abort.abort();
      return;
    }
    if (this.dialect.farewell) socket.send(this.dialect.farewell);
    socket.close(1000);
    const limit = setTimeout(() => socket.terminate(), CLOSE_LIMIT_MS);
    socket.once('close', () => clearTimeout(limit));
  }

  #open(socket: WebSocket): void {
    if (this.#isOver) return;
    this.#socket = socket;
    this.#openedAt = performance.now();
    this.#sentAt = this.#openedAt;
    this.#watch = setInterval(() => this.#check(socket), WATCH_MS);
    this.listener.onOpen();
  }

  #receive(message: string): void {
    if (this.#isOver) return;
    this.#unansweredBytes = 0;
    const result = this.#parse(message);
    if (result.type === 'error') {
      this.#lose(this.#failure(result.words));
      return;
    }
    this.#becomeAlive();
    this.listener.onResult(result);
  }

  /** The words of what a dialect throws may hold what the caller said, so they are not told. */
  #parse(message: string): SttResult {
    try {
      return this.dialect.parse(message);
    } catch {
      return { type: 'error', words: 'sent a message that cannot be read' };
    }
  }

  #check(socket: WebSocket): void {
    const { keepAlive, answersWithinMs } = this.dialect;
    const now = performance.now();
    const unansweredMs = this.#unansweredBytes / this.#bytesPerMs;
    if (answersWithinMs !== undefined && Math.min(unansweredMs, now - this.#unansweredSince) >= answersWithinMs) {
      this.#lose(this.#failure(`said nothing to ${Math.round(unansweredMs)} ms of audio`), this.#unansweredSince);
      return;
    }
    if (now - this.#openedAt >= HELD_MS && (answersWithinMs === undefined || unansweredMs < HELD_MS))
      this.#becomeAlive();
    if (keepAlive && now - this.#sentAt >= keepAlive.afterMs) {
      socket.send(keepAlive.message);
      this.#sentAt = now;
    }
  }

  #becomeAlive(): void {
    if (this.#isAlive) return;
    this.#isAlive = true;
    this.listener.onAlive();
  }

  #closed(code: number, reason: string): void {
    if (!this.#socket) return; // the attempt has failed, and says so itself
    const words = reason ? `${code}, ${reason}` : `${code}`;
    if (code === ABNORMAL_CLOSE) this.#lose(this.#failure('the connection broke'));
    else this.#lose(this.#failure(`closed the connection: ${words}`, code));
  }

  #failure(words: string, status?: number): ProviderError {
    return connectionFailure(this.dialect.account, words, status);
  }

  #lose(error: ProviderError, since = performance.now()): void {
    if (this.#isOver) return;
    this.#end();
    this.#socket?.terminate();
    this.listener.onLost(error, since);
  }

  #end(): void {
    this.#isOver = true;
    clearInterval(this.#watch);
  }
}

export function bytesPerMs({ encoding, sampleRate }: AudioFormat): number {
  return (sampleRate * (encoding === 'PCMU' ? 1 : 2)) / 1_000;
}
