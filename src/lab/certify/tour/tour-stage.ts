import { unlessAborted, withDeadline } from '../../../base/async/deadline.js';
import { VoicebotError } from '../../../base/errors.js';
import type { CallRecord } from '../../../call/call-record.js';
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

/** One step of a tour, while it is played. */
export class TourStage {
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
    return this.news(
      'serves',
      'a call to the bot',
      ({ direction, attempt }) => direction === 'inbound' && attempt === 1,
    );
  }

  /** The bot calls a telephone. @returns the runner's identifier of the call */
  async dialled(role: PhoneRole | 'wrong', answer?: PhoneAnswer): Promise<string> {
    if (role !== 'wrong' && answer) await this.phones.expect(role, answer);
    return this.parts.dial(this.number(role));
  }

  /** @param what for people: what is waited for */
  news<Event extends BotNews['event']>(
    event: Event,
    what: string,
    fits?: (news: HeardNews<Event>) => boolean,
  ): Promise<HeardNews<Event>> {
    const { desk, phones } = this.parts;
    return desk.next(event, what, { limitMs: phones.patienceMs, signal: this.signal, ...(fits && { fits }) });
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

  kill(pid: number): void {
    this.parts.kill(pid);
  }

  over(callId: string): Promise<CallRecord> {
    const { patienceMs } = this.phones;
    const late = () =>
      new VoicebotError('VB_DEADLINE_EXCEEDED', `the end of the call: not within ${Math.round(patienceMs / 1_000)} s`);
    return withDeadline(unlessAborted(this.parts.over(callId, this.signal), this.signal), patienceMs, late);
  }
}
