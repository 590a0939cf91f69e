import type { EndReason } from '../../../call/call.js';
import type { CallId } from '../../../call/call-id.js';
import type { BotCall } from '../../bots/bot-call.js';
import type { BotPool } from '../../bots/bot-pool.js';
import type { CallEvent } from './call-events.js';
import type { CallLife } from './phase.js';

/** The calls among which the linked ones are. */
export interface LinkedCallsOptions {
  readonly pool: Pick<BotPool, 'assignBeside'>;
  readonly lives: () => Iterable<CallLife>;
  readonly lifeOf: (id: CallId) => CallLife | undefined;
  readonly botOf: (id: CallId, bot: number) => BotCall | undefined;
  readonly happen: (id: CallId, event: CallEvent) => void;
  /** A bot process has a place for the call. @param entry which of the call's starts that is for */
  readonly assigned: (id: CallId, entry: number, bot: BotCall) => void;
}

/** Calls that were dialled beside other ones: they are served where the bot of the other call is, and do not outlive it. */
export class LinkedCalls {
  /** Calls whose media is there before the bot of the other call, with the start that waits for it. */
  readonly #waiting = new Map<CallId, number>();

  constructor(private readonly options: LinkedCallsOptions) {}

  /** The live calls that were dialled beside this one. */
  of(id: CallId): CallId[] {
    return [...this.options.lives()].flatMap(({ terms }) => (terms.linkedTo === id ? [terms.id] : []));
  }

  /** A linked call wants a bot: it gets one as soon as the other call has one. */
  wantsBot(id: CallId, entry: number): void {
    this.#waiting.set(id, entry);
    this.look();
  }

  /** Something has happened: a bot may be there that is waited for. */
  look(): void {
    for (const [id, entry] of [...this.#waiting]) this.#assign(id, entry); // one that is put back would come again for ever
  }

  /** This happens to a call that was dialled beside this one. */
  tell(id: CallId, leg: CallId, event: CallEvent): void {
    if (this.options.lifeOf(leg)?.terms.linkedTo === id) this.options.happen(leg, event);
  }

  /** A call is over: those beside it are ended, and the one beside which it was dialled learns of it. */
  ended({ terms: { id, linkedTo } }: CallLife, reason: EndReason): void {
    this.#waiting.delete(id);
    for (const leg of this.of(id)) this.options.happen(leg, { type: 'leg_unwanted' });
    if (linkedTo !== undefined) this.options.happen(linkedTo, { type: 'leg_over', leg: id, reason });
  }

  /** Another runner has the call now. */
  released(id: CallId): void {
    this.#waiting.delete(id);
  }

  #assign(id: CallId, entry: number): void {
    const { pool, lifeOf, happen, assigned } = this.options;
    const life = lifeOf(id);
    const isWaiting = life?.phase.is === 'starting' && life.phase.entry === entry && life.phase.isAssigning;
    const other = isWaiting && life.terms.linkedTo !== undefined ? lifeOf(life.terms.linkedTo) : undefined;
    const bot = other && this.#talkingBot(other);
    if (isWaiting && other && !bot) return;
    this.#waiting.delete(id);
    if (!bot) {
      if (isWaiting) happen(id, { type: 'leg_unwanted' });
      return;
    }
    const isThere = pool.assignBeside(bot, id, (leg) => assigned(id, entry, leg));
    if (!isThere) this.#waiting.set(id, entry);
  }

  #talkingBot({ terms, phase }: CallLife): BotCall | undefined {
    const hasBot = phase.is === 'talking' || phase.is === 'transferring';
    const bot = hasBot && phase.bot !== undefined ? this.options.botOf(terms.id, phase.bot) : undefined;
    return bot?.isOver ? undefined : bot;
  }
}
