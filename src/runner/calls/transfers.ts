import { explained, whyNobodyAnswers } from '../../call/operator-number.js';
import type { TransferFailure } from '../../call/transfer-outcome.js';
import { VoicebotError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { AnswerStep, CarrierRestClient, DialNews } from '../../providers/carrier.js';
import type { BotCall } from '../bots/bot-call.js';
import type { Reach } from '../http/reach.js';
import { type CallDocuments, callerIdOf, TRANSFER_RING_S } from './call-documents.js';
import type { CallRegistry } from './call-registry.js';
import type { Session, SessionTransfer } from './call-session.js';

/** Transfers one call may ask for. */
const MAX_TRANSFERS = 5;
/** Longest the carrier may take to agree, in milliseconds: the bot waits a little longer. */
const AGREE_LIMIT_MS = 25_000;
/** Longest from the carrier's agreement to news of the dialled call, beyond its ringing, in milliseconds. */
const NEWS_LIMIT_MS = 20_000;

export interface TransfersOptions {
  client: Pick<CarrierRestClient, 'transfer' | 'findCalls'>;
  documents: CallDocuments;
  registry: CallRegistry;
  /** @throws VoicebotError when this number may not be called */
  checkTarget: (to: string) => Promise<string>;
  /** `OPERATOR_NUMBER`, E.164; undefined on a real account where it is not set. */
  operatorNumber?: string | undefined;
  /** Absent where the carrier's way to us is not watched. */
  reach?: Reach | undefined;
  /** The carrier has said nothing more about a transfer it took, and does not know the dialled call. */
  onLost: (session: Session, reason: 'telephony_error' | 'tunnel_lost') => void;
  /** Nobody seems to talk to the caller any more. */
  onTalkOver: (session: Session) => void;
  logger: Logger;
}

/**
 * Connects callers to other numbers: agreed with the carrier first, then the bot closes its stream, then the carrier
 * fetches the document that dials. The bot learns what came of it; if nothing did, the caller comes back to it.
 */
export class Transfers {
  constructor(private readonly options: TransfersOptions) {}

  /** A bot asks; `bot` is answered. */
  async request(session: Session, to: string, bot: BotCall): Promise<void> {
    const { id: callId } = session;
    try {
      await this.#agree(session, to, bot);
      bot.send({ type: 'transfer_answer' });
    } catch (error) {
      this.options.logger.warn('transfer refused', { callId, error });
      const problem = VoicebotError.fieldsOf(error, 'VB_TRANSFER_FAILED');
      bot.send({ type: 'transfer_answer', problem });
    }
  }

  async #agree(session: Session, to: string, bot: BotCall): Promise<void> {
    const { client, documents, registry, checkTarget, operatorNumber, reach, logger } = this.options;
    if (session.transfer || session.verdict || session.bot !== bot) {
      throw new VoicebotError('VB_TRANSFER_FAILED', 'the call is ending or already being transferred');
    }
    if (session.transfers >= MAX_TRANSFERS) {
      throw new VoicebotError('VB_TRANSFER_FAILED', `a call can be transferred ${MAX_TRANSFERS} times`);
    }
    const { providerCallId } = session;
    if (providerCallId === undefined)
      throw new VoicebotError('VB_TRANSFER_FAILED', 'the carrier has not named the call');
    session.transfers += 1;
    session.transfer = { to, bot, phase: 'requested', timer: undefined };
    try {
      const nobody = whyNobodyAnswers(to, operatorNumber);
      if (nobody) logger.warn('transfer to an unassigned number', { callId: session.id, reason: nobody });
      const target = await checkTarget(to);
      const limit = AbortSignal.timeout(AGREE_LIMIT_MS);
      await reach?.opened(limit); // the carrier would find no document, and end the call
      if (session.bot !== bot) throw new VoicebotError('VB_TRANSFER_FAILED', 'the bot has lost its stream');
      const url = documents.transferUrl(session, target);
      const outcome = await client.transfer(providerCallId, url, limit);
      if (outcome === 'no_such_call') throw new VoicebotError('VB_TRANSFER_FAILED', 'the call is over');
      // Meanwhile the bot may have failed: another one talks to the caller then, and knows nothing of this.
      if (session.bot !== bot) throw new VoicebotError('VB_TRANSFER_FAILED', 'the bot has lost its stream');
    } catch (error) {
      session.transfer = undefined;
      session.refusedTransfer = session.transfers;
      throw error;
    }
    session.transfer.phase = 'accepted';
    this.#expectNews(session, session.transfer);
    registry.update(session.id, { state: 'transferring' });
  }

  /** News may get lost: when none has come in time, the carrier is asked whether the destination's call is there. */
  #expectNews(session: Session, transfer: SessionTransfer): void {
    transfer.timer = setTimeout(
      async () => {
        const { phase } = transfer;
        const isThere = await this.#isDestinationThere(session, transfer.to);
        if (session.transfer !== transfer || transfer.phase !== phase) return;
        this.options.logger.warn('the carrier has sent no event about a transfer', { callId: session.id, isThere });
        if (isThere) this.#expectNews(session, transfer);
        else if (phase === 'answered') this.options.onTalkOver(session);
        else this.options.onLost(session, 'telephony_error');
      },
      TRANSFER_RING_S * 1_000 + NEWS_LIMIT_MS,
    );
  }

  /** When the carrier cannot be asked, nobody is cut off. */
  async #isDestinationThere(session: Session, to: string): Promise<boolean> {
    const { client, registry } = this.options;
    const record = registry.get(session.id);
    if (!record) return false;
    const asked = client.findCalls({ from: callerIdOf(session, record), to });
    return asked.then(
      (found) => found.length > 0,
      () => true,
    );
  }

  /**
   * The tunnel is back. Meanwhile the carrier may have come in vain: for the document that dials, or when the dialled
   * call was over; and that the caller is gone may not have been told.
   */
  async recheck(session: Session): Promise<void> {
    const { transfer, providerCallId } = session;
    if (!transfer || session.bot || providerCallId === undefined) return;
    const { phase } = transfer;
    if (phase !== 'accepted' && phase !== 'answered') return;
    clearTimeout(transfer.timer);
    this.#expectNews(session, transfer);
    const isThere = await this.#isDestinationThere(session, transfer.to);
    if (isThere || session.transfer !== transfer || transfer.phase !== phase) return;
    if (phase === 'answered') {
      this.options.onTalkOver(session);
      return;
    }
    const { client, documents, logger } = this.options;
    try {
      const outcome = await client.transfer(providerCallId, documents.resumeUrl(session));
      if (outcome === 'no_such_call' && session.transfer === transfer) this.options.onLost(session, 'tunnel_lost');
    } catch (error) {
      logger.warn('a caller was not brought back from a transfer', { callId: session.id, error });
    }
  }

  /** A runner that is gone has agreed on this transfer, and its bot with it. */
  adopt(session: Session, to: string, transferNo: number): void {
    session.transfers = transferNo;
    session.transfer = { to, bot: undefined, phase: 'accepted', timer: undefined };
    this.#expectNews(session, session.transfer);
    this.options.registry.update(session.id, { state: 'transferring' });
  }

  /** The carrier asks what to do with a call that its bot has let go. */
  document(session: Session, to: string): AnswerStep[] {
    const record = this.options.registry.get(session.id);
    return this.options.documents.dial(session, to, record ?? { from: '', to: '' });
  }

  /** The destination has answered: the call is out of our hands. */
  answered(session: Session, { to, legId }: Extract<DialNews, { phase: 'answered' }>): void {
    const { transfer, verdict = 'runner_stopped' } = session;
    if (verdict === 'runner_stopped') session.verdict = 'transferred'; // a runner that stops leaves the two alone
    if (transfer?.phase !== 'requested' && transfer?.phase !== 'accepted') return;
    transfer.phase = 'answered';
    clearTimeout(transfer.timer);
    this.options.registry.update(session.id, { state: 'transferring' }); // for whoever waits for the runner to be idle
    const data = { toEndPoint: transfer.to || to, sessionId: legId };
    const outcome = { status: 'answered', data } as const;
    transfer.bot?.send({ type: 'transfer_over', outcome });
  }

  /** It came to nothing: the bot that asked, if it is still there, gets its caller back with the next stream. */
  failed(session: Session, status: TransferFailure, detail: string): void {
    const { to = '', bot, timer } = session.transfer ?? {};
    clearTimeout(timer);
    session.transfer = undefined;
    const { operatorNumber, logger } = this.options;
    const told = explained(detail, whyNobodyAnswers(to, operatorNumber));
    logger.warn('transfer failed', { callId: session.id, status, detail: told });
    session.comeback = bot && !bot.isOver ? { bot, status, detail: told } : undefined;
    session.failedTransfer = { toEndPoint: to, status, detail: told };
  }
}
