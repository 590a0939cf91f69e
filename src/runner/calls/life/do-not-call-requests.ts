import { type ErrorFields, VoicebotError } from '../../../base/errors.js';
import type { CallId } from '../../../call/call-id.js';
import type { CallRecord } from '../../../call/call-record.js';
import type { DoNotCallOutcome, DoNotCallWay, EarlierDoNotCall } from '../../../call/do-not-call.js';
import { isPhoneNumber } from '../../../call/phone-number.js';
import type { BotCall } from '../../bots/bot-call.js';
import { canonicalNumber } from '../../dialing/dial-target.js';
import type { DoNotCallList } from '../../dialing/do-not-call/do-not-call-list.js';
import type { CallRegistry } from './call-registry.js';

/** Puts the other party of a call on the do-not-call list where its bot asks for it, and answers when that is done. */
export class DoNotCallRequests {
  /** Numbers that are being put on the list, by their calls. */
  readonly #pending = new Map<CallId, DoNotCallWay>();

  constructor(
    private readonly registry: CallRegistry,
    private readonly list: Pick<DoNotCallList, 'add'>,
  ) {}

  follow(id: CallId, bot: BotCall): void {
    bot.on('do_not_call', async ({ requestId, how }) => {
      const answer = await this.#list(id, how);
      bot.send({ type: 'do_not_call_answer', requestId, ...answer });
    });
    bot.on('do_not_call_told', ({ isHeard }) => {
      const asked = this.registry.get(id)?.doNotCall;
      if (asked && asked.toldAt === undefined)
        this.registry.amend(id, {
          doNotCall: { ...asked, ...(isHeard ? { toldAt: Date.now() } : { isSettled: true }) },
        });
    });
  }

  /** What the next bot of a call learns: it says what an earlier one could not, also where that one has died before the number was on the list. */
  pastOf({ id, doNotCall }: CallRecord): EarlierDoNotCall | undefined {
    const how = this.#pending.get(id);
    return doNotCall ?? (how && { how, isPending: true });
  }

  /** Never rejects. */
  async #list(id: CallId, how: DoNotCallWay): Promise<{ outcome: DoNotCallOutcome; problem?: ErrorFields }> {
    const { registry } = this;
    const record = registry.get(id);
    const number = record && (record.direction === 'inbound' ? record.from : record.to);
    const note = (outcome: DoNotCallOutcome) => registry.timelines.note(id, { type: 'do_not_call', how, outcome });
    if (number === undefined || !isPhoneNumber(number)) {
      note('withheld');
      return { outcome: 'withheld' };
    }
    this.#pending.set(id, how);
    try {
      await this.list.add({ number: await canonicalNumber(number), how, callId: id });
    } catch (error) {
      note('failed');
      return { outcome: 'failed', problem: VoicebotError.fieldsOf(error, 'VB_INTERNAL') };
    } finally {
      this.#pending.delete(id);
    }
    note('listed');
    if (!registry.get(id)?.doNotCall) registry.amend(id, { doNotCall: { how, at: Date.now() } });
    return { outcome: 'listed' };
  }
}
