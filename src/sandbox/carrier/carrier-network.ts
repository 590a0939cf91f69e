import { setMaxListeners } from 'node:events';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { VoicebotError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { CallSetup, PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import { incoming, type PhoneNetwork } from '../network/network.js';
import type { Callee, Phone } from '../network/phone.js';
import { type HttpMethod, type WebhookTarget, withoutQuery } from '../network/webhook-target.js';
import { runInboundCall, runOutboundCall } from './call-flow.js';
import { CallHistory } from './call-history.js';
import { callParameters } from './call-parameters.js';
import type { CallServices } from './call-services.js';
import { type ApplicationSettings, CarrierAccount } from './carrier-account.js';
import { DialQueue } from './dial-queue.js';
import { quirksOf } from './quirks.js';
import { WebhookClient, type WebhookParameters } from './webhooks.js';

export interface CarrierNetworkOptions {
  readonly authId: string;
  readonly authToken: string;
  readonly answerUrl: string;
  readonly hangupUrl: string;
  readonly webhookTimeoutMs: number;
  /** How many dialled calls may start within a second; undefined for any number. */
  readonly callsPerSecond: number | undefined;
  readonly logger: Logger;
}

export type OutgoingCall = Omit<CallSetup, 'direction' | 'answer'> & { readonly answer: WebhookTarget };

const MAX_CALLS = 1_000;

/** The carrier's calls, and the account whose numbers and applications they are made to. */
export class CarrierNetwork {
  readonly account: CarrierAccount;
  readonly history: CallHistory;
  readonly #calls = new Map<string, PhoneCall>();
  readonly #closing = new AbortController();
  readonly #dialQueue: DialQueue;
  readonly #services: CallServices;
  readonly #network: PhoneNetwork;
  readonly #logger: Logger;
  #callsSoFar = 0;

  /** @param network whose calls to numbers that no other provider has come here from now on */
  constructor(network: PhoneNetwork, { authId, authToken, answerUrl, hangupUrl, ...options }: CarrierNetworkOptions) {
    const { webhookTimeoutMs, callsPerSecond, logger } = options;
    this.#network = network;
    this.#logger = logger;
    this.account = new CarrierAccount({ app_name: 'sandbox', answer_url: answerUrl, hangup_url: hangupUrl });
    setMaxListeners(0, this.#closing.signal); // one per webhook on its way
    this.history = new CallHistory(authId);
    this.#dialQueue = new DialQueue(callsPerSecond, network.clock, this.#closing.signal);
    this.#services = {
      authId,
      authToken,
      webhooks: new WebhookClient({ authToken, timeoutMs: webhookTimeoutMs }),
      speech: network.speech,
      logger,
      inform: (call, target, parameters) => network.track(this.#inform(call, target, parameters)),
      dialLeg: (setup) => network.dialLeg(setup, true),
    };
    network.dialCarrier = (phone, from, to) => this.#dialApplication(phone, from, to);
  }

  /** Unfinished calls, oldest first. */
  get calls(): Iterable<PhoneCall> {
    return this.#calls.values();
  }

  find(callId: string): PhoneCall | undefined {
    return this.#calls.get(callId);
  }

  /**
   * The application dials a number; the phone behind it acts by its last digits.
   * @throws VoicebotError VB_CARRIER_REQUEST_FAILED when too many calls are live
   */
  dialOut({ hangup, ...request }: OutgoingCall): PhoneCall {
    if (this.#calls.size >= MAX_CALLS)
      throw new VoicebotError('VB_CARRIER_REQUEST_FAILED', `${MAX_CALLS} calls are live`);
    const phone = this.#network.phoneOf(request.to);
    const call = this.#begin(phone, { direction: 'outbound', ...request, hangup: hangup ?? request.answer });
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

  /** A number that is attached to no application is not in service. */
  #dialApplication(phone: Phone, from: string, to: string): PhoneCall {
    const application = this.account.applicationOf(normalisePhoneNumber(to));
    const targets = application ? targetsOf(application.settings) : {};
    const call = this.#begin(phone, { ...incoming(from, to), ...targets });
    if (application) this.#network.run(call, runInboundCall(call, this.#services));
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
    const call = this.#network.begin(phone, setup, this.#callsSoFar);
    this.#calls.set(call.id, call);
    call.signal.addEventListener('abort', () => this.#over(call), { once: true });
    return call;
  }

  #over(call: PhoneCall): void {
    this.#calls.delete(call.id);
    this.history.add(call);
    const { hangup } = call.setup;
    if (!hangup) return;
    const parameters = callParameters(call, 'Hangup', this.#services.authId);
    const tell = (): Promise<void> => this.#inform(call, hangup, parameters);
    const times = quirksOf(call.serial).duplicateHangup ? 2 : 1;
    for (let time = 1; time <= times; time += 1) void this.#network.track(call.legNews.then(tell));
  }

  async #inform(call: PhoneCall, target: WebhookTarget, parameters: WebhookParameters): Promise<void> {
    const { Event: event = 'Dial' } = parameters;
    const url = withoutQuery(target.url);
    const failed = (reason: string, status?: number): void => {
      this.#logger.warn('webhook failed', { callId: call.id, event, url, reason });
      const text = `${event} webhook to ${url}: ${reason}`;
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

/** Where the webhooks of an incoming call go. */
function targetsOf(settings: ApplicationSettings): Pick<CallSetup, 'answer' | 'fallback' | 'hangup'> {
  const target = (url: string, method: HttpMethod): WebhookTarget | undefined => (url ? { url, method } : undefined);
  const answer = target(settings.answer_url, settings.answer_method);
  const fallback = target(settings.fallback_answer_url, settings.fallback_method);
  const hangup = target(settings.hangup_url, settings.hangup_method) ?? answer;
  return { ...(answer && { answer }), ...(fallback && { fallback }), ...(hangup && { hangup }) };
}
