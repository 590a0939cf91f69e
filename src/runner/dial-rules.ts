import type { Coordination } from './coordination.js';
import type { DialGate } from './dialing/dial-limits.js';
import type { DoNotCallList } from './dialing/do-not-call/do-not-call-list.js';
import { ListedGate } from './dialing/listed-gate.js';
import { paidTarget } from './dialing/money-limit.js';
import { targetCheck } from './dialing/target-check.js';
import type { RunnerOptions } from './runner-options.js';

/** What stands between a request to dial and the provider. */
export interface DialRules {
  readonly limits: DialGate;
  readonly doNotCall: DoNotCallList;
  /** Of every number before it is dialled or transferred to. */
  readonly checkTarget: (to: string, field: string) => Promise<string>;
  /** The same for what is dialled later, and looked up on the do-not-call list then. */
  readonly checkContact: (to: string, field: string) => Promise<string>;
}

/** @param secret as for `dialGate` */
export function dialRules(options: RunnerOptions, coordination: Coordination, secret: string): DialRules {
  const doNotCall = coordination.doNotCall(options, options.logger);
  const checkContact = targetCheck(options);
  const checkPaid = paidTarget(options);
  return {
    limits: new ListedGate(coordination.dialGate(options, secret), doNotCall),
    doNotCall,
    checkTarget: targetCheck(options, doNotCall),
    checkContact: async (to, field) => {
      const number = await checkContact(to, field);
      checkPaid(number);
      return number;
    },
  };
}
