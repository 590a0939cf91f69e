import type { Router } from 'express';
import type { RequestObserver } from '../../../base/http/rest-client.js';
import { joinRoomFor } from '../../../bot/transports/room/join-room.js';
import { asCallId } from '../../../call/call-id.js';
import type { RoomProvider, RoomsCredentials, RoomsRestClient } from '../../../providers/rooms/room-provider.js';
import type { StartedCall, StartRequest } from '../../dialing/start-request.js';
import { DIALIN_PATHS, dialinRoute } from '../../http/dialin-route.js';
import { DialinSecrets } from '../../http/dialin-secrets.js';
import { CallMoves } from '../life/call-moves.js';
import type { CallSupervisor } from '../life/supervisor.js';
import type { AdapterContext, ProviderAdapter, RoomTrialWishes, StartAdapter } from '../provider-adapter.js';
import { RoomKeeper } from './room-keeper.js';
import { RoomLegs } from './room-legs.js';
import { type RoomsBrowser, RoomsDriver } from './rooms-driver.js';
import { type RoomTrial, tryRoom } from './trial-room.js';

/** How often bots in rooms learn that their runner is there, in milliseconds. */
const SHOWN_EVERY_MS = 1_000;

/** A provider that bridges calls into media rooms. */
export interface RoomsAccess {
  readonly kind: 'rooms';
  readonly provider: RoomProvider;
  readonly credentials: RoomsCredentials;
  /** Signs the provider's webhooks, base64. */
  readonly webhookSecret: string;
  /** Bots join their rooms through it. Default: they join them by themselves. */
  readonly browser?: RoomsBrowser | undefined;
  /** The setting `roomsClient`. */
  readonly roomsClient?: string | undefined;
}

/**
 * @param onSent told of each request to the provider
 * @throws VoicebotError when the credentials cannot be used
 */
export async function createRoomsAdapter(access: RoomsAccess, onSent?: RequestObserver): Promise<StartAdapter> {
  const client = await access.provider.createRestClient(access.credentials, { onSent });
  return (context) => new RoomsAdapter(access, client, context);
}

class RoomsAdapter implements ProviderAdapter {
  readonly routes: Router;
  readonly #driver: RoomsDriver;
  readonly #keeper: RoomKeeper;
  readonly #legs: RoomLegs;
  #showing: NodeJS.Timeout | undefined;

  constructor(
    private readonly access: RoomsAccess,
    private readonly client: RoomsRestClient,
    context: AdapterContext,
  ) {
    const { provider, credentials, webhookSecret, browser } = access;
    const { journalOf, logger } = context;
    this.#keeper = new RoomKeeper({ provider, credentials, client, journalOf, logger });
    this.#legs = new RoomLegs({ client, journal: journalOf(this.#keeper.account, 'hangups'), logger });
    const { sharing } = context;
    this.#driver = new RoomsDriver({
      ...context,
      credentials,
      client,
      browser,
      keeper: this.#keeper,
      legs: this.#legs,
      onChanged: (id) => sharing?.changed(id),
      inDoubt: (id) => sharing?.inDoubt(id),
    });
    if (sharing) this.#showing = setInterval(() => this.supervisor.showItself(), SHOWN_EVERY_MS).unref();
    sharing?.serve({
      moves: new CallMoves(this.#driver, context.registry, context.limits),
      isLive: (id) => this.#driver.supervisor.lifeOf(id) !== undefined,
      ids: () => this.#driver.supervisor.ids,
      noteOver: () => {},
    });
    this.routes = dialinRoute({
      ...context,
      provider,
      secrets: new DialinSecrets({
        own: webhookSecret,
        read: (signal) => client.dialinSecrets(signal),
        addresses: () => DIALIN_PATHS.flatMap((path) => context.addresses.of(path)),
        logger,
      }),
      take: (call) => this.#driver.take(call),
      answered: ({ providerCallId }, status, ms) => {
        const webhook = { type: 'webhook', path: '/rooms-dialin-webhook', event: 'dialin', status, ms } as const;
        context.registry.timelines.note(asCallId(providerCallId), webhook);
      },
    });
  }

  get supervisor(): CallSupervisor {
    return this.#driver.supervisor;
  }

  dial(request: StartRequest): Promise<StartedCall> {
    return this.#driver.dial(request);
  }

  tryRoom({ transcribes, signal }: RoomTrialWishes): Promise<RoomTrial> {
    const { provider, browser: pages, roomsClient: setting } = this.access;
    const joinFor = (roomUrl: string) => joinRoomFor(provider, roomUrl, { pages, setting });
    return tryRoom({ client: this.client, keeper: this.#keeper, joinFor, transcribes, signal });
  }

  recover(): void {
    this.#keeper.recover();
    this.#legs.recover();
  }

  async close(atOnce: AbortSignal): Promise<void> {
    clearInterval(this.#showing);
    await Promise.all([this.#keeper.stop(atOnce), this.#legs.stop(atOnce)]);
    await this.client.close();
  }
}
