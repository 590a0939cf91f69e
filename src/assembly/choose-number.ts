import { VoicebotError } from '../base/errors.js';
import { firstFew } from '../base/names/name-list.js';
import type { NumberRoute, NumberRouting } from '../call/number-routing.js';
import { namesOf } from '../providers/account-names.js';
import type { Account } from './account.js';
import { PROVIDER_WORDS } from './transports.js';

/** Asks a person which number is meant. @returns undefined when no person is there */
export type PickNumber = (routes: readonly NumberRoute[]) => Promise<NumberRoute | undefined>;

/** Of an account, in a message. */
const MAX_TOLD = 20;

/**
 * The number that a bot shall answer: the one that is named, else the only one that takes calls, else the one that a person
 * picks. Asks the account either way, so that credentials and number are known to be good before anything else begins.
 * @param account with its number, E.164, where one is named
 * @throws VoicebotError VB_NUMBER_UNKNOWN naming the account's numbers, VB_NUMBER_AMBIGUOUS, VB_NUMBER_NO_VOICE, VB_CREDENTIALS_REFUSED
 *   and what a request throws
 */
export async function chooseNumber(
  routing: Pick<NumberRouting, 'list'>,
  account: Account,
  pick: PickNumber = async () => undefined,
): Promise<NumberRoute> {
  const routes = await routing.list();
  const { phoneNumber: named } = account;
  const { name } = PROVIDER_WORDS[account.kind];
  if (named !== undefined) {
    const route = routes.find(({ number }) => number === named);
    if (!route) throw unknown(named, routes, account);
    refuseWithoutVoice(route, routes);
    return route;
  }
  const usable = routes.filter(isUsable);
  const [only, ...others] = usable;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    const picked = await pick(usable);
    if (picked) return picked;
    throw new VoicebotError(
      'VB_NUMBER_AMBIGUOUS',
      `which one shall the bot answer: ${firstFew(
        usable.map(({ number }) => number),
        MAX_TOLD,
      )}?`,
      {
        hint: [
          `Name one, or set ${variableOf(account)}=${only.number}:`,
          ...usable.slice(0, MAX_TOLD).map(({ number }) => `npx voicebot run --dialin --number ${number}`),
        ].join('\n    '),
      },
    );
  }
  const [first] = routes;
  if (first) refuseWithoutVoice(first, routes);
  throw new VoicebotError('VB_NUMBER_UNKNOWN', `the account at the ${name} has no numbers`, {
    hint: `Get one at the ${name}, or try it offline: --sandbox`,
  });
}

/**
 * Refuses a number that takes messages only.
 * @param routes the numbers of its account
 * @throws VoicebotError VB_NUMBER_NO_VOICE naming those that take calls
 */
export function refuseWithoutVoice(route: NumberRoute, routes: readonly NumberRoute[]): void {
  if (isUsable(route)) return;
  const others = routes.filter(isUsable).map(({ number }) => number);
  throw new VoicebotError('VB_NUMBER_NO_VOICE', `${route.number} has no voice at the provider, only messages`, {
    hint:
      others.length > 0
        ? `Use one of the account that takes calls: ${firstFew(others, MAX_TOLD)}`
        : 'None of the account takes calls: rent one with voice in the console of the provider',
  });
}

const isUsable = ({ takesCalls }: NumberRoute) => takesCalls !== false;

/** The variable that the number of an account is set by. */
const variableOf = (account: Account) =>
  account.kind === 'carrier' ? namesOf(account.credentials).phoneNumber : PROVIDER_WORDS.rooms.number;

function unknown(named: string, routes: readonly NumberRoute[], account: Account): VoicebotError {
  const variable = variableOf(account);
  const numbers = routes.map(({ number }) => number);
  return new VoicebotError(
    'VB_NUMBER_UNKNOWN',
    `${named} is not on this account, which has ${firstFew(numbers, MAX_TOLD) || 'none'}`,
    { hint: `Set ${variable} to one of them, or use --number` },
  );
}
