import type { ProviderError } from '../provider-error.js';
import { connectionFailure } from '../provider-socket.js';
import { BACKOFF_MS, jittered } from '../reconnect.js';
import { AudioBacklog } from './audio-backlog.js';
import { bytesPerMs, SttConnection } from './stt-connection.js';
import type { AudioFormat, SttDialect, SttResult } from './stt-dialect.js';

export interface SttLinkListener {
  onInterim(text: string): void;
  onFinal(text: string, endsUtterance: boolean): void;
  /** Once for each break of the connection, when there is another one. */
  onMended(error: ProviderError): void;
  /** Once, at the end: nothing more comes. */
  onFailed(error: ProviderError): void;
}

const MOST_ATTEMPTS = BACKOFF_MS.length + 1;
/** The first connection after a break has at least this long to prove itself, in milliseconds. */
const PROOF_MS = 1_750;
/** A connection that lasted this long was not part of a series of failures, in milliseconds. */
const STEADY_MS = 10_000;
/** Audio that waits for a connection or for its final result, at most, in milliseconds. */
const MAX_BACKLOG_MS = 10_000;

/**
 * A provider of speech to text for the length of a call: connections one after the other, so that what is said is neither
 * lost nor understood twice when one breaks. The audio after the last final result is sent again on the next connection.
 */
export class SttLink {
  readonly #backlog: AudioBacklog;
  readonly #bytesPerMs: number;
  #connection: SttConnection | undefined;
  /** Where the audio of this connection began in the audio of the call, in bytes. */
  #origin = 0;
  #openedAt: number | undefined;
  #attempts = 0;
  #isOver = false;
  /** There is no connection that has proven itself. */
  #isDown = true;
  #downSince = 0;
  /** A connection was accepted since then. */
  #hasOpened = false;
  #lastError: ProviderError | undefined;
  #retry: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;

  /** @param giveUpAfterMs longest time without a connection that works */
  constructor(
    private readonly dialect: SttDialect,
    private readonly format: AudioFormat,
    private readonly giveUpAfterMs: number,
    private readonly listener: SttLinkListener,
  ) {
    this.#bytesPerMs = bytesPerMs(format);
    this.#backlog = new AudioBacklog(MAX_BACKLOG_MS * this.#bytesPerMs);
    this.#goDown(performance.now());
    this.#connect();
  }

  /** Audio that no connection has taken, in milliseconds. */
  get droppedMs(): number {
    return this.#backlog.droppedBytes / this.#bytesPerMs;
  }

  write(audio: Uint8Array): void {
    if (this.#isOver || audio.length === 0) return;
    this.#backlog.push(audio);
    if (this.#connection?.isOpen) this.#sendBacklog(this.#connection);
  }

  /** Ends it in good order; nothing more is told. Safe at any time. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#deadline);
    this.#connection?.close();
    this.#backlog.clear();
  }

  #connect(): void {
    this.#attempts += 1;
    this.#openedAt = undefined;
    this.#connection = new SttConnection(this.dialect, this.format, {
      onOpen: () => this.#onOpen(),
      onAlive: () => this.#onAlive(),
      onResult: (result) => this.#onResult(result),
      onLost: (error, since) => this.#onLost(error, since),
    });
  }

  #onOpen(): void {
    this.#openedAt = performance.now();
    if (!this.#hasOpened) this.#setDeadline(Math.max(this.#downSince + this.giveUpAfterMs, this.#openedAt + PROOF_MS));
    this.#hasOpened = true;
    this.#backlog.rewind();
    this.#origin = this.#backlog.position;
    if (this.#connection) this.#sendBacklog(this.#connection);
  }

  #sendBacklog(connection: SttConnection): void {
    for (const audio of this.#backlog.takeUnsent()) connection.send(audio);
  }

  #onAlive(): void {
    this.#isDown = false;
    clearTimeout(this.#deadline);
    if (this.#lastError) this.listener.onMended(this.#lastError);
  }

  #onResult(result: Exclude<SttResult, { type: 'error' }>): void {
    if (result.type === 'interim') this.listener.onInterim(result.text);
    if (result.type !== 'final') return;
    const { text, endsUtterance, untilMs } = result;
    this.#backlog.confirm(untilMs === undefined ? this.#backlog.position : this.#origin + this.#bytesUntil(untilMs));
    this.listener.onFinal(text, endsUtterance);
  }

  /** Whole samples only. */
  #bytesUntil(ms: number): number {
    const sampleBytes = this.format.encoding === 'PCMU' ? 1 : 2;
    return Math.round((ms * this.#bytesPerMs) / sampleBytes) * sampleBytes;
  }

  #onLost(error: ProviderError, since: number): void {
    if (!this.#isDown) this.#goDown(since);
    this.#lastError = error;
    if (this.#openedAt !== undefined && performance.now() - this.#openedAt >= STEADY_MS) this.#attempts = 0;
    if (error.isFinal || error.isRefusal || this.#attempts >= MOST_ATTEMPTS) {
      this.#fail(error);
      return;
    }
    const waitMs = BACKOFF_MS[Math.max(0, this.#attempts - 1)] as number;
    this.#retry = setTimeout(() => this.#connect(), jittered(waitMs));
  }

  #goDown(since: number): void {
    this.#isDown = true;
    this.#hasOpened = false;
    this.#downSince = since;
    this.#setDeadline(since + this.giveUpAfterMs);
  }

  #setDeadline(at: number): void {
    clearTimeout(this.#deadline);
    const silence = () => connectionFailure(this.dialect.account, 'does not answer');
    this.#deadline = setTimeout(() => this.#fail(this.#lastError ?? silence()), Math.max(0, at - performance.now()));
  }

  #fail(error: ProviderError): void {
    this.close();
    this.listener.onFailed(error.asFinal());
  }
}
