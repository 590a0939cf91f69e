import type { Logger } from '../../../base/logger.js';
import { asCallId, asProviderCallId, type CallId, type ProviderCallId } from '../../../call/call-id.js';
import type { AnswerStep, Carrier, CarrierWebhook } from '../../../providers/carrier.js';
import type { BotPool } from '../../bots/bot-pool.js';
import type { CallTicket } from '../../dialing/call-tickets.js';
import type { Hangups } from '../debts/hangups.js';
import type { CallRegistry } from '../life/call-registry.js';
import type { CarrierCall } from './carrier-call.js';
import type { CarrierDriver } from './carrier-driver.js';
import type { WebhookMemory } from './webhook-memory.js';

/** A carrier's webhook about one call, with what the address it came to says. */
export interface CarrierEvent extends CarrierWebhook {
  /** The carrier's identifier. */
  readonly providerCallId: ProviderCallId;
  readonly ticket: CallTicket | undefined;
  /** Which of the call's streams the address belongs to, where it says so. */
  readonly streamNo: number | undefined;
  /** Custom parameters of the address. */
  readonly query: Readonly<Record<string, string>>;
}

/** What there was too little of for a caller: places in the tunnel, or bots that could be there in time. */
export type TurnedAway = 'tunnel_full' | 'no_bot_in_time';

export interface CarrierWebhooksOptions {
  carrier: Pick<Carrier, 'isCallId'>;
  registry: CallRegistry;
  pool: Pick<BotPool, 'expect' | 'forget' | 'problem'>;
  hangups: Hangups;
  /** The calls that earlier runners have ended. */
  memory: Pick<WebhookMemory, 'hasEnded'>;
  /** A caller is turned away because there are so many. */
  onTurnedAway?: ((why: TurnedAway) => void) | undefined;
  logger: Logger;
}

const HANG_UP: AnswerStep[] = [{ do: 'hangup' }];
const BUSY: AnswerStep[] = [{ do: 'hangup', reason: 'busy' }];

/** Turns a carrier's webhooks into events of its calls, and answers with documents. */
export class CarrierWebhooks {
  constructor(
    private readonly driver: CarrierDriver,
    private readonly options: CarrierWebhooksOptions,
  ) {}

  /** What the carrier calls a call of ours, as far as this runner can tell: our own name of an inbound call is the carrier's. */
  providerIdOf(id: CallId): ProviderCallId | undefined {
    const call = this.driver.callOf(id);
    if (call) return call.providerCallId;
    return this.options.carrier.isCallId(id) ? asProviderCallId(id) : undefined;
  }

  /** Whether this runner has, or had, the call that the carrier tells about. */
  knows(told: CarrierEvent): boolean {
    return this.#find(told) !== undefined || this.options.registry.get(idOf(told)) !== undefined;
  }

  /** The document of a new call. Asking again gives the same one. */
  answer(told: CarrierEvent): AnswerStep[] {
    const id = idOf(told);
    if (this.options.registry.get(id)?.endReason === 'turned_away') return BUSY;
    if (this.#isEnded(told) || this.#isLeftOver(told)) return HANG_UP;
    const known = this.driver.callOf(id);
    if (!known && (this.driver.supervisor.isDraining || this.#isTurnedAway(id, told))) return BUSY;
    const call = known ?? this.#open(told);
    if (!this.driver.bind(call, told.providerCallId, told.requestId)) {
      this.options.logger.error('the carrier dialled a call twice, ending the second', { callId: id });
      return HANG_UP;
    }
    const botProblem = known ? undefined : this.options.pool.problem;
    return this.driver.askNow(call, (request) => ({ type: 'answer_asked', request, botProblem }));
  }

  /** The dialled phone rings. */
  ring(told: CarrierEvent): void {
    const call = this.#find(told);
    if (this.#isEnded(told) || (call && !this.driver.bind(call, told.providerCallId, told.requestId))) {
      // Given up as never placed, or dialled twice: no bot waits for it.
      this.options.hangups.ensureEnded(told.providerCallId);
      return;
    }
    if (call) this.driver.supervisor.happen(call.id, { type: 'rang' }); // one of an earlier runner is taken up with its answer
  }

  /** The carrier has found out what answered. */
  machine(told: CarrierEvent): void {
    const call = this.#find(told);
    const { isMachine } = told;
    if (!call || isMachine === undefined) return;
    if (this.driver.bind(call, told.providerCallId, told.requestId)) {
      this.driver.supervisor.happen(call.id, { type: 'machine_detected', isMachine });
    } else this.options.hangups.ensureEnded(told.providerCallId);
  }

  /** The document after a stream has ended. An unknown call is one that the runner was restarted under. */
  resume(told: CarrierEvent): AnswerStep[] | Promise<AnswerStep[]> {
    if (this.#isEnded(told) || this.#isLeftOver(told)) return HANG_UP;
    const { streamNo } = told;
    const botProblem = this.options.pool.problem;
    const call = this.#find(told) ?? this.#open(told, 2);
    return this.driver.ask(call, (request) => ({ type: 'resume_asked', request, streamNo, botProblem }));
  }

  /** The carrier asks for the document of a transfer that it agreed to. */
  transfer(told: CarrierEvent): AnswerStep[] | Promise<AnswerStep[]> {
    const { transferTo: to, transferNo: no = 1 } = told.ticket ?? {};
    if (!to || this.#isEnded(told) || this.#isLeftOver(told)) return HANG_UP;
    const botProblem = this.options.pool.problem;
    const call = this.#find(told) ?? this.#adopt(told, no, to);
    return this.driver.ask(call, (request) => ({ type: 'transfer_document_asked', request, no, to, botProblem }));
  }

  /** What the carrier tells of the destination while it dials it. */
  transferStatus({ dial, ...told }: CarrierEvent): void {
    const call = this.#find(told);
    const no = told.ticket?.transferNo;
    if (!call || dial?.phase !== 'answered' || no === undefined) return;
    this.driver.supervisor.happen(call.id, { type: 'destination_answered', no, to: dial.to, legId: dial.legId });
  }

  /** The carrier has finished dialling the destination, or the talk with it is over. */
  transferEnded(told: CarrierEvent): AnswerStep[] {
    const { transferTo: to, transferNo: no = 1 } = told.ticket ?? {};
    if (!to || this.#isEnded(told) || this.#isLeftOver(told)) return HANG_UP;
    const botProblem = this.options.pool.problem;
    const call = this.#find(told) ?? this.#adopt(told, no, to);
    const { outcome, cause, legId } =
      told.dial?.phase === 'ended' ? told.dial : { outcome: 'caller_left' as const, cause: '', legId: undefined };
    return this.driver.askNow(call, (request) => ({
      type: 'transfer_ended',
      request,
      no,
      to,
      outcome,
      cause,
      legId,
      botProblem,
    }));
  }

  /** The carrier says the call is over. */
  hangup(told: CarrierEvent): void {
    const { hangups, registry } = this.options;
    hangups.settled(told.providerCallId);
    if (told.requestId !== undefined) hangups.settled(told.requestId);
    // A caller may give up before the answer is asked for, and webhooks overtake each other: the answer then comes too late.
    const isNew = told.direction === 'inbound' && !registry.get(asCallId(told.providerCallId)) && !this.#isEnded(told);
    const call = this.#find(told) ?? (isNew ? this.#open(told) : undefined);
    if (!call || !this.driver.bind(call, told.providerCallId, told.requestId)) return; // the second of two is not the call we know
    this.driver.supervisor.happen(call.id, {
      type: 'provider_says_over',
      reason: told.hangup?.reason ?? 'telephony_error',
    });
  }

  /** The carrier says that it lost a stream. */
  streamProblem(told: CarrierEvent): void {
    const { streamProblem } = told;
    if (!streamProblem) return;
    const call = this.#find(told);
    if (call) this.driver.supervisor.happen(call.id, { type: 'stream_problem', problem: streamProblem });
    else this.options.logger.warn('the carrier lost the media stream', { callId: idOf(told), streamProblem });
  }

  #find({ ticket, providerCallId }: Pick<CarrierEvent, 'ticket' | 'providerCallId'>): CarrierCall | undefined {
    return ticket ? this.driver.callOf(ticket.callId) : this.driver.ofProvider(providerCallId);
  }

  #isEnded(told: CarrierEvent): boolean {
    const id = idOf(told);
    const record = this.options.registry.get(id);
    return record ? record.state === 'ended' : this.options.memory.hasEnded(id);
  }

  /** Of a call that a runner which is gone had dialled beside another one, which is not here: it would have no bot. */
  #isLeftOver(told: CarrierEvent): boolean {
    const { linkedTo } = told.ticket ?? {};
    if (linkedTo === undefined || this.#find(told) || this.driver.callOf(linkedTo)) return false;
    this.options.logger.warn('ending a call whose other call is not here', { callId: idOf(told), linkedTo });
    return true;
  }

  /** A call that a runner which is gone had begun to transfer. */
  #adopt(told: CarrierEvent, no: number, to: string): CarrierCall {
    const call = this.#open(told, 2);
    this.driver.supervisor.happen(call.id, { type: 'transfer_adopted', no, to });
    return call;
  }

  #open(told: CarrierEvent, attempt = 1): CarrierCall {
    const { ticket, providerCallId, direction, from, to, query } = told;
    const id = idOf(told);
    const { linkedTo, body = {} } = ticket ?? {};
    const call = { id, isDialled: direction === 'outbound', linkedTo, body, query, providerCallId };
    const linked = linkedTo && { linkedTo };
    const record = { id, providerCallId, direction, from, to, ...linked, state: 'ringing' } as const;
    return this.driver.begin(call, record, { is: 'ringing' }, attempt);
  }

  /** A caller who comes when there are too many hears that it is busy, and not silence. */
  #isTurnedAway(id: CallId, { providerCallId, direction, from, to }: CarrierEvent): boolean {
    const { pool, registry, onTurnedAway } = this.options;
    if (direction === 'outbound') return false;
    const isTunnelFull = this.driver.isTunnelFull;
    if (!isTunnelFull && pool.expect(id) === 'in_time') return false;
    pool.forget(id);
    onTurnedAway?.(isTunnelFull ? 'tunnel_full' : 'no_bot_in_time');
    registry.open({ id, providerCallId, direction, from, to, state: 'ringing' });
    registry.end(id, 'turned_away');
    return true;
  }
}

/** Our identifier of a call: for an inbound call the carrier's. */
export function idOf({ ticket, providerCallId }: Pick<CarrierEvent, 'ticket' | 'providerCallId'>): CallId {
  return ticket?.callId ?? asCallId(providerCallId);
}
