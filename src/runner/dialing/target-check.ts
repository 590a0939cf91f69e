import { VoicebotError } from '../../base/errors.js';
import { whyNobodyAnswers } from '../../call/operator-number.js';
import { canonicalNumber, checkTarget, countryOf, type TargetRules } from './dial-target.js';
import { checkDisclosed, type DisclosureSettings } from './disclosure-check.js';
import type { DoNotCallList } from './do-not-call/do-not-call-list.js';

/** What a number is given as that a bot is to call. */
const CALLEE = 'phone_number';

/** What a runner is set to. */
export interface TargetSettings extends DisclosureSettings {
  /** ISO 3166 alpha-2. Default: the country of `phoneNumber`. */
  readonly dialCountries?: readonly string[] | undefined;
  /** The bot's own number, E.164. */
  readonly phoneNumber?: string | undefined;
  /** E.164: may be called in any country. */
  readonly operatorNumber?: string | undefined;
}

/**
 * The check of every number before it is dialled or transferred to.
 * @param list default: numbers are not looked up there
 * @returns gives the number as E.164; `field` is what it was given as. Throws VoicebotError VB_TARGET_REFUSED, VB_DO_NOT_CALL,
 *   VB_DO_NOT_CALL_DAMAGED, VB_DISCLOSURE_MISSING for a callee
 */
export function targetCheck(
  { dialCountries, phoneNumber, operatorNumber, ...disclosure }: TargetSettings,
  list?: Pick<DoNotCallList, 'refuse'>,
): (to: string, field: string) => Promise<string> {
  return async (to, field) => {
    const own = dialCountries ? undefined : phoneNumber && (await countryOf(phoneNumber));
    const rules: TargetRules = {
      countries: dialCountries ?? (own ? [own] : []),
      trusted: operatorNumber ? [await canonicalNumber(operatorNumber)] : [],
    };
    const number = await checkTarget(to, rules, field).catch((error: unknown) => {
      const reason = field === CALLEE ? undefined : whyNobodyAnswers(to, operatorNumber);
      throw reason && error instanceof VoicebotError ? new VoicebotError(error.code, reason, { cause: error }) : error;
    });
    if (phoneNumber && number === (await canonicalNumber(phoneNumber))) {
      throw new VoicebotError('VB_TARGET_REFUSED', "it is the bot's own number, which would call itself");
    }
    list?.refuse(number);
    if (field === CALLEE) await checkDisclosed(number, disclosure); // the destination of a transfer talks to a person
    return number;
  };
}
