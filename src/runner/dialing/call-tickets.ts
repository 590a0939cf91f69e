import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../base/secret.js';
import { asCallId, type CallId } from '../../call/call-id.js';
import { MAX_PARAMETER_LENGTH, MAX_PARAMETERS } from './start-request.js';

/** What one of our own addresses says about its call, so that it is understood even by a runner started later. */
export interface CallTicket {
  /** Our identifier of the call. */
  readonly callId: CallId;
  /** The call that it was dialled beside. */
  readonly linkedTo?: CallId | undefined;
  /** Custom data of the call; undefined where the address has no room for it. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Whom the call is being transferred to, E.164. */
  readonly transferTo?: string | undefined;
  /** Which of the call's transfers this is, from 1 on. */
  readonly transferNo?: number | undefined;
}

/** Query parameters that our addresses use themselves; custom data cannot have these names. */
export const RESERVED_PARAMETERS: ReadonlySet<string> = new Set([
  'call_id',
  'token',
  'linked_to',
  'body',
  'transfer_to',
  'transfer_no',
  'stream_no',
  'expires',
  'signature',
]);

/** Present only in an address that was signed. */
const SIGNED = ['linked_to', 'body', 'transfer_to', 'transfer_no', 'expires', 'signature'] as const;

/**
 * Writes and reads the signed part of our addresses: `call_id`, `linked_to`, `body` (base64url of its JSON), `transfer_to`, `transfer_no`, `expires`
 * (seconds since the epoch) and an HMAC-SHA256 over all of them. The carrier's own signature does not always cover the
 * query of a stream's address, and is off in experiments; this one always counts.
 */
export class CallTickets {
  readonly #key: Buffer;

  /** @param secret stays the same over restarts: addresses outlive the runner that made them */
  constructor(secret: string) {
    this.#key = createHmac('sha256', secret).update('voicebot call ticket').digest();
  }

  /** @returns query parameters to append to an address */
  issue({ callId, linkedTo, body, transferTo, transferNo }: CallTicket, validForS: number): Record<string, string> {
    const claims = {
      call_id: callId,
      ...(linkedTo && { linked_to: linkedTo }),
      ...(body && { body: Buffer.from(JSON.stringify(body)).toString('base64url') }),
      ...(transferTo && { transfer_to: transferTo }),
      ...(transferNo && { transfer_no: String(transferNo) }),
      expires: String(Math.floor(Date.now() / 1_000) + validForS),
    };
    return { ...claims, signature: this.#sign(claims) };
  }

  /** Undefined when the address claims nothing; `refused` when what it claims is forged, expired or cut off. */
  read(query: URLSearchParams): CallTicket | 'refused' | undefined {
    if (!SIGNED.some((name) => query.has(name))) return undefined;
    const names = ['call_id', ...SIGNED].filter((name) => query.has(name));
    const claims = Object.fromEntries(names.map((name) => [name, query.get(name) ?? '']));
    const { signature = '', ...signed } = claims;
    const isWhole = names.every((name) => query.getAll(name).length === 1);
    if (!isWhole || !isSameSecret(signature, this.#sign(signed))) return 'refused';
    const {
      call_id: id,
      linked_to: linkedTo,
      body,
      transfer_to: transferTo,
      transfer_no: transferNo,
      expires,
    } = signed;
    if (!id || !(Number(expires) > Date.now() / 1_000)) return 'refused';
    return {
      callId: asCallId(id),
      ...(linkedTo !== undefined && { linkedTo: asCallId(linkedTo) }),
      ...(body !== undefined && { body: JSON.parse(Buffer.from(body, 'base64url').toString()) }),
      ...(transferTo !== undefined && { transferTo }),
      ...(transferNo !== undefined && { transferNo: Number(transferNo) }),
    };
  }

  #sign(claims: Readonly<Record<string, string>>): string {
    const text = Object.entries(claims)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`)
      .join('\n');
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

/**
 * The parameters of an address that are neither ours nor the carrier's: custom data for the bot.
 * @param isCarriers whether the carrier adds parameters of this name
 */
export function customParameters(
  query: URLSearchParams,
  isCarriers: (name: string) => boolean,
): Record<string, string> {
  const custom = [...query].filter(
    ([name, value]) => !RESERVED_PARAMETERS.has(name) && !isCarriers(name) && value.length <= MAX_PARAMETER_LENGTH,
  );
  return Object.fromEntries(custom.slice(0, MAX_PARAMETERS));
}
