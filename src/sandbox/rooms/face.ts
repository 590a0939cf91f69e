import type { RequestListener } from 'node:http';
import type { JsonFields } from '../../base/http/json-fields.js';
import { signWebhook } from '../../providers/daily/signature.js';

/** What the sandbox's own rooms are asked by a provider that stands in front of them: a request to Daily's REST API (rooms reference 1 to 8). */
export interface RoomsApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query: `/rooms/name`. */
  readonly path: string;
  readonly fields?: object | undefined;
}

/** What a room provider has for its part in the sandbox. */
export interface RoomsFaceOptions {
  /** The key of the account, which clients show. */
  readonly apiKey: string;
  /** Asks the rooms of the same account, by Daily's REST API. `fields` are empty where the answer is no object. */
  readonly daily: (request: RoomsApiRequest) => Promise<{ readonly status: number; readonly fields: JsonFields }>;
}

/** A signed request. */
export interface SignedRoomsWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A room provider from its own side: its REST API and its webhooks. */
export interface RoomsFace {
  /** The REST API, with addresses behind the base address alone. Missing: Daily's. */
  readonly restApi?: RequestListener;
  /**
   * A webhook of the number's.
   * @param told what happened, as Daily tells it (rooms reference 4.1): a held caller, or that the number was set
   * @param secret as the number's settings have it, base64
   * @param now milliseconds since the epoch
   */
  readonly webhook: (told: JsonFields, secret: string, now: number) => SignedRoomsWebhook;
}

/** Daily's. */
export const dailyFace: RoomsFace = {
  webhook(told, secret, now) {
    const body = Buffer.from(JSON.stringify(told));
    return { headers: { 'content-type': 'application/json', ...signWebhook(body, secret, now) }, body };
  },
};
