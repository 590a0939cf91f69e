import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { VoicebotError } from '../../base/errors.js';
import type { RouteUrls } from '../../call/number-routing.js';
import type { DialGate } from '../dialing/dial-limits.js';
import { ForgetfulList } from '../dialing/do-not-call/do-not-call-list.js';
import { ConnectionGuard } from '../http/connection-guard.js';
import { createRunnerServer, listen, localUrlOf } from '../http/listen.js';
import type { PhoneNetworkAccess } from '../http/phone-routes.js';
import { Reach } from '../http/reach.js';
import { WebhookAddresses } from '../http/webhook-addresses.js';
import { type CarrierAccess, createCarrierAdapter } from './carrier/carrier-adapter.js';
import type { Supervisors } from './life/supervisors.js';
import type { AdapterContext, ProviderAdapter } from './provider-adapter.js';

/** A phone network that is started on this machine beside an account, for the page's phone. It plays a carrier, and calls no real number. */
export interface LocalNetwork extends Omit<PhoneNetworkAccess, 'address' | 'isLocalOnly'> {
  /** @throws VoicebotError VB_SANDBOX_FAILED */
  start(): Promise<StartedLocalNetwork>;
}

export interface StartedLocalNetwork {
  /** WebSocket address at which a phone attaches itself. */
  readonly address: string;
  /** The carrier that it plays, with credentials of its own. */
  readonly access: CarrierAccess;
  /** Points the bot's number at these addresses. */
  point(urls: RouteUrls): Promise<void>;
  /** Resolves when it is gone, on request or by itself. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

interface OpenNetwork {
  readonly network: StartedLocalNetwork;
  readonly server: Server;
  readonly adapter: ProviderAdapter;
}

const slot = () => ({ release: () => {}, undo: () => {} });

/** No request is dialled here. What bots dial beside their calls is played, and costs nothing. */
const PLAYED: DialGate = {
  admit: async () => slot(),
  settled: () => {},
  slotOf: slot,
  close: async () => {},
};

/**
 * Calls to the bot of an account that stay on this machine. They have a server of their own, which listens on 127.0.0.1 and no tunnel leads
 * to, signatures of their own, and no part in what the account may spend: what a bot dials or transfers to in them is played.
 */
export class LocalCalls {
  #open: Promise<OpenNetwork> | undefined;

  constructor(
    private readonly network: LocalNetwork,
    private readonly context: Omit<
      AdapterContext,
      'server' | 'guard' | 'addresses' | 'reach' | 'limits' | 'doNotCall' | 'maxCalls'
    >,
    private readonly supervisors: Supervisors,
  ) {}

  /** What the page's phone needs: the network is started for the first phone. */
  get phone(): PhoneNetworkAccess {
    const { start: _, ...known } = this.network;
    return { ...known, isLocalOnly: true, address: () => this.#address() };
  }

  async close(atOnce: AbortSignal): Promise<void> {
    const open = await this.#open?.catch(() => undefined);
    if (open) await this.#close(open, atOnce);
  }

  async #address(): Promise<string> {
    if (this.supervisors.isDraining) throw new VoicebotError('VB_RUNNER_STOPPING', 'it takes no new calls');
    this.#open ??= this.#start();
    try {
      return (await this.#open).network.address;
    } catch (error) {
      this.#open = undefined;
      throw error;
    }
  }

  async #start(): Promise<OpenNetwork> {
    const network = await this.network.start();
    const server = createRunnerServer();
    try {
      const open = await this.#serve(network, server);
      void network.ended.then(() => this.#lost(open));
      return open;
    } catch (error) {
      server.close();
      await network.stop();
      throw error;
    }
  }

  async #serve(network: StartedLocalNetwork, server: Server): Promise<OpenNetwork> {
    const guard = new ConnectionGuard();
    guard.attach(server);
    await listen(server, 0, '127.0.0.1');
    const addresses = new WebhookAddresses(localUrlOf(server.address() as AddressInfo));
    const start = await createCarrierAdapter(network.access);
    const adapter = start({
      ...this.context,
      server,
      guard,
      addresses,
      reach: new Reach(addresses),
      limits: PLAYED,
      doNotCall: new ForgetfulList(),
      maxCalls: () => undefined,
      isTunnelled: false,
      insecure: false,
      isLocal: true,
      isSandbox: true,
      signer: undefined,
      sharing: undefined,
    });
    const app = express().disable('x-powered-by').use(adapter.routes);
    server.on(
      'request',
      app.use((_request, response) => void response.status(404).end()),
    );
    const { answerUrl, hangupUrl } = addresses;
    await network.point({ answerUrl, hangupUrl });
    this.supervisors.add(adapter.supervisor);
    return { network, server, adapter };
  }

  /** The network has gone by itself, and its calls with it. The next phone gets another one. */
  #lost(open: OpenNetwork): void {
    if (!open.server.listening) return;
    this.#open = undefined;
    open.adapter.supervisor.endAll('telephony_error');
    void this.#close(open, AbortSignal.abort());
  }

  async #close({ network, server, adapter }: OpenNetwork, atOnce: AbortSignal): Promise<void> {
    this.supervisors.remove(adapter.supervisor);
    await adapter.close(atOnce);
    server.close();
    server.closeAllConnections();
    await network.stop();
  }
}
