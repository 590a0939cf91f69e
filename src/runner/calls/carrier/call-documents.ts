import { LONGEST_CALL_MS } from '../../../call/call.js';
import type { CallRecord } from '../../../call/call-record.js';
import type { AnswerHold, AnswerStep, Carrier } from '../../../providers/carrier.js';
import type { CallTicket, CallTickets } from '../../dialing/call-tickets.js';
import { type WebhookAddresses, withQuery } from '../../http/webhook-addresses.js';
import { TRANSFER_RING_S } from '../life/decide-transfer.js';
import type { CarrierCall } from './carrier-call.js';

/** Longest address of a stream that carriers take, in characters (carrier reference 4.2). */
const MAX_STREAM_URL_LENGTH = 2_048;
/** How long the addresses of a call stay good: no call lasts longer at a carrier, in seconds (carrier reference 1.8). */
const TICKET_VALID_S = LONGEST_CALL_MS / 1_000;
/** What callers hear when their stream breaks with the tunnel. A bot that failed is replaced before they hear it. */
const HOLD: AnswerHold = { quietS: 1, text: 'One moment, please.', waitS: 20 };
/** The same for one who must not hear anything yet. */
const SILENT_HOLD: AnswerHold = { quietS: 1, waitS: 21 };
/** How long such a caller waits for us, the sentence included, in seconds. */
export const HOLD_S = 22;

/** A transfer, and which of the call's it is. */
interface TransferOf {
  /** E.164. */
  readonly to: string;
  readonly no: number;
}

export interface CallDocumentsOptions {
  carrier: Carrier;
  addresses: WebhookAddresses;
  tickets: CallTickets;
  /** How long a transferred caller and the destination may talk, in seconds. */
  transferLimitS: number;
  /** The addresses are those of a tunnel, which may break: callers then wait for it. Default false. */
  isTunnelled?: boolean | undefined;
  /** Streams carry more than telephone audio where the carrier's can. Default false. */
  isWideband?: boolean | undefined;
}

/** Writes what the carrier is told to do with a call, and the addresses it is given for it. */
export class CallDocuments {
  /** Of the calls that we dial: a document is the same however often it is asked for, and so says when it expires. */
  readonly #tickets = new WeakMap<CarrierCall, Record<string, string>>();

  constructor(private readonly options: CallDocumentsOptions) {}

  /** A bot talks to the caller. @param isSilent nothing else is said to them */
  stream(call: CarrierCall, streamNo: number, isSilent = false): AnswerStep[] {
    const { carrier, addresses, isTunnelled, isWideband } = this.options;
    const { wideband } = carrier.capabilities.audio;
    const stream = {
      ...this.#streamAddress(call, streamNo),
      ...(isWideband && wideband && { format: wideband }),
      continueUrl: this.resumeUrl(call, streamNo),
      ...(isTunnelled && { hold: isSilent ? SILENT_HOLD : HOLD }),
      statusUrl: addresses.statusUrl,
    };
    return [{ do: 'stream', stream }];
  }

  /** Where the carrier finds what comes after a stream. */
  resumeUrl(call: CarrierCall, streamNo: number): string {
    return this.#address(this.options.addresses.resumeUrl, call, { stream_no: String(streamNo) });
  }

  /** The same for the REST API: some who fetch a document that they were given there do not say for which call. */
  fetchUrl(call: CarrierCall, streamNo: number): string {
    const ticket = call.isDialled ? {} : this.options.tickets.issue({ callId: call.id }, TICKET_VALID_S);
    return this.#address(this.options.addresses.resumeUrl, call, { stream_no: String(streamNo), ...ticket });
  }

  /** The caller hears that something is wrong. */
  apology(): AnswerStep[] {
    return [{ do: 'play', url: this.options.addresses.apologyUrl }, { do: 'hangup' }];
  }

  /** The caller is connected to the destination of a transfer. */
  dial(call: CarrierCall, { to, no }: TransferOf, record: Pick<CallRecord, 'from' | 'to'>): AnswerStep[] {
    const { addresses, transferLimitS } = this.options;
    const claims = { callId: call.id, transferTo: to, transferNo: no };
    const outcomeUrl = this.#signed(addresses.transferEndedUrl, claims);
    const statusUrl = this.#signed(addresses.transferStatusUrl, claims);
    const dial = {
      to,
      callerId: callerIdOf(call, record),
      ringTimeoutS: TRANSFER_RING_S,
      timeLimitS: transferLimitS,
      outcomeUrl,
      statusUrl,
    };
    return [{ do: 'dial', dial }];
  }

  /** Where the carrier finds the document of a transfer. */
  transferUrl(call: CarrierCall, { to, no }: TransferOf): string {
    return this.#signed(this.options.addresses.transferUrl, {
      callId: call.id,
      transferTo: to,
      transferNo: no,
    });
  }

  /** The addresses of a call that we dial. */
  dialled(call: CarrierCall): { answerUrl: string; ringUrl: string; hangupUrl: string; machineUrl: string } {
    const { addresses } = this.options;
    const claims = { callId: call.id };
    return {
      answerUrl: this.#address(addresses.answerUrl, call),
      ringUrl: this.#signed(addresses.ringUrl, claims),
      hangupUrl: this.#signed(addresses.hangupUrl, claims),
      machineUrl: this.#signed(addresses.machineUrl, claims),
    };
  }

  /** An address that says all a runner has to know of the call, so that one started later can go on. */
  #address(url: string, call: CarrierCall, more: Record<string, string> = {}): string {
    return withQuery(url, { ...call.query, ...more, ...this.#ticket(call) });
  }

  #signed(url: string, claims: CallTicket): string {
    return withQuery(url, this.options.tickets.issue(claims, TICKET_VALID_S));
  }

  /** Nothing for an inbound call: it has no custom data, and its carrier's identifier names it. */
  #ticket(call: CarrierCall): Record<string, string> {
    const { id, isDialled, linkedTo, body } = call;
    if (!isDialled) return {};
    const ticket =
      this.#tickets.get(call) ?? this.options.tickets.issue({ callId: id, linkedTo, body }, TICKET_VALID_S);
    this.#tickets.set(call, ticket);
    return ticket;
  }

  /**
   * When the address would be too long, leaves out the signed `body`, then the custom parameters: this runner knows both, and a later
   * runner reads them from the call's other addresses.
   */
  #streamAddress(call: CarrierCall, streamNo: number): { url: string; parameters: Record<string, string> } {
    const { carrier, addresses } = this.options;
    const { id, query } = call;
    const pass = call.passOf(streamNo);
    const own = { call_id: id, token: pass.token };
    const url = carrier.capabilities.allowsStreamQuery
      ? addresses.streamUrl
      : `${addresses.streamUrl}/${encodeURIComponent(id)}/${pass.token}`;
    const first = carrier.capabilities.allowsStreamQuery ? own : {};
    const whole = { ...first, ...query, ...this.#ticket(call) };
    const candidates = [whole, { ...first, ...query }, first];
    const fits = (parameters: Record<string, string>) => withQuery(url, parameters).length <= MAX_STREAM_URL_LENGTH;
    return { url, parameters: candidates.find(fits) ?? first };
  }
}

/** What a transfer's destination sees: the number the bot is reached at, the only one of the two that is ours to show. */
export function callerIdOf(
  { isDialled }: Pick<CarrierCall, 'isDialled'>,
  { from, to }: Pick<CallRecord, 'from' | 'to'>,
): string {
  return isDialled ? (from ?? '') : to; // that of a dialled call is always there
}
