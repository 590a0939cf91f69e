import { cleanText } from '../../base/clean-text.js';
import { ProviderError } from '../../base/provider-error.js';
import type { LinkSocket } from './link-socket.js';
import type { VendorAccount } from './vendor.js';
import { connectionFailure, connectProvider, type VendorSocketOptions, withoutKey } from './vendor-socket.js';

/** After so long without a connection that works a service gives up, in milliseconds: callers who wait longer hang up. */
export const GIVE_UP_MS = 4_000;
/** Waits before another attempt to connect, in milliseconds, give or take a quarter. Then there is none. */
const BACKOFF_MS = [100, 300, 1_000, 2_000];
const MOST_ATTEMPTS = BACKOFF_MS.length + 1;
/** Time for the vendor to close before the connection is cut, in milliseconds. */
const CLOSE_LIMIT_MS = 1_000;
/** The close code of a connection that broke without one. */
const ABNORMAL_CLOSE = 1_006;
/** Of a vendor that looks at the key only after the handshake. */
export const KEY_WORDS = /api[ _-]?key|unauthori[sz]ed|authenticat/i;

export interface VendorLinkOptions<Event> {
  readonly account: VendorAccount;
  /** Path and query behind the account's base address. */
  readonly path: string;
  /** Carry the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Opens a connection, and fails as {@link connectProvider} does. Default: a WebSocket at `path`. */
  connect?(options: VendorSocketOptions): Promise<unknown>;
  /** Sent when nothing else was for so many milliseconds: a message, or a ping of WebSocket's. */
  readonly keepAlive?: { readonly message?: string; readonly afterMs: number } | undefined;
  /** What is sent before the connection is closed in good order. */
  farewell(): readonly string[];
  /** What a message says. A throw costs the connection, and its words are not told: they may hold what is being said. */
  parse(data: Buffer, isBinary: boolean): readonly Event[];
  /** Longest wait for the vendor to accept a connection, in milliseconds. Default 4000. */
  readonly connectLimitMs?: number;
  /** Longest time without a connection that works before the link gives up, in milliseconds. Default 4000. */
  readonly giveUpAfterMs?: number;
  /** Whether the link gives up at once for such a failure, since others can go on. Default: no. */
  givesUpFor?(error: ProviderError): boolean;
  /**
   * A connection works only when {@link VendorLink.markAlive} says so, and the first after a break has at least this long
   * for that, in milliseconds. Default: it works as soon as it is open.
   */
  readonly proofMs?: number;
  /** A connection that lasted this long was not part of a series of failures, in milliseconds. */
  readonly steadyMs: number;
}

export interface VendorLinkListener<Event> {
  opened(): void;
  received(event: Event): void;
  /** The connection broke, and another is opened. */
  lost?(error: ProviderError): void;
  /** A connection broke or did not come about, whatever comes of it. @param wasOpen it broke */
  failed?(error: ProviderError, wasOpen: boolean): void;
  /** Once for each break: there is a connection that works again. */
  mended?(error: ProviderError): void;
  /** Once, at the end: there will be no connection any more. */
  gaveUp(error: ProviderError): void;
}

/**
 * A vendor of speech on WebSockets for the length of a call: one connection after the other.
 *
 *     idle ──open──> connecting ──> open ──> alive
 *                     │   ^          │        │
 *               refused   └─ back-off ┴─ lost ─┘
 *
 * `close` and giving up end it from any state. It gives up after a final refusal, after five attempts in a row, and after
 * a time without a connection that works.
 */
export class VendorLink<Event> {
  #attempt: AbortController | undefined;
  #socket: LinkSocket | undefined;
  #openedAt: number | undefined;
  #hasWorked = false;
  /** Attempts one after the other, up to the present one. */
  #attempts = 0;
  /** There is no connection that works. */
  #isDown = false;
  #downSince = 0;
  /** A connection was accepted since then. */
  #hasOpened = false;
  #lastError: ProviderError | undefined;
  #isOver = false;
  #keepAlive: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: VendorLinkOptions<Event>,
    private readonly listener: VendorLinkListener<Event>,
  ) {}

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  /** What was sent and waits in this process, in bytes. */
  get unsentBytes(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  /** Connects, unless that has been done. */
  open(): void {
    if (this.#socket || this.#attempt || this.#retry || this.#isOver) return;
    if (!this.#isDown) this.#goDown(performance.now());
    this.#connect();
  }

  /** Sends a message, when there is a connection. Never waits. */
  send(message: string | Uint8Array): void {
    this.#socket?.send(message);
    this.#keepAlive?.refresh();
  }

  /** The vendor has answered, or has at least held the connection for a while. */
  markAlive(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    clearTimeout(this.#deadline);
    if (this.#lastError) this.listener.mended?.(this.#lastError);
  }

  /** What was asked for came: a break of this connection begins no series of failures. */
  markWorking(): void {
    this.#hasWorked = true;
  }

  /** The connection is of no use: opens another. @param since when it stopped working, monotonic milliseconds */
  renew(error: ProviderError, since = performance.now()): void {
    if (this.#socket) {
      this.#dropSocket()?.terminate();
      this.#lose(error, since);
    } else this.open();
  }

  /** Ends it in good order; nothing more is told. Safe at any time. */
  close(): void {
    if (this.#isOver) return;
    const { options } = this;
    this.#isOver = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#deadline);
    this.#attempt?.abort();
    const socket = this.#dropSocket();
    if (!socket) return;
    for (const message of options.farewell()) socket.send(message);
    socket.close(1000);
    const limit = setTimeout(() => socket.terminate(), CLOSE_LIMIT_MS).unref();
    socket.once('close', () => clearTimeout(limit));
  }

  /** Listeners are attached before the socket opens, so that they cannot miss its first message. */
  #connect(): void {
    const attempt = new AbortController();
    const { account, path, headers, connectLimitMs: limitMs, connect = connectProvider } = this.options;
    this.#attempt = attempt;
    this.#attempts += 1;
    this.#openedAt = undefined;
    this.#hasWorked = false;
    const attach = (socket: LinkSocket) => {
      socket.once('open', () => this.#onOpen(socket));
      socket.on('message', (data: Buffer, isBinary: boolean) => this.#onMessage(socket, data, isBinary));
      socket.once('close', (code, reason) => {
        if (this.#socket !== socket) return;
        this.renew(socket.failure ?? this.#closeError(code, cleanText(String(reason), 300)));
      });
    };
    connect({ account, path, headers, signal: attempt.signal, limitMs, attach }).catch((error) => {
      if (this.#isOver || this.#attempt !== attempt) return;
      this.#attempt = undefined;
      this.#lose(error as ProviderError, performance.now());
    });
  }

  #onOpen(socket: LinkSocket): void {
    if (this.#isOver) {
      socket.terminate();
      return;
    }
    const { keepAlive, proofMs, giveUpAfterMs = GIVE_UP_MS } = this.options;
    this.#attempt = undefined;
    this.#socket = socket;
    this.#openedAt = performance.now();
    if (keepAlive) {
      const { message, afterMs } = keepAlive;
      this.#keepAlive = setInterval(() => (message === undefined ? socket.ping() : socket.send(message)), afterMs);
    }
    if (proofMs === undefined) this.markAlive();
    else if (!this.#hasOpened) this.#setDeadline(Math.max(this.#downSince + giveUpAfterMs, this.#openedAt + proofMs));
    this.#hasOpened = true;
    this.listener.opened();
  }

  #onMessage(socket: LinkSocket, data: Buffer, isBinary: boolean): void {
    if (this.#socket !== socket) return;
    let events: readonly Event[];
    try {
      events = this.options.parse(data, isBinary);
    } catch {
      this.renew(connectionFailure(this.options.account, 'sent a message that cannot be read'));
      return;
    }
    for (const event of events) this.listener.received(event);
  }

  #closeError(code: number, reason: string): ProviderError {
    const { account } = this.options;
    if (KEY_WORDS.test(reason)) return ProviderError.ofStatus(account.provider, 401, withoutKey(account, reason));
    if (code === ABNORMAL_CLOSE) return connectionFailure(account, 'the connection broke');
    return connectionFailure(account, `closed the connection: ${code}${reason && `, ${reason}`}`, code);
  }

  /** A connection broke, or did not come about. */
  #lose(error: ProviderError, since: number): void {
    const openedAt = this.#openedAt;
    if (this.#hasWorked || (openedAt !== undefined && performance.now() - openedAt >= this.options.steadyMs)) {
      this.#attempts = 0;
    }
    this.#lastError = error;
    this.listener.failed?.(error, openedAt !== undefined);
    if (!this.#isDown) this.#goDown(since);
    const isRefused = error.isFinal || (error.isRefusal && !this.#hasWorked);
    const isHopeless = isRefused || this.options.givesUpFor?.(error) === true || this.#attempts >= MOST_ATTEMPTS;
    if (!isHopeless) this.#retry = setTimeout(() => this.#reconnect(), jittered(BACKOFF_MS[this.#attempts - 1] ?? 0));
    if (openedAt !== undefined && !error.isFinal) this.listener.lost?.(error);
    if (isHopeless) this.#giveUp(error);
  }

  #reconnect(): void {
    this.#retry = undefined;
    this.#connect();
  }

  #goDown(since: number): void {
    this.#isDown = true;
    this.#hasOpened = false;
    this.#downSince = since;
    this.#setDeadline(since + (this.options.giveUpAfterMs ?? GIVE_UP_MS));
  }

  #setDeadline(at: number): void {
    clearTimeout(this.#deadline);
    const silence = () => connectionFailure(this.options.account, 'does not answer');
    this.#deadline = setTimeout(() => this.#giveUp(this.#lastError ?? silence()), Math.max(0, at - performance.now()));
  }

  #giveUp(error: ProviderError): void {
    if (this.#isOver) return;
    this.close();
    this.listener.gaveUp(error.asFinal());
  }

  #dropSocket(): LinkSocket | undefined {
    const socket = this.#socket;
    this.#socket = undefined;
    clearInterval(this.#keepAlive);
    return socket;
  }
}

/** A wait of its own for each call, so that they do not all come back in the same moment. @param ms milliseconds */
function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
