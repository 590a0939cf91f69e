import type { IncomingMessage } from 'node:http';
import express, { type Express } from 'express';
import type { Logger } from '../../base/logger.js';
import type { PhoneNetwork } from '../network/network.js';
import { SandboxRoomAccount } from './account.js';
import { clientModule, isClientModule } from './client-module.js';
import { DialinWebhooks } from './dialin-webhook.js';
import type { RoomEventFault } from './event-faults.js';
import { SandboxLiveRooms } from './live-rooms.js';
import type { RateLimits } from './rate-limits.js';
import { roomsApi } from './rest-api.js';
import type { TransferOrder } from './room-lines.js';
import { roomPage } from './room-page.js';
import { RoomServer, roomNameIn } from './room-server.js';

/** Where the REST API is. */
export const ROOMS_API_PATH = '/rooms-api/v1';

/** Whether a request is for the room provider: its REST API, a room, or the client of its rooms. */
export function isForRooms({ url = '' }: IncomingMessage): boolean {
  return url.startsWith(ROOMS_API_PATH) || roomNameIn(url) !== undefined || isClientModule(url);
}

export interface RoomServiceOptions {
  readonly apiKey: string;
  /** Where the server is, such as `http://127.0.0.1:5060`; asked whenever a room is created. */
  readonly baseUrl: () => string;
  /** Longest wait for the answer to a webhook, in milliseconds. */
  readonly webhookTimeoutMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly rateLimits?: RateLimits | undefined;
  /** What becomes of events on their way to the clients. Default: nothing. */
  readonly eventFaults?: readonly RoomEventFault[] | undefined;
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
    const { apiKey, baseUrl, webhookTimeoutMs, now, rateLimits, eventFaults = [], logger } = options;
    const { transferOrder = 'leaves_at_once' } = options;
    const account = new SandboxRoomAccount({ apiKey, baseUrl, now, rateLimits, logger });
    const webhooks = new DialinWebhooks({ timeoutMs: webhookTimeoutMs });
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
