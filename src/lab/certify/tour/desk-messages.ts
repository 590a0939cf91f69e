import type { ApiExchange } from '../../../base/http/api-connection.js';
import type { CallDirection, EndReason } from '../../../call/call.js';

/** What the tour has the bot of a call do. */
export type BotOrder =
  | { readonly do: 'say'; readonly text: string; readonly name: string }
  /** A tone, until it is interrupted, at most 20 s. */
  | { readonly do: 'speak at length'; readonly name: string }
  | { readonly do: 'interrupt' }
  | { readonly do: 'hold' }
  | { readonly do: 'unhold' }
  | { readonly do: 'press'; readonly keys: string }
  | { readonly do: 'transfer'; readonly to: string; readonly brief?: string }
  | { readonly do: 'hang up' };

/** What it tells of the call. */
export type BotNews =
  | {
      readonly event: 'serves';
      readonly direction: CallDirection;
      readonly from: string;
      readonly to: string;
      /** 1 for the first bot of a call. */
      readonly attempt: number;
      readonly pid: number;
    }
  | { readonly event: 'key'; readonly digit: string }
  | { readonly event: 'said'; readonly name: string; readonly wasHeard: boolean }
  | { readonly event: 'done'; readonly what: BotOrder['do'] }
  /** The caller has begun to speak, or has stopped. */
  | { readonly event: 'caller speaks' }
  | { readonly event: 'caller is silent' }
  | { readonly event: 'transfer'; readonly status: string }
  | { readonly event: 'failed'; readonly message: string }
  | { readonly event: 'over'; readonly reason: EndReason };

/** What a bot's process sees of the wire, beside what comes past the runner. */
export type BotWire =
  | { readonly wire: 'rest'; readonly exchange: ApiExchange }
  | { readonly wire: 'room'; readonly name: string; readonly data: unknown };

/** The environment variable with the address of the desk. */
export const DESK_VARIABLE = 'CERTIFY_DESK';
