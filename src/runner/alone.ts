import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { HangupJournal } from './calls/debts/hangup-journal.js';
import { LocalQueue } from './campaigns/local-queue.js';
import type { Coordination } from './coordination.js';
import { DialLimits } from './dialing/dial-limits.js';
import { DialledMinutes } from './dialing/dialled-minutes.js';
import { DialledMoney } from './dialing/dialled-money.js';
import { LocalDoNotCall } from './dialing/do-not-call/local-list.js';
import { IdempotentRequests } from './dialing/idempotent-requests.js';
import { moneyLimitOf } from './dialing/money-limit.js';

/** A runner that acts for itself: what must survive it is on its disk, the rest is in its memory. */
export const alone: Coordination = {
  journals: (stateDirectory) => (account, kind) => new HangupJournal(stateDirectory, account, kind),
  dialGate(runner) {
    const { stateDirectory, dialLimits, dialMaxSeconds } = runner;
    const { minutesPerDay: perDay, moneyPerDay: _, ...limits } = dialLimits;
    const limit = moneyLimitOf(runner);
    const money = limit && new DialledMoney({ ...limit, directory: join(stateDirectory, 'dialled-money') });
    if (perDay === undefined) return new DialLimits({ ...limits, money });
    const directory = join(stateDirectory, 'dialled');
    const perCall = Math.ceil(dialMaxSeconds / 60);
    const minutes = new DialledMinutes({ directory, perDay, perCall });
    return new DialLimits({ ...limits, minutes, money });
  },
  doNotCall: (runner) => LocalDoNotCall.of(runner),
  requests: <T>() => new IdempotentRequests<T>(),
  campaignQueue: ({ stateDirectory, serves }) => new LocalQueue({ stateDirectory, serves, runner: randomUUID() }),
};
