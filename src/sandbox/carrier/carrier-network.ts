import { setMaxListeners } from 'node:events';
import { VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import type { CallSetup, PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import { incoming, type PhoneNetwork } from '../network/network.js';
import type { Callee, Phone } from '../network/phone.js';
import { type WebhookTarget, withoutQuery } from '../network/webhook-target.js';
import { runInboundCall, runOutboundCall } from './call-flow.js';
import type { CallServices } from './call-services.js';
import { DialQueue } from './dial-queue.js';
import type { AccountCalls, CarrierFace, OutgoingCall, WebhookParameters } from './face.js';
import type { SandboxFaults } from './faults.js';
import { quirksOf } from './quirks.js';
import { WebhookClient } from './webhooks.js';

export interface CarrierNetworkOptions {
  readonly webhookTimeoutMs: number;
  /** How many dialled calls may start within a second; undefined for any number. */
  readonly callsPerSecond: number | undefined;
  readonly faults: SandboxFaults;
  readonly logger: Logger;
}

const MAX_CALLS = 1_000;
/** How many of the calls that have ended are remembered. */
const MAX_ENDED = 1_000;

/** The calls of a carrier, whichever one it is. */
export class CarrierNetwork implements AccountCalls {
  readonly #calls = new Map<string, PhoneCall>();
  readonly #ended = new Map<string, PhoneCall>();
  readonly #closing = new AbortController();
  readonly #dialQueue: DialQueue;
  readonly #services: CallServices;
  readonly #network: PhoneNetwork;
  readonly #logger: Logger;
  #callsSoFar = 0;

  /** @param network whose calls to numbers that no other provider has come here from now on */
  constructor(
    network: PhoneNetwork,
    readonly face: CarrierFace,
    { webhookTimeoutMs, callsPerSecond, faults, logger }: CarrierNetworkOptions,
  ) {
    this.#network = network;
    this.#logger = logger;
    setMaxListeners(0, this.#closing.signal); // one per webhook on its way
    this.#dialQueue = new DialQueue(callsPerSecond, network.clock, this.#closing.signal);
    this.#services = {
      face,
      webhooks: new WebhookClient({ face, timeoutMs: webhookTimeoutMs }),
      speech: network.speech,
      logger,
      faults,
      inform: (call, name, target, parameters) => network.track(this.#inform(call, name, target, parameters)),
      dialLeg: (setup) => network.dialLeg(setup, true, face.newCallId()),
    };
    network.dialCarrier = (phone, from, to) => this.#dialNumber(phone, from, to);
  }

  get calls(): Iterable<PhoneCall> {
    return this.#calls.values();
  }

  get ended(): readonly PhoneCall[] {
    return [...this.#ended.values()].reverse();
  }

  find(callId: string): PhoneCall | undefined {
    return this.#calls.get(callId);
  }

  findEnded(callId: string): PhoneCall | undefined {
    return this.#ended.get(callId);
  }

  dialOut(request: OutgoingCall): PhoneCall {
    if (this.#calls.size >= MAX_CALLS)
      throw new VoicebotError('VB_CARRIER_REQUEST_FAILED', `${MAX_CALLS} calls are live`);
    const phone = this.#network.phoneOf(request.to);
    const call = this.#begin(phone, { direction: 'outbound', ...request });
    call.isQueued = !this.#dialQueue.tryStart();
    this.#network.run(call, this.#dial(call, phone));
    return call;
  }

  /** Ends all calls of the network, gives their last webhooks a moment, and lets go of everything. */
  async close(): Promise<void> {
    await this.#network.endCalls();
    this.#closing.abort();
    await this.#network.settled();
    await this.#services.webhooks.close();
  }

  #dialNumber(phone: Phone, from: string, to: string): PhoneCall {
    const targets = this.face.targetsOf(normalisePhoneNumber(to));
    const call = this.#begin(phone, { ...incoming(from, to), ...targets });
    if (targets) this.#network.run(call, runInboundCall(call, this.#services));
    else call.finish(HANGUP_CAUSES.unallocated, 'Carrier');
    return call;
  }

  async #dial(call: PhoneCall, phone: Callee): Promise<void> {
    if (call.isQueued) await this.#dialQueue.turn(call.signal);
    if (call.isOver) return;
    call.isQueued = false;
    this.#network.count(call);
    await runOutboundCall(call, phone, this.#services);
  }

  #begin(phone: Phone, setup: CallSetup): PhoneCall {
    this.#callsSoFar += 1;
    const call = this.#network.begin(phone, setup, this.#callsSoFar, this.face.newCallId());
    this.#calls.set(call.id, call);
    call.signal.addEventListener('abort', () => this.#over(call), { once: true });
    return call;
  }

  #over(call: PhoneCall): void {
    this.#calls.delete(call.id);
    this.#remember(call);
    const { hangup } = call.setup;
    if (!hangup) return;
    const parameters = this.face.words.over(call);
    const tell = (): Promise<void> => this.#inform(call, 'Hangup', hangup, parameters);
    const times = quirksOf(call.serial).duplicateHangup ? 2 : 1;
    for (let time = 1; time <= times; time += 1) void this.#network.track(call.legNews.then(tell));
  }

  #remember(call: PhoneCall): void {
    this.#ended.set(call.id, call);
    const [oldest] = this.#ended.keys();
    if (oldest !== undefined && this.#ended.size > MAX_ENDED) this.#ended.delete(oldest);
  }

  async #inform(call: PhoneCall, name: string, target: WebhookTarget, parameters: WebhookParameters): Promise<void> {
    const url = withoutQuery(target.url);
    const failed = (reason: string, status?: number): void => {
      this.#logger.warn('webhook failed', { callId: call.id, event: name, url, reason });
      const text = `${name} webhook to ${url}: ${reason}`;
      call.progress({ hop: 'webhook', ok: false, text, url, ...(status !== undefined && { status }) });
    };
    try {
      const { status } = await this.#services.webhooks.send(target, parameters, this.#closing.signal);
      if (status >= 300) failed(`answered ${status}`, status);
    } catch (error) {
      failed((error as Error).message);
    }
  }
}
