import { timeLimit } from '../../../base/async/time-limit.js';
import { VoicebotError } from '../../../base/errors.js';
import type { Logger } from '../../../base/logger.js';
import type { CallId } from '../../../call/call-id.js';
import type { CarrierRestClient } from '../../../providers/carrier.js';
import type { Reach } from '../../http/reach.js';
import type { EffectOf } from '../life/call-driver.js';
import type { CallEvent } from '../life/call-events.js';
import type { CallRegistry } from '../life/call-registry.js';
import { type CallDocuments, callerIdOf } from './call-documents.js';
import type { CarrierCall } from './carrier-call.js';

/** Longest the carrier may take to agree, in milliseconds: the bot waits a little longer. */
const AGREE_LIMIT_MS = 25_000;

export interface TransferRequestsOptions {
  client: Pick<CarrierRestClient, 'transfer' | 'findCalls'>;
  documents: CallDocuments;
  registry: CallRegistry;
  /** @throws VoicebotError when this number may not be called */
  checkTarget: (to: string) => Promise<string>;
  reach: Reach;
  happen: (callId: CallId, event: CallEvent) => void;
  logger: Logger;
}

/** Asks what a transfer needs: whether the number may be called, the carrier for the transfer, and whether the destination is there. */
export class TransferRequests {
  /** What is left of the time for the latest transfer that was checked. */
  readonly #limits = new WeakMap<CarrierCall, AbortSignal>();

  constructor(private readonly options: TransferRequestsOptions) {}

  check(call: CarrierCall, { no, to }: EffectOf<'check_transfer'>): void {
    const { checkTarget, reach, happen } = this.options;
    this.#try(call, no, async () => {
      const target = await checkTarget(to);
      const limit = timeLimit(AGREE_LIMIT_MS);
      this.#limits.set(call, limit);
      await reach.opened(limit); // the carrier would find no document, and end the call
      happen(call.id, { type: 'transfer_checked', no, to: target });
    });
  }

  ask(call: CarrierCall, { no, to }: EffectOf<'ask_transfer'>): void {
    const { client, documents, checkTarget, happen } = this.options;
    this.#try(call, no, async () => {
      const { providerCallId } = call;
      if (providerCallId === undefined) throw failure('the carrier has not named the call');
      await checkTarget(to); // it may have been put on the do-not-call list while the tunnel was waited for
      const outcome = await client.transfer(
        providerCallId,
        documents.transferUrl(call, { to, no }),
        this.#limits.get(call),
      );
      if (outcome === 'no_such_call') throw failure('the call is over');
      happen(call.id, { type: 'transfer_agreed', no });
    });
  }

  /** When the carrier cannot be asked, the destination counts as there: no caller is cut off. */
  async lookUp(call: CarrierCall, { no, to, step, isCheck }: EffectOf<'look_up_destination'>): Promise<void> {
    const { client, registry, happen } = this.options;
    const record = registry.get(call.id);
    const isThere =
      record !== undefined &&
      (await client.findCalls({ from: callerIdOf(call, record), to }).then(
        (found) => found.length > 0,
        () => true,
      ));
    happen(call.id, { type: 'destination_looked_up', no, step, isThere, isCheck });
  }

  /** Has the carrier come for the document after the stream, instead of one that it could not fetch. */
  async bringBack(call: CarrierCall, no: number, streamNo: number): Promise<void> {
    const { client, documents, happen, logger } = this.options;
    if (call.providerCallId === undefined) return;
    try {
      const outcome = await client.transfer(call.providerCallId, documents.fetchUrl(call, streamNo));
      if (outcome === 'no_such_call') happen(call.id, { type: 'transfer_lost', no });
    } catch (error) {
      logger.warn('a caller was not brought back from a transfer', { callId: call.id, error });
    }
  }

  #try(call: CarrierCall, no: number, act: () => Promise<void>): void {
    act().catch((error: unknown) => {
      const problem = VoicebotError.fieldsOf(error, 'VB_TRANSFER_FAILED');
      this.options.happen(call.id, { type: 'transfer_refused', no, problem });
    });
  }
}

const failure = (detail: string) => new VoicebotError('VB_TRANSFER_FAILED', detail);
