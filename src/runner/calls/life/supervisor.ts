import { settlesWithin } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import type { Logger } from '../../../base/logger.js';
import type { EndReason } from '../../../call/call.js';
import type { CallId } from '../../../call/call-id.js';
import type { CallRecord } from '../../../call/call-record.js';
import type { HeardBy } from '../../../call/timeline.js';
import type { BotCall } from '../../bots/bot-call.js';
import type { BotPool } from '../../bots/bot-pool.js';
import type { ColdTransfers } from '../../costs/paid-legs.js';
import type { DoNotCallList } from '../../dialing/do-not-call/do-not-call-list.js';
import type { CallDriver, EffectOf } from './call-driver.js';
import type { CallEffect, CallEvent } from './call-events.js';
import type { CallRegistry } from './call-registry.js';
import type { CallTimelines } from './call-timelines.js';
import { CallTimers } from './call-timers.js';
import { forCall } from './current-call.js';
import { decide } from './decide.js';
import { DoNotCallRequests } from './do-not-call-requests.js';
import { hearBot, hearNotices } from './hear-bot.js';
import { LinkedCalls } from './linked-calls.js';
import { type CallLife, reasonOf } from './phase.js';
import { type PortableLife, packLife } from './portable-life.js';
import { RepeatedFailure } from './repeated-failure.js';
import { isUndisclosed, unheard } from './undisclosed-calls.js';

export interface CallSupervisorOptions {
  registry: CallRegistry;
  pool: Pick<
    BotPool,
    'assign' | 'assignBeside' | 'callCount' | 'disclosure' | 'expect' | 'forget' | 'off' | 'on' | 'stopCalls'
  >;
  doNotCall: Pick<DoNotCallList, 'add'>;
  /** A live call has changed. */
  onChanged?: ((id: CallId) => void) | undefined;
  /** Resolves to whether a call is still this runner's, when there is doubt; undefined where there is none. */
  inDoubt?: ((id: CallId) => Promise<boolean> | undefined) | undefined;
  /** The callers are the developer's own: bots that fail alike are not tried again. Default false. */
  isSandbox?: boolean | undefined;
  logger: Logger;
}

interface SupervisedCall {
  life: CallLife;
  readonly timers: CallTimers;
  readonly bots: Map<number, BotCall>;
  readonly failures: RepeatedFailure;
}

/** Holds the live calls, and is the only one to change them: what happens to a call goes through {@link decide}, and what that asks for is done. */
export class CallSupervisor {
  readonly #calls = new Map<CallId, SupervisedCall>();
  readonly #linked: LinkedCalls;
  readonly #doNotCall: DoNotCallRequests;
  #bots = 0;
  #isDraining = false;
  /** The registry, which outlives it, lets go of it: it has no calls any more. */
  readonly close: () => void;

  constructor(
    private readonly driver: CallDriver,
    private readonly options: CallSupervisorOptions,
  ) {
    this.#linked = new LinkedCalls({
      pool: options.pool,
      lives: () => [...this.#calls.values()].map(({ life }) => life),
      lifeOf: (id) => this.lifeOf(id),
      botOf: (id, bot) => this.#calls.get(id)?.bots.get(bot),
      happen: (id, event) => this.happen(id, event),
      assigned: (id, entry, bot) => this.#assigned(id, entry, bot),
    });
    this.#doNotCall = new DoNotCallRequests(options.registry, options.doNotCall);
    const removed = (ids: readonly CallId[]) => {
      for (const bot of ids.flatMap((id) => [...(this.#calls.get(id)?.bots.values() ?? [])]))
        bot.send({ type: 'remove_recording' });
    };
    options.registry.on('recordings_removed', removed);
    this.close = () => void options.registry.off('recordings_removed', removed);
  }

  get #timelines(): CallTimelines {
    return this.options.registry.timelines;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Live calls. */
  get count(): number {
    return this.#calls.size;
  }

  /** Resolves when no call is live, but for those that were transferred, and every bot has settled; after `limitMs`; or at once. */
  async idleWithin(limitMs: number, atOnce: AbortSignal): Promise<void> {
    const { registry, pool } = this.options;
    const idle = deferred();
    const check = () => {
      if (atOnce.aborted || (this.busyCount === 0 && pool.callCount === 0)) idle.resolve();
    };
    registry.on('change', check);
    pool.on('call_done', check);
    atOnce.addEventListener('abort', check, { once: true });
    check();
    await settlesWithin(idle.promise, limitMs);
    registry.off('change', check);
    pool.off('call_done', check);
  }

  /** Calls that this runner has something to do for: not those whose callers talk to the destination of a transfer. */
  get busyCount(): number {
    return [...this.#calls.values()].filter(({ life }) => reasonOf(life.facts) !== 'transferred').length;
  }

  /** From now on new calls are turned away. */
  drain(): void {
    this.#isDraining = true;
  }

  /** A call that begins. */
  open(life: CallLife, record: Parameters<CallRegistry['open']>[0]): void {
    this.options.registry.open(record, life.facts.attempt);
    this.#add(life);
    this.options.onChanged?.(life.terms.id);
  }

  #add(life: CallLife): SupervisedCall {
    const { id } = life.terms;
    const timers = new CallTimers({
      inDoubt: () => this.options.inDoubt?.(id),
      ranOut: (name) => this.happen(id, { type: 'timer_ran_out', name }),
    });
    const call = { life, timers, bots: new Map(), failures: new RepeatedFailure() };
    this.#calls.set(id, call);
    return call;
  }

  /** A live call for another runner to go on with: JSON. */
  pack(id: CallId): PortableLife | undefined {
    const call = this.#calls.get(id);
    return call && packLife(call.life, call.timers.running);
  }

  /** Goes on with a call that another runner had. Its bots are not here: `runner_lost` follows, unless it had none. */
  unpack(packed: PortableLife, record: CallRecord, transfers: ColdTransfers): void {
    const { life, timers } = packed;
    this.options.registry.adopt(record, transfers);
    const call = this.#add(life);
    call.timers.goOn(timers);
    this.options.onChanged?.(record.id);
  }

  /** Lets go of a call that another runner has now: it is not ended, and its bots leave. */
  release(id: CallId): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#calls.delete(id);
    call.timers.clear();
    for (const bot of call.bots.values()) bot.abandon();
    this.options.pool.forget(id);
    this.#linked.released(id);
    this.options.registry.release(id);
  }

  /** The live calls. */
  get ids(): CallId[] {
    return [...this.#calls.keys()];
  }

  /** The live calls that were dialled beside this one. */
  legsOf(id: CallId): CallId[] {
    return this.#linked.of(id);
  }

  /** The live call as it is. */
  lifeOf(id: CallId): CallLife | undefined {
    return this.#calls.get(id)?.life;
  }

  /** Something happens to a call; nothing, when it has ended. */
  happen(id: CallId, event: CallEvent): void {
    const call = this.#calls.get(id);
    if (!call) return;
    const { call: life, effects } = decide(call.life, event, performance.now());
    if (life.phase.is !== call.life.phase.is) this.#timelines.note(id, { type: 'phase', phase: life.phase.is });
    call.life = life;
    const { registry, pool } = this.options;
    const allowed = (effect: CallEffect) =>
      isUndisclosed(registry.get(id), pool.disclosure) ? unheard(effect) : effect;
    for (const effect of effects.flatMap(allowed)) this.#carryOut(call, effect);
    this.#linked.look();
    if (this.#calls.get(id) === call) this.options.onChanged?.(id);
  }

  /**
   * What the caller is taken to have said.
   * @param at when it was typed, milliseconds since the Unix epoch. Default: it was spoken
   * @param by what has understood it then
   * @returns false when no bot of the call takes it: it has ears of its own, or none
   */
  type(id: CallId, text: string, at?: number, by?: HeardBy): boolean {
    const bot = [...(this.#calls.get(id)?.bots.values() ?? [])].findLast(({ hearsTyped }) => hearsTyped);
    bot?.send({ type: 'typed', text, at, by });
    return bot !== undefined;
  }

  /** The bots learn that their runner is still there. */
  showItself(): void {
    for (const { bots } of this.#calls.values()) for (const bot of bots.values()) bot.send({ type: 'runner_there' });
  }

  happenToAll(event: CallEvent): void {
    for (const id of [...this.#calls.keys()]) this.happen(id, event);
  }

  /** Asks the bots to end their calls. */
  stopCalls(): void {
    this.happenToAll({ type: 'runner_stops' });
    this.options.pool.stopCalls();
  }

  /** Ends what is left when the runner leaves; callers who talk to the destination of a transfer go on. */
  endAll(reason: EndReason): void {
    this.happenToAll({ type: 'runner_leaves', reason });
  }

  #carryOut(call: SupervisedCall, effect: CallEffect): void {
    const { registry, pool, logger } = this.options;
    const { id } = call.life.terms;
    switch (effect.do) {
      case 'set_timer':
        call.timers.set(effect.name, effect.ms);
        break;
      case 'clear_timer':
        call.timers.stop(effect.name);
        break;
      case 'record':
        registry.update(id, effect.change);
        break;
      case 'record_answer':
        if (registry.get(id)?.answeredAt === undefined) registry.update(id, { answeredAt: Date.now() });
        break;
      case 'log':
        logger[effect.level](effect.message, { callId: id, ...effect.fields });
        break;
      case 'expect_bot':
        pool.expect(id);
        break;
      case 'forget_bot':
        pool.forget(id);
        break;
      case 'assign_bot':
        if (call.life.terms.linkedTo === undefined) void this.#assign(id, effect.entry);
        else this.#linked.wantsBot(id, effect.entry);
        break;
      case 'serve_bot':
        this.#serve(call, effect);
        break;
      case 'tell_bot':
        call.bots.get(effect.bot)?.send(effect.message);
        break;
      case 'tell_leg':
        this.#linked.tell(id, effect.leg, effect.event);
        break;
      case 'abandon_bot':
        call.bots.get(effect.bot)?.abandon();
        break;
      case 'give_stream':
        this.driver.giveStream(call.life, effect.entry, this.#bot(call, effect.bot));
        break;
      case 'end':
        this.#calls.delete(id);
        forCall(id, () => this.driver.carryOut(call.life, effect));
        registry.end(id, effect.reason);
        this.#linked.ended(call.life, effect.reason);
        break;
      default:
        forCall(id, () => this.driver.carryOut(call.life, effect));
    }
  }

  async #assign(id: CallId, entry: number): Promise<void> {
    try {
      await this.options.pool.assign(id, (bot) => this.#assigned(id, entry, bot));
    } catch (error) {
      this.happen(id, { type: 'bot_missing', entry, error });
    }
  }

  #assigned(id: CallId, entry: number, bot: BotCall): void {
    this.#bots += 1;
    this.#calls.get(id)?.bots.set(this.#bots, bot);
    this.#follow(id, this.#bots, bot);
    this.#timelines.note(id, { type: 'bot_assigned', bot: this.#bots });
    this.happen(id, { type: 'bot_assigned', entry, bot: this.#bots });
  }

  /** Hears what a bot says about the call. */
  #follow(id: CallId, no: number, bot: BotCall): void {
    const timelines = this.#timelines;
    const since = Date.now();
    let asked: Promise<boolean> | undefined;
    // What bots tell after this runner stood still waits, in order, until it is certain that the call is still its own.
    const happen = (event: CallEvent) => {
      const isOurs = asked ?? this.options.inDoubt?.(id);
      if (!isOurs) return this.happen(id, event);
      asked = isOurs;
      void isOurs.then((is) => {
        if (asked === isOurs) asked = undefined;
        if (is) this.happen(id, event);
      });
    };
    bot.on('noted', ({ events }) => timelines.receive(id, events));
    bot.on('call_done', ({ outcome, errorType }) =>
      timelines.note(id, { type: 'bot_done', bot: no, outcome, ...(errorType && { errorType }) }),
    );
    bot.on('failed', ({ exception }) => {
      if (!this.options.isSandbox) return; // an account's caller is given every bot
      const isAlike = this.#calls.get(id)?.failures.failed(exception, since, timelines.of(id));
      if (isAlike) happen({ type: 'bot_is_hopeless', bot: no, why: 'fails_alike' });
    });
    bot.on('end_leg', ({ legId }) => this.#linked.tell(id, legId, { type: 'leg_unwanted' }));
    hearBot(bot, no, happen);
    this.#doNotCall.follow(id, bot);
    hearNotices(bot, id, this.options.registry);
  }

  #serve(call: SupervisedCall, effect: EffectOf<'serve_bot'>): void {
    const record = this.options.registry.get(call.life.terms.id);
    if (!record) throw new Error(`no record of live call ${call.life.terms.id}`);
    const message = this.driver.serveMessage(call.life, record, effect);
    const { registry } = this.options;
    const recording = registry.recordingOf(record.id);
    const traceparent = this.#timelines.traceOf(record.id);
    const tellsTalk = registry.followsTalk || undefined;
    const { disclosure, recordingNotice } = record;
    const doNotCall = this.#doNotCall.pastOf(record);
    const heardNotices = { disclosure, recording: recordingNotice };
    const told = { recording, traceparent, tellsTalk, doNotCall, heardNotices };
    this.#bot(call, effect.bot).serve({ ...message, ...told });
  }

  #bot(call: SupervisedCall, no: number): BotCall {
    const bot = call.bots.get(no);
    if (!bot) throw new Error(`call ${call.life.terms.id} has no bot ${no}`);
    return bot;
  }
}
