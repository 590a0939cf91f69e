import { setMaxListeners } from 'node:events';
import { settlesWithin } from '../../async/deadline.js';
import { FrameClock } from '../../async/frame-clock.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { VoicebotError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import { callParameters } from '../carrier/call-parameters.js';
import { type ApplicationSettings, CarrierAccount } from '../carrier/carrier-account.js';
import { quirksOf } from '../carrier/quirks.js';
import { type HttpMethod, type WebhookTarget, withoutQuery } from '../carrier/webhook-target.js';
import { WebhookClient, type WebhookParameters } from '../carrier/webhooks.js';
import { Call, type CallSetup } from './call.js';
import { runInboundCall, runOutboundCall } from './call-flow.js';
import { CallHistory } from './call-history.js';
import type { CallServices } from './call-services.js';
import { DialQueue } from './dial-queue.js';
import { HANGUP_CAUSES } from './hangup-causes.js';
import type { Callee, Phone } from './phone.js';
import { ScriptedPhone } from './scripted-phones.js';
import { Speech } from './speech.js';

export interface PhoneNetworkOptions {
  readonly authId: string;
  readonly authToken: string;
  readonly answerUrl: string;
  readonly hangupUrl: string;
  /** Real time per 20 ms of call time, in milliseconds. */
  readonly tickMs: number;
  readonly webhookTimeoutMs: number;
  /** How many dialled calls may start within a second; undefined for any number. */
  readonly callsPerSecond: number | undefined;
  /** Told what phones that were called hear, 20 ms of mu-law each. */
  readonly overhear: ((number: string, heard: Uint8Array) => void) | undefined;
  readonly logger: Logger;
}

export type DialRequest = Omit<CallSetup, 'direction' | 'answer'> & { readonly answer: WebhookTarget };

/** What happens to a call that somebody else takes; settles when nothing more happens. */
export type IncomingLine = (call: Call) => Promise<void>;

/** What it takes to dial a number outside the carrier's API. */
export type LegSetup = Parameters<CallServices['dialLeg']>[0];

const MAX_CALLS = 1_000;
const RING_TIMEOUT_MS = 120_000;
const TIME_LIMIT_MS = 14_400_000;
/** How long closing waits for the last webhooks. */
const CLOSE_TIMEOUT_MS = 1_000;

/** The calls of the sandbox, and the account whose numbers and applications they are made to. */
export class PhoneNetwork {
  readonly account: CarrierAccount;
  readonly history: CallHistory;
  /** How often each number has been dialled, by the API or by a document. */
  readonly placedCalls = new Map<string, number>();
  /** Finds out whether somebody else takes calls to a number (E.164). Asked before the carrier. */
  lineOf: (number: string) => IncomingLine | undefined = () => undefined;
  /** Passes the time of all calls. */
  readonly clock: FrameClock;
  readonly speech = new Speech();
  readonly #calls = new Map<string, Call>();
  /** Calls that the carrier knows nothing of. */
  readonly #foreignCalls = new Set<Call>();
  readonly #background = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #dialQueue: DialQueue;
  readonly #services: CallServices;
  readonly #logger: Logger;
  readonly #overhear: PhoneNetworkOptions['overhear'];
  #callsSoFar = 0;

  constructor({ authId, authToken, answerUrl, hangupUrl, ...options }: PhoneNetworkOptions) {
    const { tickMs, webhookTimeoutMs, callsPerSecond, overhear, logger } = options;
    this.account = new CarrierAccount({ app_name: 'sandbox', answer_url: answerUrl, hangup_url: hangupUrl });
    setMaxListeners(0, this.#closing.signal); // one per webhook on its way
    this.history = new CallHistory(authId);
    this.clock = new FrameClock(tickMs);
    this.#dialQueue = new DialQueue(callsPerSecond, this.clock, this.#closing.signal);
    this.#logger = logger;
    this.#overhear = overhear;
    this.#services = {
      authId,
      authToken,
      webhooks: new WebhookClient({ authToken, timeoutMs: webhookTimeoutMs }),
      speech: this.speech,
      logger,
      inform: (call, target, parameters) => this.#track(this.#inform(call, target, parameters)),
      dialLeg: (setup) => this.#dialLeg(setup, true),
    };
  }

  get liveCalls(): number {
    return this.#calls.size + this.#foreignCalls.size;
  }

  /** Unfinished calls of the carrier, oldest first. */
  get calls(): Iterable<Call> {
    return this.#calls.values();
  }

  find(callId: string): Call | undefined {
    return this.#calls.get(callId);
  }

  /** A phone dials. A number that nobody else takes and that is attached to no application is not in service. */
  dialIn(phone: Phone, from: string, to: string): Call {
    const line = this.lineOf(normalisePhoneNumber(to));
    return line ? this.#dialLine(line, phone, from, to) : this.#dialApplication(phone, from, to);
  }

  /** Begins a call that the carrier knows nothing of to the phone behind a number, which does not ring yet. */
  dialForeign(setup: LegSetup, { isTransferTarget }: { isTransferTarget: boolean }): { leg: Call; callee: Callee } {
    const dialled = this.#dialLeg(setup, isTransferTarget);
    this.#keepForeign(dialled.leg);
    return dialled;
  }

  #dialLine(line: IncomingLine, phone: Phone, from: string, to: string): Call {
    const limits = { ringTimeoutMs: RING_TIMEOUT_MS, timeLimitMs: TIME_LIMIT_MS };
    const setup = { direction: 'inbound', from, to, ...limits } as const;
    const call = new Call(setup, phone, quirksOf(1), this.clock, this.#logger);
    this.#keepForeign(call);
    this.#run(call, line(call));
    return call;
  }

  #dialApplication(phone: Phone, from: string, to: string): Call {
    const application = this.account.applicationOf(normalisePhoneNumber(to));
    const limits = { ringTimeoutMs: RING_TIMEOUT_MS, timeLimitMs: TIME_LIMIT_MS };
    const targets = application ? targetsOf(application.settings) : {};
    const call = this.#begin(phone, { direction: 'inbound', from, to, ...targets, ...limits });
    if (application) this.#run(call, runInboundCall(call, this.#services));
    else call.finish(HANGUP_CAUSES.unallocated, 'Carrier');
    return call;
  }

  /**
   * The application dials a number; the phone behind it acts by its last digits.
   * @throws VoicebotError VB_CARRIER_REQUEST_FAILED when too many calls are live
   */
  dialOut({ hangup, ...request }: DialRequest): Call {
    if (this.#calls.size >= MAX_CALLS)
      throw new VoicebotError('VB_CARRIER_REQUEST_FAILED', `${MAX_CALLS} calls are live`);
    const phone = this.#phoneOf(request.to);
    const call = this.#begin(phone, { direction: 'outbound', ...request, hangup: hangup ?? request.answer });
    call.isQueued = !this.#dialQueue.tryStart();
    this.#run(call, this.#dial(call, phone));
    return call;
  }

  /** Ends all calls, gives their last webhooks a moment, and lets go of everything. */
  async close(): Promise<void> {
    for (const call of [...this.#calls.values(), ...this.#foreignCalls])
      call.finish(HANGUP_CAUSES.platformError, 'Plivo');
    await settlesWithin(Promise.all(this.#background), CLOSE_TIMEOUT_MS);
    this.#closing.abort();
    await Promise.all(this.#background);
    await this.#services.webhooks.close();
  }

  async #dial(call: Call, phone: ScriptedPhone): Promise<void> {
    if (call.isQueued) await this.#dialQueue.turn(call.signal);
    if (call.isOver) return;
    call.isQueued = false;
    this.#count(call);
    await runOutboundCall(call, phone, this.#services);
  }

  /** A leg belongs to the call whose document dials it: it has no webhooks, and the API does not know it. */
  #dialLeg(setup: LegSetup, isTransferTarget: boolean): ReturnType<CallServices['dialLeg']> {
    const callee = this.#phoneOf(setup.to, { isTransferTarget });
    const leg = new Call({ ...setup, direction: 'outbound' }, callee, quirksOf(1), this.clock, this.#logger);
    this.#count(leg);
    return { leg, callee };
  }

  #phoneOf(number: string, { isTransferTarget = false } = {}): ScriptedPhone {
    const overhear = this.#overhear;
    return new ScriptedPhone(number, {
      isTransferTarget,
      overhear: overhear && ((heard) => overhear(normalisePhoneNumber(number), heard)),
      speech: this.#services.speech,
      onError: (error) => this.#logger.error('scripted phone failed', { error }),
    });
  }

  #count({ setup }: Call): void {
    const number = normalisePhoneNumber(setup.to);
    this.placedCalls.set(number, (this.placedCalls.get(number) ?? 0) + 1);
  }

  #begin(phone: Phone, setup: CallSetup): Call {
    this.#callsSoFar += 1;
    const call = new Call(setup, phone, quirksOf(this.#callsSoFar), this.clock, this.#logger);
    this.#calls.set(call.id, call);
    call.signal.addEventListener('abort', () => this.#over(call), { once: true });
    return call;
  }

  #keepForeign(call: Call): void {
    this.#foreignCalls.add(call);
    call.signal.addEventListener('abort', () => this.#foreignCalls.delete(call), { once: true });
  }

  #run(call: Call, flow: Promise<void>): void {
    void this.#track(
      flow.catch((error: unknown) => {
        this.#logger.error('call failed', { callId: call.id, error });
        call.finish(HANGUP_CAUSES.platformError, 'Plivo');
      }),
    );
  }

  #over(call: Call): void {
    this.#calls.delete(call.id);
    this.history.add(call);
    const { hangup } = call.setup;
    if (!hangup) return;
    const parameters = callParameters(call, 'Hangup', this.#services.authId);
    const tell = (): Promise<void> => this.#inform(call, hangup, parameters);
    const times = call.quirks.duplicateHangup ? 2 : 1;
    for (let time = 1; time <= times; time += 1) void this.#track(call.legNews.then(tell));
  }

  async #inform(call: Call, target: WebhookTarget, parameters: WebhookParameters): Promise<void> {
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

  #track(work: Promise<void>): Promise<void> {
    this.#background.add(work);
    return work.finally(() => this.#background.delete(work));
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
