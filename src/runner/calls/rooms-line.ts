import type { Router } from 'express';
import type { EndReason } from '../../call/call.js';
import type { RoomProvider, RoomsCredentials, RoomsRestClient } from '../../providers/room-provider.js';
import { joinRoomFor } from '../../transports/room/join-room.js';
import type { StartedCall, StartRequest } from '../dialing/start-route.js';
import { dialinRoute } from '../http/dialin-route.js';
import type { Line, LineContext, OpenLine } from './line.js';
import { RoomCalls, type RoomsBrowser } from './room-calls.js';
import { RoomKeeper } from './room-keeper.js';
import { type RoomTrial, tryRoom } from './trial-room.js';

/** A provider that bridges calls into media rooms. */
export interface RoomsSide {
  readonly kind: 'rooms';
  readonly provider: RoomProvider;
  readonly credentials: RoomsCredentials;
  /** Signs the provider's webhooks, base64. */
  readonly webhookSecret: string;
  /** Bots join their rooms through it. Default: they join them by themselves. */
  readonly browser?: RoomsBrowser | undefined;
}

/** @throws VoicebotError when the credentials cannot be used */
export async function prepareRoomsLine(side: RoomsSide): Promise<OpenLine> {
  const client = await side.provider.createRestClient(side.credentials);
  return (context) => new RoomsLine(side, client, context);
}

class RoomsLine implements Line {
  readonly routes: Router;
  readonly #calls: RoomCalls;
  readonly #keeper: RoomKeeper;

  constructor(
    private readonly side: RoomsSide,
    private readonly client: RoomsRestClient,
    context: LineContext,
  ) {
    const { provider, credentials, webhookSecret, browser } = side;
    const { stateDirectory, logger } = context;
    this.#keeper = new RoomKeeper({ provider, credentials, client, stateDirectory, logger });
    this.#calls = new RoomCalls({ ...context, credentials, client, browser, keeper: this.#keeper });
    this.routes = dialinRoute({
      ...context,
      provider,
      secret: webhookSecret,
      take: (call) => this.#calls.take(call),
    });
  }

  get busyCount(): number {
    return this.#calls.count;
  }

  dial(request: StartRequest): Promise<StartedCall> {
    return this.#calls.dial(request);
  }

  tryRoom(signal?: AbortSignal): Promise<RoomTrial> {
    const joinFor = (roomUrl: string) => joinRoomFor(roomUrl, this.side.browser);
    return tryRoom({ client: this.client, keeper: this.#keeper, joinFor, signal });
  }

  recover(): void {
    this.#keeper.recover();
  }

  drain(): void {
    this.#calls.drain();
  }

  stopCalls(): void {
    this.#calls.stopCalls();
  }

  endAll(reason: EndReason): void {
    this.#calls.endAll(reason);
  }

  async close(atOnce: AbortSignal): Promise<void> {
    await this.#keeper.stop(atOnce);
    await this.client.close();
  }
}
