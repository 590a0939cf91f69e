import { VoicebotError } from '../../base/errors.js';
import type { RouteChange, UndoOutcome } from '../../call/number-routing.js';
import { notAsAsked } from '../account-numbers.js';
import { differenceOf, isAsWanted } from './application-check.js';
import { type BeforeInPlace, isOfLease, wantedAddresses } from './number-before.js';
import { ADDRESS_NAMES, isSameAddress, type NumbersApi } from './numbers-api.js';

/** Changes the addresses of the application that a number has, for all numbers on it, and puts them back. */
export class SharedApplication {
  constructor(private readonly api: NumbersApi) {}

  async apply(change: RouteChange, { applicationId }: BeforeInPlace, signal?: AbortSignal): Promise<void> {
    const application = await this.api.application(applicationId, signal);
    const wanted = wantedAddresses(change);
    if (application && isAsWanted(application, wanted)) return;
    const outcome = application && (await this.api.changeAddresses(applicationId, wanted, signal));
    if (outcome === 'changed') return;
    throw new VoicebotError('VB_REGISTRATION_FAILED', `the application of ${change.number} is gone`, {
      hint: "attach the number to another one in the carrier's console, or start again without changing it in place",
    });
  }

  async verify(
    change: RouteChange,
    { applicationId }: BeforeInPlace,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const current = await this.api.number(change.number, signal);
    if (!current) return `${change.number} is not on the account any more`;
    const application = await this.api.application(applicationId, signal);
    if (!application) return `the application of ${change.number} is gone`;
    const { link } = current;
    if (link?.kind !== 'application' || link.id !== applicationId) {
      return `${change.number} is not attached to application ${application.name} any more`;
    }
    return differenceOf(this.api, application, wantedAddresses(change));
  }

  /** Address by address: one that somebody else has changed meanwhile stays. The answer URL decides what came of it. */
  async undo(change: RouteChange, before: BeforeInPlace, signal?: AbortSignal): Promise<UndoOutcome> {
    const { applicationId, addresses } = before;
    const application = await this.api.application(applicationId, signal);
    if (!application) return 'nothing_to_restore';
    const isOurs = (name: (typeof ADDRESS_NAMES)[number]) => isOfLease(change, name, application.addresses[name].url);
    const back = Object.fromEntries(
      ADDRESS_NAMES.flatMap((name) => {
        const former = addresses[name];
        return former && !isSameAddress(application.addresses[name], former) && isOurs(name) ? [[name, former]] : [];
      }),
    );
    const isChanging = Object.keys(back).length > 0;
    if (isChanging) {
      await this.api.changeAddresses(applicationId, back, signal);
      const now = await this.api.application(applicationId, signal);
      if (now && !isAsWanted(now, back)) notAsAsked(change.number);
    }
    const { answer } = addresses;
    const isForeign = !isOurs('answer') && !(answer && isSameAddress(application.addresses.answer, answer));
    if (isForeign) return 'foreign';
    if (!answer) return 'nothing_to_restore';
    return isChanging ? 'restored' : 'unchanged';
  }
}
