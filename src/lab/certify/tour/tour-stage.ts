import { setTimeout as delay } from 'node:timers/promises';
import { settlesWithin, unlessAborted, withDeadline } from '../../../base/async/deadline.js';
import { VoicebotError } from '../../../base/errors.js';
import type { EndReason } from '../../../call/call.js';
import type { CallRecord } from '../../../call/call-record.js';
import { endWords } from '../../../call/end-text.js';
import type { BotAtDesk, Desk, HeardNews } from './desk.js';
import type { BotNews, BotOrder } from './desk-messages.js';
import type { PhoneAnswer, PhoneRole, TourPhones } from './tour-phone.js';

/** What a step of a tour works with. */
export interface TourParts {
  readonly desk: Desk;
  readonly phones: TourPhones;
  /** E.164; those of telephones that the user has not named are missing. */
  readonly numbers: { readonly bot: string } & Readonly<Record<PhoneRole | 'wrong', string | undefined>>;
  /** Has the bot call a number. @returns the runner's identifier of the call */
  readonly dial: (to: string) => Promise<string>;
  /** Resolves when a call is over, with its record. */
  readonly over: (callId: string, signal: AbortSignal) => Promise<CallRecord>;
  /** Ends a bot's process, as a crash would. */
  readonly kill: (pid: number) => void;
}

/** After the end of a call: so long its bot may have something to tell yet, in milliseconds. */
const LAST_NEWS_MS = 2_000;
/** How calls end that people end. */
const BY_PEOPLE: readonly (EndReason | undefined)[] = ['caller_hung_up', 'rejected', 'busy', 'no_answer'];

/** The call of a step was over before the step was. */
export class CallOverEarly extends VoicebotError {
  /** Words of ours, that name no number. */
  readonly why: string;
  /** A person has hung up, or not answered, and can be asked to try once more. */
  readonly isByPeople: boolean;

  /** @param what that did not come any more */
  constructor(what: string, { endReason, direction }: CallRecord) {
    const how = endReason ? ` (${endWords(endReason, direction)})` : '';
    const why = `the call was over too early, before this: ${what}${how}`;
    super('VB_CALL_FAILED', why);
    this.why = why;
    this.isByPeople = BY_PEOPLE.includes(endReason);
  }
}

/** One step of a tour, while it is played. */
export class TourStage {
  /** The call that the step is about just now. */
  #call: { readonly id: string; readonly over: Promise<CallRecord> } | undefined;

  constructor(
    private readonly parts: TourParts,
    private readonly signal: AbortSignal,
  ) {}

  get phones(): TourPhones {
    return this.parts.phones;
  }

  number(role: PhoneRole | 'wrong'): string {
    const number = this.parts.numbers[role];
    if (number === undefined) throw new VoicebotError('VB_INTERNAL', `a step without its telephone: ${role}`);
    return number;
  }

  /** The caller calls, and the bot has the call. */
  async calledIn(): Promise<HeardNews<'serves'>> {
    await this.phones.call(this.parts.numbers.bot);
    const served = await this.news(
      'serves',
      'a call to the bot',
      ({ direction, attempt }) => direction === 'inbound' && attempt === 1,
    );
    this.#watch(served.bot.callId);
    return served;
  }

  /** The bot calls a telephone. @returns the runner's identifier of the call */
  async dialled(role: PhoneRole | 'wrong', answer?: PhoneAnswer): Promise<string> {
    if (role !== 'wrong' && answer) await this.phones.expect(role, answer);
    return this.#watch(await this.parts.dial(this.number(role)));
  }

  /**
   * @param what for people: what is waited for
   * @throws CallOverEarly when the call ends meanwhile; VoicebotError VB_DEADLINE_EXCEEDED, VB_CALL_FAILED; the reason of the step's signal
   */
  async news<Event extends BotNews['event']>(
    event: Event,
    what: string,
    fits?: (news: HeardNews<Event>) => boolean,
  ): Promise<HeardNews<Event>> {
    const { desk, phones } = this.parts;
    const call = this.#call;
    const [early, settled] = [new AbortController(), new AbortController()];
    call?.over
      .then(async (record) => {
        await delay(LAST_NEWS_MS, undefined, { signal: settled.signal });
        early.abort(new CallOverEarly(what, record));
      })
      .catch(() => {}); // it has come, or the step is over
    const signal = AbortSignal.any([this.signal, early.signal]);
    try {
      return await desk.next(event, what, { limitMs: phones.patienceMs, signal, ...(fits && { fits }) });
    } catch (error) {
      const isOfBot = error instanceof VoicebotError && error.code === 'VB_CALL_FAILED';
      throw isOfBot && !early.signal.aborted ? await this.#earlyOr(error, what) : error;
    } finally {
      settled.abort();
    }
  }

  /** The bot does something, to its end. */
  async done(bot: BotAtDesk, order: BotOrder): Promise<void> {
    bot.order(order);
    await this.news(
      'done',
      `the bot: ${order.do}`,
      ({ what, bot: by }) => what === order.do && by.callId === bot.callId,
    );
  }

  /** The bot says a sentence, and it was heard. */
  async said(bot: BotAtDesk, text: string): Promise<void> {
    await this.done(bot, { do: 'say', text, name: text });
  }

  async kill(pid: number): Promise<void> {
    try {
      this.parts.kill(pid);
    } catch (error) {
      throw await this.#earlyOr(error, 'the death of the bot');
    }
  }

  over(callId: string): Promise<CallRecord> {
    const { patienceMs } = this.phones;
    const over = this.#call?.id === callId ? this.#call.over : this.parts.over(callId, this.signal);
    this.#call = undefined; // its end is what is waited for
    const late = () =>
      new VoicebotError('VB_DEADLINE_EXCEEDED', `the end of the call: not within ${Math.round(patienceMs / 1_000)} s`);
    return withDeadline(unlessAborted(over, this.signal), patienceMs, late);
  }

  /** What could not be done may be what could not be done any more. */
  async #earlyOr(error: unknown, what: string): Promise<unknown> {
    const over = this.#call?.over;
    if (!over || !(await settlesWithin(over, LAST_NEWS_MS))) return error;
    return over.then(
      (record) => new CallOverEarly(what, record),
      () => error,
    );
  }

  #watch(id: string): string {
    const over = this.parts.over(id, this.signal);
    over.catch(() => {}); // told where it is waited for
    this.#call = { id, over };
    return id;
  }
}
