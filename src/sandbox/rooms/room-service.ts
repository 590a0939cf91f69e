import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import express, { type Express, Router } from 'express';
import { hashOf } from '../../base/http/inline-hash.js';
import type { Logger } from '../../base/logger.js';
import type { PhoneNetwork } from '../network/network.js';
import { SandboxRoomAccount } from './account.js';
import { DialinWebhooks } from './dialin-webhook.js';
import type { RoomEventFault } from './event-faults.js';
import type { RoomsFace } from './face.js';
import { SandboxLiveRooms } from './live-rooms.js';
import type { RateLimits } from './rate-limits.js';
import { roomsApi } from './rest-api.js';
import type { TransferOrder } from './room-lines.js';
import { RoomServer, roomNameIn } from './room-server.js';

/** Where Daily's REST API is, and where another provider has its own, which stands in front of it. */
export const ROOMS_API_PATH = '/rooms-api/v1';
export const OWN_API_PATH = '/rooms-api/own';

/** Whether a request is for the room provider: its REST API, a room, or the client of its rooms. */
export function isForRooms({ url = '' }: IncomingMessage): boolean {
  return (
    url.startsWith(ROOMS_API_PATH) ||
    url.startsWith(OWN_API_PATH) ||
    roomNameIn(url) !== undefined ||
    isClientModule(url)
  );
}

export interface RoomServiceOptions {
  readonly apiKey: string;
  /** Whose words its REST API and its webhooks have. */
  readonly face: RoomsFace;
  /** Where the server is, such as `http://127.0.0.1:5060`; asked whenever a room is created. */
  readonly baseUrl: () => string;
  /** Longest wait for the answer to a webhook, in milliseconds. */
  readonly webhookTimeoutMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly rateLimits?: RateLimits | undefined;
  /** What becomes of events on their way to the clients. Default: nothing. */
  readonly eventFaults?: readonly RoomEventFault[] | undefined;
  /** Whether the account's plan has transcription. Default true. */
  readonly hasTranscription?: boolean | undefined;
  /** Default `leaves_at_once`. */
  readonly transferOrder?: TransferOrder | undefined;
  readonly logger: Logger;
}

/** The room provider: its account, its rooms, and how they are reached over HTTP and WebSocket. */
export class RoomService {
  readonly live: SandboxLiveRooms;
  readonly app: Express;
  readonly server: RoomServer;
  readonly #webhooks: DialinWebhooks;

  /** From now on the network gives it the calls to its numbers. */
  constructor(network: PhoneNetwork, options: RoomServiceOptions) {
    const { apiKey, face, baseUrl, webhookTimeoutMs, now, rateLimits, eventFaults = [], logger } = options;
    const { transferOrder = 'leaves_at_once', hasTranscription } = options;
    const account = new SandboxRoomAccount({ apiKey, baseUrl, now, rateLimits, hasTranscription, logger });
    const webhooks = new DialinWebhooks({ timeoutMs: webhookTimeoutMs, face });
    const takeDialout = (): void => account.rateLimits.take('dialout');
    const live = new SandboxLiveRooms({ account, network, webhooks, transferOrder, takeDialout, now, logger });
    network.lineOf = (number) => live.lineOf(number);
    this.#webhooks = webhooks;
    this.live = live;
    this.server = new RoomServer({ account, live, now, eventFaults, logger });
    this.app = express()
      .disable('x-powered-by')
      .disable('etag')
      .use(ROOMS_API_PATH, roomsApi(account, live, webhooks))
      .use(OWN_API_PATH, (request, response, next) => (face.restApi ? face.restApi(request, response) : next()))
      .use(clientModule())
      .use(roomPage());
  }

  /** Ends all sessions and lets go of everything; calls are the network's to end. */
  async close(): Promise<void> {
    await this.live.close();
    await this.server.close();
    await this.#webhooks.close();
  }
}

/** Not a room's address: those have no dot in them. */
const PATH = '/client.js';
/** Compiled for browsers, with all it imports, from `page/call-object.ts`. */
const MODULE = fileURLToPath(new URL('../../../dist/sandbox/rooms/page/call-object.js', import.meta.url));

/** Pages of any origin may load it: there is nothing secret in it. */
const HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** Whether an address, without its origin, is that of the module. */
const isClientModule = (url: string): boolean => url.split('?', 1)[0] === PATH;

/** The ES module with which a page on this machine joins the rooms: a part of the provider's own client. */
function clientModule(): Router {
  return Router({ caseSensitive: true, strict: true }).get(PATH, (_request, response) => {
    response.set(HEADERS).type('js').send(readFileSync(MODULE, 'utf8'));
  });
}

const PAGE = fileURLToPath(new URL('../../../assets/room.html', import.meta.url));

/** The page that a browser shows at a room's address; its content security policy allows its own script and style only. */
function roomPage(): Router {
  const page = readFileSync(PAGE, 'utf8');
  const headers = {
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${hashOf(page, 'script')}`,
      `style-src ${hashOf(page, 'style')}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  return Router({ caseSensitive: true, strict: true }).get('/:name', (_request, response) => {
    response.set(headers).type('html').send(page);
  });
}
