import { CalleeHours } from './callee-hours.js';
import { type CallingRuleTable, NO_CALLING_RULES } from './calling-rules.js';
import { loadNumberingPlans } from './dial-target.js';
import { hoursCheck } from './outside-hours.js';
import type { StartRequest } from './start-request.js';

/** Something that has to hold before a person is called. The number is E.164, as it will be dialled. @throws VoicebotError why it may not be */
export type DialCheck = (request: StartRequest) => void | Promise<void>;

/** What a runner is set to. */
export interface DialCheckSettings {
  /** The bot's own number, E.164. */
  readonly phoneNumber?: string | undefined;
  /** When people may be called. Default: at any time. */
  readonly callingRules?: CallingRuleTable | undefined;
  /** The user's own telephones, E.164: called at any time. Default: none. */
  readonly ownNumbers?: readonly string[] | undefined;
}

/**
 * What is asked before a call is placed for `dialout`, `POST /start` and campaigns, one after another; the first that throws counts. The
 * limits come last, where the call takes its place among those that may be dialled. A second leg of a call and a transfer have to pass
 * `checkTarget` and the limits only: there a colleague is called.
 */
export class DialChecks {
  /** When people may be called. */
  readonly hours: CalleeHours;
  readonly #checks: readonly DialCheck[];

  /**
   * @param checkTarget whether a number is one, and may be called: gives it as E.164; `field` is what it was given as
   * @param first asked before the number is looked at
   */
  constructor(
    private readonly checkTarget: (to: string, field: string) => Promise<string>,
    private readonly settings: DialCheckSettings,
    private readonly first: DialCheck,
  ) {
    void loadNumberingPlans();
    this.hours = new CalleeHours(settings.callingRules ?? NO_CALLING_RULES, settings.ownNumbers);
    this.#checks = [hoursCheck(this.hours)];
  }

  /**
   * @returns the request with the number as it will be dialled
   * @throws VoicebotError VB_REQUEST_INVALID, VB_TARGET_REFUSED, VB_OUTSIDE_CALLING_HOURS
   */
  async pass(request: StartRequest): Promise<StartRequest> {
    await this.first(request);
    const phoneNumber = await this.checkTarget(request.phoneNumber, 'phone_number').catch((error: unknown) => {
      if (this.settings.phoneNumber !== undefined) throw error;
    });
    if (phoneNumber === undefined) return request; // the adapter refuses it, after it has missed a number to call from
    const asked = { ...request, phoneNumber };
    for (const check of this.#checks) await check(asked);
    return asked;
  }
}
