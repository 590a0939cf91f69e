import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { VoicebotError } from '../../base/errors.js';
import type { PublicSideKind, TunnelLink, TunnelProvider } from './contract.js';
import { NotReached, probePublicUrl } from './reach.js';
import type { ReachProbe } from './reach-probe.js';
import { tunnelFailure } from './tunnel-failure.js';

export interface TunnelOptions {
  readonly provider: TunnelProvider;
  /** TCP port on this machine that is to be reached. */
  readonly port: number;
  /** The test requests, which the server on that port answers. */
  readonly probe: ReachProbe;
  /** Longest time to open the tunnel, until both test requests have come back, in milliseconds. Default: the tunnel provider's, or 8000. */
  readonly deadlineMs?: number | undefined;
  /** Pause between two checks whether the address still leads here, in milliseconds. Default 2500. */
  readonly checkEveryMs?: number;
  /** Longest wait for the answer of one check, in milliseconds. Default 2500. The tunnel counts as lost after two failed checks in a row. */
  readonly checkTimeoutMs?: number;
  /** The pause before the first attempt to open it again, in milliseconds; it doubles. Default 500. */
  readonly firstRetryMs?: number;
  /** The longest pause between two attempts, in milliseconds. Default 10 000. */
  readonly longestRetryMs?: number;
  /** Whether calls occupy all connections of the tunnel; a check without an answer then proves nothing. */
  readonly isFull?: () => boolean;
  /** Rejects when `signal` aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface TunnelEvents {
  /** No call can come in; the tunnel is being opened again. Emitted once until the next `back`. */
  lost: [reason: string];
  /** The tunnel leads here again, under another address if `isNew`. */
  back: [url: string, isNew: boolean];
}

/** The result of one check of the public address. */
export type ReachCheck =
  | { readonly isReached: true /** Both answers together. */; readonly ms: number }
  | { readonly isReached: false; readonly reason: string };

/** Short enough that a run reports an unreachable address within ten seconds, loading the bot included. */
const DEADLINE_MS = 8_000;
/** Pause between two test requests to an address that does not exist yet, in milliseconds. */
const TRY_AGAIN_MS = 250;
const TRY_TIMEOUT_MS = 5_000;
/** The longest pause between two attempts to open it again, in milliseconds. */
const LONGEST_RETRY_MS = 10_000;
/** Factor of the pause between checks while the tunnel is full: it queues unanswered test requests in front of real ones. */
const SLOWER_WHILE_FULL = 10;
/** Random share of each pause, so that many runners do not reconnect at once. */
const JITTER = 0.25;

/**
 * A public address of this machine. It counts as open when test requests have come back through it, over HTTP and over a
 * WebSocket; it is then checked regularly, and opened again, however long that takes, when it is lost.
 */
export class Tunnel extends EventEmitter<TunnelEvents> {
  readonly #closing = new AbortController();
  readonly #options: TunnelOptions;
  readonly #kept: Promise<void>;
  #link: TunnelLink;
  #isUp = true;
  #since: number;
  #closed: Promise<void> | undefined;

  /**
   * @param signal on abort the tunnel is given up and leaves nothing open; without effect once the tunnel is open
   * @throws VoicebotError VB_TUNNEL_FAILED, with other ways in its hint; or what `signal` was aborted with
   */
  static async open(options: TunnelOptions, signal: AbortSignal): Promise<Tunnel> {
    return new Tunnel(options, await openLink(options, undefined, signal));
  }

  private constructor(options: TunnelOptions, link: TunnelLink) {
    super();
    this.#options = options;
    this.#link = link;
    this.#since = this.#now();
    this.#kept = this.#keep().catch((error: unknown) => {
      if (!this.#closing.signal.aborted) throw error;
    });
  }

  get kind(): PublicSideKind {
    return this.#options.provider.kind;
  }

  /** A sentence for the terminal about what this kind of tunnel is good for. */
  get note(): string {
    return this.#options.provider.note;
  }

  /** The public address, an origin; while it is lost, the last one. */
  get url(): string {
    return this.#link.url;
  }

  /** Connections it carries at once, media streams and requests together; undefined where no limit is known. */
  get maxConnections(): number | undefined {
    return this.#link.maxConnections;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** When it was opened, lost, or came back: whichever was last. Milliseconds since 1970. */
  get since(): number {
    return this.#since;
  }

  /** Checks now whether the address leads here, over HTTP and over a WebSocket. Changes nothing. */
  async check(): Promise<ReachCheck> {
    try {
      const options = { timeoutMs: TRY_TIMEOUT_MS, overWebSocket: true };
      return {
        isReached: true,
        ms: await probePublicUrl(this.url, this.#options.probe, options, this.#closing.signal),
      };
    } catch (error) {
      return { isReached: false, reason: this.#closing.signal.aborted ? 'it was closed' : (error as Error).message };
    }
  }

  /**
   * Resolves when it leads here, which takes one more attempt to open it at most.
   * @throws VoicebotError VB_TUNNEL_FAILED, or what `signal` was aborted with
   */
  async untilUp(signal: AbortSignal): Promise<void> {
    if (this.#isUp) return;
    const { provider, longestRetryMs = LONGEST_RETRY_MS } = this.#options;
    const limitMs = longestRetryMs + deadlineOf(this.#options);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), limitMs);
    try {
      await once(this, 'back', { signal: AbortSignal.any([signal, deadline.signal]) });
    } catch {
      signal.throwIfAborted();
      throw tunnelFailure(provider.kind, `${this.url} was lost, and is not back within ${limitMs / 1_000} s`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the tunnel. May be called twice. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await this.#kept;
    this.#isUp = false;
    await this.#link.close();
  }

  async #keep(): Promise<void> {
    for (;;) {
      const reason = await this.#untilLost();
      this.#turn(false);
      this.emit('lost', reason);
      const { url } = this.#link;
      await this.#link.close();
      this.#link = await this.#reopen(url);
      this.#turn(true);
      this.emit('back', this.url, this.url !== url);
    }
  }

  /** @throws when this is closed */
  async #untilLost(): Promise<string> {
    const watching = new AbortController();
    const signal = AbortSignal.any([watching.signal, this.#closing.signal]);
    try {
      return await Promise.race([this.#link.lost, this.#untilUnreachable(signal)]);
    } finally {
      watching.abort();
    }
  }

  async #untilUnreachable(signal: AbortSignal): Promise<string> {
    const { checkEveryMs = 2_500, isFull } = this.#options;
    let pauseMs = checkEveryMs;
    for (;;) {
      await this.#wait(pauseMs, signal);
      const first = await this.#look(signal);
      const isUnknown = first?.isLate === true && isFull?.() === true;
      pauseMs = isUnknown ? checkEveryMs * SLOWER_WHILE_FULL : checkEveryMs;
      if (!first || isUnknown) continue;
      const second = await this.#look(signal);
      if (second && !(second.isLate && isFull?.())) return second.message;
    }
  }

  /** @returns why the address does not lead here; undefined when it does */
  async #look(signal: AbortSignal): Promise<NotReached | undefined> {
    const { probe, checkTimeoutMs = 2_500 } = this.#options;
    try {
      await probePublicUrl(this.url, probe, { timeoutMs: checkTimeoutMs, overWebSocket: false }, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof NotReached)) throw error;
      return error;
    }
  }

  async #reopen(previousUrl: string): Promise<TunnelLink> {
    const { firstRetryMs = 500, longestRetryMs = LONGEST_RETRY_MS } = this.#options;
    for (let pauseMs = firstRetryMs; ; pauseMs = Math.min(longestRetryMs, pauseMs * 2)) {
      await this.#wait(pauseMs * (1 - JITTER * Math.random()), this.#closing.signal);
      try {
        return await openLink(this.#options, previousUrl, this.#closing.signal);
      } catch {
        this.#closing.signal.throwIfAborted();
      }
    }
  }

  #turn(isUp: boolean): void {
    this.#isUp = isUp;
    this.#since = this.#now();
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #wait(ms: number, signal: AbortSignal): Promise<unknown> {
    return (this.#options.wait ?? pause)(ms, signal);
  }
}

const deadlineOf = ({ provider, deadlineMs }: TunnelOptions) => deadlineMs ?? provider.deadlineMs ?? DEADLINE_MS;

/** Opens a link, and waits until both test requests have come back through it. */
async function openLink(
  options: TunnelOptions,
  previousUrl: string | undefined,
  signal: AbortSignal,
): Promise<TunnelLink> {
  const { provider, port } = options;
  const deadlineMs = deadlineOf(options);
  signal.throwIfAborted();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  const either = AbortSignal.any([signal, deadline.signal]);
  let link: TunnelLink | undefined;
  let problem = 'its server does not answer';
  try {
    link = await provider.open({ port, previousUrl }, either);
    const lost = new AbortController();
    void link.lost.then((reason) => lost.abort(new NotReached(reason)));
    await untilReached(link.url, options, AbortSignal.any([either, lost.signal]), (reason) => {
      problem = `${link?.url} does not lead here: ${reason}`;
    });
    return link;
  } catch (error) {
    await link?.close();
    signal.throwIfAborted();
    if (error instanceof VoicebotError) throw error;
    if (error instanceof NotReached) throw tunnelFailure(provider.kind, error.message);
    if (!deadline.signal.aborted) throw error;
    throw tunnelFailure(provider.kind, `not within ${deadlineMs / 1_000} s: ${problem}`);
  } finally {
    clearTimeout(timer);
  }
}

async function untilReached(
  url: string,
  { probe, wait = pause }: TunnelOptions,
  signal: AbortSignal,
  onProblem: (reason: string) => void,
): Promise<void> {
  for (;;) {
    try {
      await probePublicUrl(url, probe, { timeoutMs: TRY_TIMEOUT_MS, overWebSocket: true }, signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      onProblem((error as Error).message);
      await wait(TRY_AGAIN_MS, signal);
    }
  }
}

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });
