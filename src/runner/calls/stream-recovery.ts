import type { EndReason } from '../../call/call.js';
import type { Logger } from '../../logger.js';
import type { CarrierRestClient } from '../../providers/carrier.js';
import type { Reach } from '../http/reach.js';
import { type CallDocuments, HOLD_S } from './call-documents.js';
import type { Session } from './call-session.js';

/** How long the carrier may take to come once it has agreed, in milliseconds; then it is asked again. */
const COME_LIMIT_MS = 5_000;
/** Pause after a request that failed, in milliseconds. */
const RETRY_MS = 1_000;
/** Longest one request may take, its repetitions included, in milliseconds. */
const ASK_LIMIT_MS = 8_000;

export interface StreamRecoveryOptions {
  client: Pick<CarrierRestClient, 'transfer'>;
  documents: CallDocuments;
  reach: Reach;
  /** The carrier knows no such call any more. */
  onGone: (session: Session, reason: EndReason) => void;
  logger: Logger;
}

/**
 * Brings back callers whose media stream is over although nobody has ended the call. A document keeps them on the line
 * for {@link HOLD_S}; the address it names for afterwards may be dead by then, so the carrier is given another document
 * as soon as it can fetch one. Each try ends when the carrier comes, by itself or because it was asked.
 */
export class StreamRecovery {
  constructor(private readonly options: StreamRecoveryOptions) {}

  /** @param graceMs how long the carrier may take to come, or to say that the call is over, before it is asked */
  start(session: Session, graceMs: number): void {
    session.recovery?.abort();
    const recovery = new AbortController();
    session.recovery = recovery;
    void this.#recover(session, graceMs, recovery.signal).catch((error: unknown) => {
      if (!recovery.signal.aborted)
        this.options.logger.error('a call was not recovered', { callId: session.id, error });
    });
  }

  /** The carrier has come. */
  stop(session: Session): void {
    session.recovery?.abort();
    session.recovery = undefined;
  }

  async #recover(session: Session, graceMs: number, signal: AbortSignal): Promise<void> {
    const { reach, logger } = this.options;
    const startedAt = performance.now();
    let isAsked = false;
    await this.#grace(graceMs, signal);
    for (;;) {
      if (!(await reach.isOpen())) {
        signal.throwIfAborted();
        session.isLinkLost = true;
        logger.warn('the carrier cannot reach us, a caller waits', { callId: session.id });
        await reach.opened(signal);
      }
      signal.throwIfAborted();
      const answer = await this.#ask(session, signal);
      // A call whose first stream was never there may be unknown because it has not been answered yet.
      if (answer === 'no_such_call' && (session.over || isAsked)) {
        const isTooLate = isAsked || performance.now() - startedAt > HOLD_S * 1_000;
        this.options.onGone(session, session.isLinkLost && isTooLate ? 'tunnel_lost' : 'caller_hung_up');
        return;
      }
      // The call gets its full time once more, but not again and again.
      if (answer === 'transferring' && !isAsked) session.lastWordTimer?.refresh();
      isAsked ||= answer === 'transferring';
      await pause(answer === 'failed' ? RETRY_MS : COME_LIMIT_MS, signal);
    }
  }

  /** Nobody comes through a tunnel that is gone. */
  async #grace(graceMs: number, signal: AbortSignal): Promise<void> {
    const { reach } = this.options;
    if (!reach.isUp) return;
    const over = new AbortController();
    const end = () => over.abort();
    reach.once('lost', end);
    signal.addEventListener('abort', end);
    await pause(graceMs, over.signal).catch(() => {});
    reach.off('lost', end);
    signal.removeEventListener('abort', end);
    signal.throwIfAborted();
  }

  async #ask(session: Session, signal: AbortSignal): Promise<'transferring' | 'no_such_call' | 'failed'> {
    const { client, documents, logger } = this.options;
    const { id: callId, providerCallId } = session;
    if (providerCallId === undefined) return 'failed';
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(ASK_LIMIT_MS)]);
      return await client.transfer(providerCallId, documents.resumeUrl(session), limit);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn('the carrier was not told to come for a document, trying again', { callId, error });
      return 'failed';
    }
  }
}

/** @throws the signal's reason */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
  signal.throwIfAborted();
}
