import type { Router } from 'express';
import type { RequestObserver } from '../../../base/http/rest-client.js';
import type { CallId } from '../../../call/call-id.js';
import { namesOf } from '../../../providers/account-names.js';
import type { Carrier, CarrierCredentials, CarrierRestClient, MachineDetection } from '../../../providers/carrier.js';
import { CallTickets } from '../../dialing/call-tickets.js';
import type { StartedCall, StartRequest } from '../../dialing/start-request.js';
import { Hangups } from '../debts/hangups.js';
import { CallMoves } from '../life/call-moves.js';
import type { CallSupervisor } from '../life/supervisor.js';
import { isUndisclosed } from '../life/undisclosed-calls.js';
import type { AdapterContext, ProviderAdapter, StartAdapter } from '../provider-adapter.js';
import { CallDocuments } from './call-documents.js';
import { CarrierDriver } from './carrier-driver.js';
import { carrierRoutes } from './carrier-routes.js';
import { type CarrierEvent, CarrierWebhooks, idOf, type TurnedAway } from './carrier-webhooks.js';
import { Dialer } from './dialer.js';
import { acceptMediaStreams } from './media-upgrade.js';
import { WebhookMemory } from './webhook-memory.js';

/** A carrier that streams the audio of calls over WebSockets. */
export interface CarrierAccess {
  readonly kind: 'carrier';
  readonly carrier: Carrier;
  readonly credentials: CarrierCredentials;
  readonly machineDetection: MachineDetection;
  /** Streams carry more than telephone audio where the carrier's can. Default false. */
  readonly isWideband?: boolean | undefined;
  /** Media streams without a signature are let in by their pass, for gateways that sign webhooks only. Default false. */
  readonly takesUnsignedStreams?: boolean | undefined;
}

/**
 * @param onSent told of each request to the provider
 * @throws VoicebotError when the credentials cannot be used
 */
export async function createCarrierAdapter(access: CarrierAccess, onSent?: RequestObserver): Promise<StartAdapter> {
  const client = await access.carrier.createRestClient(access.credentials, { onSent });
  access.carrier.answerDocument([]); // loads the XML writer now and not while the first caller waits
  return (context) => new CarrierAdapter(access, client, context);
}

class CarrierAdapter implements ProviderAdapter {
  readonly routes: Router;
  readonly #driver: CarrierDriver;
  readonly #hangups: Hangups;
  readonly #dialer: Dialer;

  constructor(
    { carrier, credentials, machineDetection, isWideband, takesUnsignedStreams = false }: CarrierAccess,
    private readonly client: CarrierRestClient,
    private readonly context: AdapterContext,
  ) {
    const { registry, pool, addresses, checkTarget, maxCallSeconds, dialMaxSeconds, isTunnelled, logger } = context;
    const { sharing } = context;
    const tickets = new CallTickets(credentials.authToken);
    const { authId, apiUrl } = credentials;
    const journal = context.journalOf({ carrier: carrier.name, authId, apiUrl }, 'hangups');
    this.#hangups = new Hangups({ client, journal, logger });
    const transferLimitS = maxCallSeconds;
    const documents = new CallDocuments({ carrier, addresses, tickets, transferLimitS, isTunnelled, isWideband });
    const memory = new WebhookMemory(context.stateDirectory, logger);
    registry.on('change', ({ id, state }) => {
      if (state === 'ended') memory.ended(id);
    });
    this.#driver = new CarrierDriver({
      registry,
      pool,
      documents,
      hangups: this.#hangups,
      carrier,
      client,
      checkTarget: (to) => checkTarget(to, 'toEndPoint'),
      dialBeside: (request) => this.#dialer.dialBeside(request),
      operatorNumber: context.operatorNumber,
      maxCallMs: maxCallSeconds * 1_000,
      maxDialledCallMs: dialMaxSeconds * 1_000,
      ringSeconds: context.ringSeconds,
      silenceMs: context.silenceSeconds * 1_000,
      endsOnMachine: machineDetection === 'hangup',
      reach: context.reach,
      isTunnelled,
      maxCalls: context.maxCalls,
      passes: context.signer,
      ownAccount: context.isLocal ? credentials : undefined,
      doNotCall: context.doNotCall,
      onChanged: (id) => sharing?.changed(id),
      inDoubt: (id) => sharing?.inDoubt(id),
      isSandbox: context.isSandbox,
      logger,
    });
    sharing?.serve({
      moves: new CallMoves(this.#driver, registry, context.limits),
      isLive: (id) => this.#driver.callOf(id) !== undefined,
      ids: () => this.#driver.supervisor.ids,
      admits: (id, token) => this.#driver.admits(id, token),
      isMovable: (id) => this.#isMovable(id),
      noteOver: (id) => memory.ended(id),
    });
    this.#dialer = new Dialer({
      client,
      calls: this.#driver,
      registry,
      documents,
      limits: context.limits,
      checkTarget: (to) => checkTarget(to, 'phone_number'),
      doNotCall: context.doNotCall,
      phoneNumber: context.phoneNumber,
      numberName: namesOf(credentials).phoneNumber,
      ringSeconds: context.ringSeconds,
      maxSeconds: Math.min(dialMaxSeconds, maxCallSeconds),
      machineDetection,
      begun: (id) => sharing?.begun(id),
      logger,
    });
    const shared = { ...context, carrier, credentials, tickets, memory, calls: this.#driver };
    acceptMediaStreams(context.server, { ...shared, takesUnsigned: takesUnsignedStreams });
    const webhooks = new CarrierWebhooks(this.#driver, {
      carrier,
      registry,
      pool,
      hangups: this.#hangups,
      memory,
      onTurnedAway: (why) => context.turnedAway.warn(this.#sentenceOf(why), {}),
      logger,
    });
    const isSilent = (news: CarrierEvent) => isUndisclosed(registry.get(idOf(news)) ?? news, pool.disclosure);
    this.routes = carrierRoutes({ ...shared, webhooks, isSilent, timelines: registry.timelines });
  }

  #sentenceOf(why: TurnedAway): string {
    if (why === 'no_bot_in_time') return 'call turned away: no bot process could be ready in time';
    return `call turned away: the tunnel is full (at most ${this.context.maxCalls()} at once)`;
  }

  get supervisor(): CallSupervisor {
    return this.#driver.supervisor;
  }

  /** Calls that are linked have one process for their bots. */
  #isMovable(id: CallId): boolean {
    const life = this.supervisor.lifeOf(id);
    const isLinked = life?.terms.linkedTo !== undefined || this.supervisor.legsOf(id).length > 0;
    return !isLinked && life?.phase.is === 'waiting_for_stream';
  }

  dial(request: StartRequest): Promise<StartedCall> {
    return this.#dialer.dial(request);
  }

  recover(): void {
    const replayed = this.#hangups.replay();
    if (replayed > 0) {
      this.context.logger.warn('ending calls that an earlier runner left open', { calls: replayed });
    }
  }

  async close(atOnce: AbortSignal): Promise<void> {
    await this.#hangups.close(atOnce);
    await this.client.close();
  }
}
