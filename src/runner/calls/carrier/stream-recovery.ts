import { pause } from '../../../base/async/pause.js';
import { timeLimit } from '../../../base/async/time-limit.js';
import type { Logger } from '../../../base/logger.js';
import type { CallId } from '../../../call/call-id.js';
import type { CarrierRestClient } from '../../../providers/carrier.js';
import type { Reach } from '../../http/reach.js';
import type { CallEvent } from '../life/call-events.js';
import { type CallDocuments, HOLD_S } from './call-documents.js';
import type { CarrierCall } from './carrier-call.js';

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
  happen: (callId: CallId, event: CallEvent) => void;
  logger: Logger;
}

/** A stream to bring the caller back from. */
interface LostStream {
  readonly call: CarrierCall;
  readonly streamNo: number;
  /** It was there once. */
  readonly hadStream: boolean;
  readonly signal: AbortSignal;
}

/**
 * Brings back callers whose media stream is over although their call is not. A document keeps them on the line
 * for {@link HOLD_S}; the address it names for afterwards may be dead by then, so the carrier is given another document
 * as soon as it can fetch one. Each try ends when the carrier comes, by itself or because it was asked.
 */
export class StreamRecovery {
  readonly #running = new Map<CallId, AbortController>();

  constructor(private readonly options: StreamRecoveryOptions) {}

  /** @param graceMs how long the carrier may take to come, or to say that the call is over, before it is asked */
  start(call: CarrierCall, { graceMs, ...stream }: { graceMs: number; streamNo: number; hadStream: boolean }): void {
    this.stop(call.id);
    const abort = new AbortController();
    this.#running.set(call.id, abort);
    const { signal } = abort;
    void this.#recover({ call, ...stream, signal }, graceMs).catch((error: unknown) => {
      if (!signal.aborted) this.options.logger.error('a call was not recovered', { callId: call.id, error });
    });
  }

  /** The carrier has come, or the call is over. */
  stop(callId: CallId): void {
    this.#running.get(callId)?.abort();
    this.#running.delete(callId);
  }

  async #recover(stream: LostStream, graceMs: number): Promise<void> {
    const { reach, happen } = this.options;
    const { call, hadStream, signal } = stream;
    const startedAt = performance.now();
    let isAsked = false;
    await this.#grace(graceMs, signal);
    for (;;) {
      if (!(await reach.isOpen())) {
        signal.throwIfAborted();
        happen(call.id, { type: 'link_lost' });
        await reach.opened(signal);
      }
      signal.throwIfAborted();
      const answer = await this.#ask(stream);
      // A call whose first stream was never there may be unknown because it has not been answered yet.
      if (answer === 'no_such_call' && (hadStream || isAsked)) {
        const isTooLate = isAsked || performance.now() - startedAt > HOLD_S * 1_000;
        happen(call.id, { type: 'unknown_at_carrier', isTooLate });
        return;
      }
      if (answer === 'transferring' && !isAsked) happen(call.id, { type: 'carrier_agreed' });
      isAsked ||= answer === 'transferring';
      await pause(answer === 'failed' ? RETRY_MS : COME_LIMIT_MS, signal);
    }
  }

  /** The carrier cannot come through a tunnel that is gone. */
  async #grace(graceMs: number, signal: AbortSignal): Promise<void> {
    const { reach } = this.options;
    if (!reach.isUp) return;
    const lost = new AbortController();
    const onLost = () => lost.abort();
    reach.once('lost', onLost);
    await pause(graceMs, AbortSignal.any([signal, lost.signal])).catch(() => {});
    reach.off('lost', onLost);
    signal.throwIfAborted();
  }

  async #ask({ call, streamNo, signal }: LostStream): Promise<'transferring' | 'no_such_call' | 'failed'> {
    const { client, documents, logger } = this.options;
    if (call.providerCallId === undefined) return 'failed';
    try {
      const limit = AbortSignal.any([signal, timeLimit(ASK_LIMIT_MS)]);
      return await client.transfer(call.providerCallId, documents.fetchUrl(call, streamNo), limit);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn('the carrier was not told to come for a document, trying again', { callId: call.id, error });
      return 'failed';
    }
  }
}
