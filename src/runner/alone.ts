import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { HangupJournal } from './calls/debts/hangup-journal.js';
import { LocalQueue } from './campaigns/local-queue.js';
import type { Coordination } from './coordination.js';
import { DialLimits } from './dialing/dial-limits.js';
import { DialledMinutes } from './dialing/dialled-minutes.js';
import { LocalDoNotCall } from './dialing/do-not-call/local-list.js';
import { IdempotentRequests } from './dialing/idempotent-requests.js';

/** A runner that acts for itself: what must survive it is on its disk, the rest is in its memory. */
export const alone: Coordination = {
  journals: (stateDirectory) => (account, kind) => new HangupJournal(stateDirectory, account, kind),
  dialGate({ stateDirectory, dialLimits, dialMaxSeconds }) {
    const { minutesPerDay: perDay, ...limits } = dialLimits;
    if (perDay === undefined) return new DialLimits(limits);
    const directory = join(stateDirectory, 'dialled');
    const perCall = Math.ceil(dialMaxSeconds / 60);
    return new DialLimits({ ...limits, minutes: new DialledMinutes({ directory, perDay, perCall }) });
  },
  doNotCall: (runner) => LocalDoNotCall.of(runner),
  requests: <T>() => new IdempotentRequests<T>(),
  campaignQueue: ({ stateDirectory, serves }) => new LocalQueue({ stateDirectory, serves, runner: randomUUID() }),
};
