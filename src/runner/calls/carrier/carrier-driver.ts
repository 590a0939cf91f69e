import { z } from 'zod';
import { VoicebotError } from '../../../base/errors.js';
import type { EndReason } from '../../../call/call.js';
import { asCallId, asProviderCallId, type CallId, type ProviderCallId } from '../../../call/call-id.js';
import type { CallRecord } from '../../../call/call-record.js';
import type { AnswerStep } from '../../../providers/carrier.js';
import type { BotCall } from '../../bots/bot-call.js';
import type { ServeMessage } from '../../bots/messages.js';
import type { WaitingStream } from '../../bots/waiting-stream.js';
import { DialLimitError } from '../../dialing/dial-limits.js';
import type { CallDriver, CallParts, DriverEffect, EffectOf } from '../life/call-driver.js';
import type { AnswerDocument, CallEvent } from '../life/call-events.js';
import type { CallRegistry } from '../life/call-registry.js';
import { Consults, checkGoesOn } from '../life/consults.js';
import { takesStream } from '../life/legal-events.js';
import { type CallLife, type CallPhase, newCall } from '../life/phase.js';
import { maybe, readPortable } from '../life/portable-life.js';
import { servedCall } from '../life/served-call.js';
import { CallSupervisor } from '../life/supervisor.js';
import { callerIdOf } from './call-documents.js';
import { type CarrierCall, CarrierCalls, type NewCarrierCall } from './carrier-call.js';
import type { CarrierDriverOptions } from './carrier-driver-options.js';
import { ownSigner } from './stream-pass.js';
import { StreamRecovery } from './stream-recovery.js';
import { TransferRequests } from './transfer-requests.js';

/** What another runner needs of a call beside its life. `usedPass`: the stream that was let in. */
const PARTS = z.object({
  isDialled: z.boolean(),
  linkedTo: maybe(z.string().transform(asCallId)),
  body: z.record(z.string(), z.unknown()),
  query: z.record(z.string(), z.string()),
  providerCallId: maybe(z.string().transform(asProviderCallId)),
  usedPass: maybe(z.int()),
});

/** A carrier's calls: streams become events, and effects become documents and requests. */
export class CarrierDriver implements CallDriver {
  readonly supervisor: CallSupervisor;
  readonly #calls: CarrierCalls;
  readonly #transfers: TransferRequests;
  readonly #recovery: StreamRecovery;
  readonly #consults: Consults<CarrierCall>;
  /** Requests for documents that are not answered yet. */
  readonly #requests = new Map<number, (steps: AnswerStep[]) => void>();
  #lastRequest = 0;

  constructor(private readonly options: CarrierDriverOptions) {
    this.#calls = new CarrierCalls(options.passes ?? ownSigner());
    this.supervisor = new CallSupervisor(this, options);
    const happen = (id: CallId, event: CallEvent) => this.supervisor.happen(id, event);
    this.#transfers = new TransferRequests({ ...options, happen });
    this.#recovery = new StreamRecovery({ ...options, happen });
    const { supervisor } = this;
    this.#consults = new Consults<CarrierCall>({ ...options, supervisor, callerIdOf, dial: options.dialBeside });
    if (!options.isTunnelled) return;
    options.reach.on('back', (hasMoved) => this.supervisor.happenToAll({ type: 'reached_again', hasMoved }));
  }

  /** @throws VoicebotError VB_RUNNER_STOPPING, VB_TUNNEL_FAILED, VB_BOT_LOAD_FAILED, VB_DIAL_LIMIT when no call can be dialled now */
  checkTakesDialled(): void {
    if (this.supervisor.isDraining) throw new VoicebotError('VB_RUNNER_STOPPING', 'it takes no new calls');
    this.#checkTunnel(this.options.pool.problem);
  }

  /** The same for a call beside this one. @throws VoicebotError also VB_STREAM_CLOSED */
  checkTakesBeside(id: CallId): void {
    checkGoesOn(this.supervisor.lifeOf(id));
    this.#checkTunnel();
  }

  #checkTunnel(botProblem?: Error): void {
    if (this.options.reach.isUp === false) {
      throw new VoicebotError('VB_TUNNEL_FAILED', 'the carrier could not come for what to do with the call', {
        hint: 'try again in some seconds: the tunnel is being opened again',
      });
    }
    if (botProblem) throw botProblem;
    if (!this.isTunnelFull) return;
    throw new DialLimitError(
      `the tunnel is full (at most ${this.options.maxCalls?.()} at once)`,
      'use a tunnel that carries more, or --public-url',
    );
  }

  get isTunnelFull(): boolean {
    const max = this.options.maxCalls?.();
    return max !== undefined && this.supervisor.busyCount >= max;
  }

  /** A call that we are about to dial. */
  openDialled(call: NewCarrierCall, from: string, to: string, ringSeconds?: number): CarrierCall {
    const { id, linkedTo } = call;
    const record = { id, direction: 'outbound', from, to, ...(linkedTo && { linkedTo }), state: 'dialling' } as const;
    return this.begin(call, record, { is: 'dialling' }, 1, ringSeconds);
  }

  /** The carrier has taken a call that we dial: it may still be long before something is heard of it. */
  placed(call: CarrierCall): void {
    this.supervisor.happen(call.id, { type: 'placed' });
  }

  /** The live call with this identifier of ours. */
  callOf(id: CallId): CarrierCall | undefined {
    return this.#calls.get(id);
  }

  /** The live call that the carrier knows by this identifier. */
  ofProvider(providerCallId: ProviderCallId): CarrierCall | undefined {
    return this.#calls.ofProvider(providerCallId);
  }

  isLive(call: CarrierCall): boolean {
    return this.#calls.isLive(call);
  }

  /** The carrier has named a call. False when it already had another name: then it was dialled twice. */
  bind(call: CarrierCall, providerCallId: ProviderCallId, requestId?: ProviderCallId): boolean {
    const known = call.providerCallId;
    if (known === providerCallId) return true;
    // What the carrier called the request to dial is not always the name of the call (carrier reference 1.2).
    if (known !== undefined && known !== requestId) return false;
    this.#calls.bind(call, providerCallId);
    this.options.registry.update(call.id, { providerCallId });
    return true;
  }

  /** Whether a stream that presents this token may be connected to this call. */
  admits(id: CallId, token: string): boolean {
    const life = this.supervisor.lifeOf(id);
    if (!life || !takesStream(life)) return false;
    return this.#calls.get(id)?.passOf(life.stream.streamNo).admits(token) === true;
  }

  /** For a stream that comes again: resolves when the call has lost its bot, or in a moment. Undefined for what is no pass of it. */
  losesBot(id: CallId, token: string): Promise<void> | undefined {
    const life = this.supervisor.lifeOf(id);
    const pass = this.#calls.get(id)?.pass;
    return life && takesStream(life) && pass?.isSpent(token) ? pass.renewed() : undefined;
  }

  /**
   * Finds a bot for an admitted stream. Call only right after {@link admits}. Until a bot's process has the stream the
   * carrier may come again, and then the newer one counts.
   */
  connect(id: CallId, stream: WaitingStream): void {
    const { call, life } = this.#live(id);
    const entry = life.facts.entries + 1;
    call.streams.set(entry, stream);
    stream.once('closed', () => {
      call.streams.delete(entry);
      this.supervisor.happen(id, { type: 'stream_closed', entry });
    });
    this.supervisor.happen(id, { type: 'stream_connected' });
  }

  /** Ends a call that never came about. It may have been named after its end: then it is ended at the carrier. */
  abandon(call: CarrierCall, reason: EndReason): void {
    if (this.isLive(call)) this.supervisor.happen(call.id, { type: 'not_placed', reason });
    else if (call.providerCallId !== undefined) this.options.hangups.ensureEnded(call.providerCallId);
  }

  carryOut(life: CallLife, effect: DriverEffect): void {
    const call = this.#calls.get(life.terms.id);
    if (!call) throw new Error(`nothing is known of live call ${life.terms.id}`);
    const { streamNo } = life.stream;
    switch (effect.do) {
      case 'answer':
        this.#requests.get(effect.request)?.(this.#steps(call, effect.document));
        this.#requests.delete(effect.request);
        break;
      case 'hang_up':
        if (call.providerCallId !== undefined) this.options.hangups.ensureEnded(call.providerCallId, effect.graceMs);
        break;
      case 'use_pass':
        call.pass?.use();
        break;
      case 'renew_pass':
        call.pass?.renew();
        break;
      case 'play_tone':
        call.streams.get(effect.entry)?.playTone(this.options.carrier);
        break;
      case 'end_stream':
        call.takeStream(effect.entry)?.end();
        break;
      case 'drop_stream':
        call.takeStream(effect.entry)?.drop();
        break;
      case 'recover':
        this.#recovery.start(call, { ...effect, streamNo });
        break;
      case 'stop_recovering':
        this.#recovery.stop(call.id);
        break;
      case 'check_transfer':
        this.#transfers.check(call, effect);
        break;
      case 'ask_transfer':
        this.#transfers.ask(call, effect);
        break;
      case 'consult':
        void this.#consults.ask(call, effect);
        break;
      case 'look_up_dialled':
        void this.#lookUp(call);
        break;
      case 'look_up_destination':
        void this.#transfers.lookUp(call, effect);
        break;
      case 'bring_back':
        void this.#transfers.bringBack(call, effect.no, streamNo);
        break;
      case 'end':
        this.#calls.remove(call);
        break;
    }
  }

  serveMessage({ terms, facts }: CallLife, record: CallRecord, effect: EffectOf<'serve_bot'>): ServeMessage {
    const { call } = this.#live(terms.id);
    const { attempt, comeback, failedTransfer } = effect;
    const { authId, authToken, apiUrl } = this.options.ownAccount ?? {};
    return {
      type: 'serve',
      call: servedCall(record, attempt),
      providerCallId: call.providerCallId ?? asProviderCallId(''),
      carrier: this.options.carrier.name,
      body: call.body,
      query: call.query,
      silenceMs: this.options.silenceMs,
      limitMs: terms.lengthMs,
      ...(authId && authToken && apiUrl && { account: { authId, authToken, apiUrl } }),
      ...(comeback && { comeback }),
      ...(facts.handover && { handover: facts.handover }),
      ...(failedTransfer && { failedTransfer }),
    };
  }

  partsOf(id: CallId): z.input<typeof PARTS> | undefined {
    const call = this.#calls.get(id);
    if (!call) return undefined;
    const { isDialled, linkedTo, body, query, providerCallId, pass } = call;
    return { isDialled, linkedTo, body, query, providerCallId, usedPass: pass?.wasUsed ? pass.streamNo : undefined };
  }

  async restore(id: CallId, parts: CallParts): Promise<void> {
    const { isDialled, linkedTo, body, query, providerCallId, usedPass } = readPortable(PARTS, parts);
    const call = this.#calls.add({ id, isDialled, linkedTo, body, query, providerCallId });
    if (usedPass !== undefined) call.passOf(usedPass).use();
  }

  forget(id: CallId): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#recovery.stop(id);
    for (const stream of call.streams.values()) stream.drop();
    this.#calls.remove(call);
  }

  giveStream({ terms }: CallLife, entry: number, bot: BotCall): void {
    const stream = this.#live(terms.id).call.takeStream(entry);
    if (stream) bot.give(stream.release());
  }

  #steps(call: CarrierCall, document: AnswerDocument): AnswerStep[] {
    const { documents, registry } = this.options;
    if (document.is === 'hangup') return [{ do: 'hangup' }];
    if (document.is === 'apology') return documents.apology();
    if (document.is === 'stream') return documents.stream(call, document.streamNo, document.isSilent);
    return documents.dial(call, document, registry.get(call.id) ?? { from: '', to: '' });
  }

  /**
   * The document that the carrier gets for a request; some requests wait for the end of their stream.
   *
   *     webhook --ask(n)--> supervisor.happen --> decide --> effect `answer` (n)
   *        ^                                                      |  in the same turn, or in a later one
   *        +--- steps <--- #requests.get(n) <--- carryOut <-------+
   */
  ask(call: CarrierCall, of: (request: number) => CallEvent): AnswerStep[] | Promise<AnswerStep[]> {
    this.#lastRequest += 1;
    const request = this.#lastRequest;
    let answer: AnswerStep[] | undefined;
    this.#requests.set(request, (steps) => {
      answer = steps;
    });
    this.supervisor.happen(call.id, of(request));
    return answer ?? new Promise((resolve) => this.#requests.set(request, resolve));
  }

  /** The same, where nothing is waited for. */
  askNow(call: CarrierCall, of: (request: number) => CallEvent): AnswerStep[] {
    const answer = this.ask(call, of);
    if (answer instanceof Promise) throw new Error('a document is late that waits for nothing');
    return answer;
  }

  /** A call that begins. */
  begin(
    call: NewCarrierCall,
    record: Parameters<CallRegistry['open']>[0],
    phase: CallPhase,
    attempt = 1,
    ringSeconds = this.options.ringSeconds,
  ): CarrierCall {
    const { maxCallMs, maxDialledCallMs, isTunnelled = false, endsOnMachine, operatorNumber } = this.options;
    const { id, isDialled, linkedTo } = call;
    const lengthMs = isDialled ? Math.min(maxCallMs, maxDialledCallMs) : maxCallMs;
    const terms = {
      id,
      media: 'stream',
      isDialled,
      isTunnelled,
      lengthMs,
      ringMs: ringSeconds * 1_000,
      endsOnMachine,
      operatorNumber,
      phoneNumber: undefined,
      linkedTo,
    } as const;
    const begun = this.#calls.add(call);
    const opened = this.options.ownAccount ? { ...record, isLocal: true as const } : record;
    this.supervisor.open(newCall(terms, phase, attempt), opened);
    return begun;
  }

  /** Whether a dialled call is there. When the carrier cannot be asked, it counts as there. */
  async #lookUp({ id, providerCallId }: CarrierCall): Promise<void> {
    const { client, registry } = this.options;
    const { from = '', to = '' } = registry.get(id) ?? {};
    const isThere = await client.findCalls({ from, to }).then(
      (found) => (providerCallId === undefined ? found.length > 0 : found.includes(providerCallId)),
      () => true,
    );
    this.supervisor.happen(id, { type: 'dialled_looked_up', isThere });
  }

  #live(id: CallId): { call: CarrierCall; life: CallLife } {
    const call = this.#calls.get(id);
    const life = this.supervisor.lifeOf(id);
    if (!call || !life) throw new Error(`there is no live call ${id}`);
    return { call, life };
  }
}
