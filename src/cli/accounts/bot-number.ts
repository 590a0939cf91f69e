import type { NumberRouting } from '../../call/number-routing.js';
import { VoicebotError } from '../../errors.js';
import { PROVIDER_WORDS, type TransportKind } from './transports.js';

/**
 * The number that a bot shall answer: the one that is named, else the account's only one. Asks the account either way,
 * so that credentials and number are known to be good before anything else begins.
 * @param named E.164
 * @throws VoicebotError VB_NUMBER_UNKNOWN naming the account's numbers, VB_CREDENTIALS_REFUSED and what a request throws
 */
export async function chooseNumber(
  routing: Pick<NumberRouting, 'list'>,
  named: string | undefined,
  transport: TransportKind,
): Promise<string> {
  const numbers = (await routing.list()).map(({ number }) => number);
  const [only, ...others] = numbers;
  if (named !== undefined && numbers.includes(named)) return named;
  if (named === undefined && only !== undefined && others.length === 0) return only;
  const { name, number: variable } = PROVIDER_WORDS[transport];
  if (only === undefined) {
    throw new VoicebotError('VB_NUMBER_UNKNOWN', `the account at the ${name} has no numbers`, {
      hint: `Get one at the ${name}, or try it offline: --sandbox`,
    });
  }
  const list = numbers.join(', ');
  throw named === undefined
    ? new VoicebotError('VB_NUMBER_UNKNOWN', `which one? The account has ${list}`, {
        hint: `Name it: --number ${only}, or ${variable}=${only}`,
      })
    : new VoicebotError('VB_NUMBER_UNKNOWN', `${named} is not on this account, which has ${list}`, {
        hint: `Set ${variable} to one of them, or use --number`,
      });
}
