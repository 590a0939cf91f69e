import { type ErrorCode, VoicebotError } from '../base/errors.js';
import type { NumberRouting } from '../call/number-routing.js';
import { type Config, resolveConfig } from '../config/config.js';
import { stateDirectory } from '../config/environment.js';
import { phoneNumber } from '../config/settings.js';
import { CARRIER_NAMES } from '../providers/registry/carrier-names.js';
import { extensionOf } from '../providers/registry/extensions.js';
import { ROOM_PROVIDER_NAMES } from '../providers/registry/room-provider-names.js';
import { isSameAccount, type LeaseAccount } from '../runner/numbers/lease-entry.js';
import { LeaseJournal } from '../runner/numbers/lease-journal.js';
import { type RestoredNumber, restoreLeases } from '../runner/numbers/restore-leases.js';
import type { CliContext } from '../terminal/context.js';
import type { Output } from '../terminal/output.js';
import { TypedOptions } from '../terminal/typed-options.js';
import { type Account, accountOf, leaseAccountOf, routingOf } from './account.js';
import { credentialsFor, credentialsOfCarrier, credentialsSet } from './credential-names.js';
import { whoAnswers } from './number-text.js';
import type { TransportKind } from './transports.js';
import { checkStateDirectory } from './writable-state.js';

/** What is wrong with credentials that are not whole, or are not those of the carrier they are tried for. */
const LEFT_OUT: readonly ErrorCode[] = ['VB_CREDENTIALS_MISSING', 'VB_CONFIG_INVALID'];

export interface RestoreRequest {
  /** E.164; undefined for all. */
  readonly number: string | undefined;
  readonly isForced: boolean;
}

/** @throws UsageError */
export function parseRestoreRequest(
  number: string | undefined,
  { force = false }: RestoreCommandOptions,
): RestoreRequest {
  const typed = new TypedOptions();
  const checked = typed.check('number', number, phoneNumber);
  if (force && number === undefined)
    typed.refuse('--force needs a number: it gives that number back even from a run that holds it');
  typed.throwIfRefused();
  return { number: checked, isForced: force };
}

/**
 * Gives back the numbers that earlier runs have not given back.
 * @throws VoicebotError VB_RESTORE_FAILED when a number could not be given back, VB_CREDENTIALS_MISSING when the
 *   credentials of its account are missing
 */
export async function restoreNumbers(
  { number, isForced }: RestoreRequest,
  { environment, directory }: CliContext,
  output: Output,
): Promise<void> {
  const accounts = await allAccounts({ environment, directory });
  checkStateDirectory(stateDirectory(environment));
  const journal = new LeaseJournal(stateDirectory(environment));
  const routings = new Map<Account, Promise<NumberRouting>>();
  const routingFor = (wanted: LeaseAccount) => {
    const account = accounts.find((one) => isSameAccount(leaseAccountOf(one.account), wanted))?.account;
    if (!account) return undefined;
    const routing = routings.get(account) ?? routingOf(account);
    routings.set(account, routing);
    return routing;
  };
  let restored: readonly RestoredNumber[];
  try {
    restored = await output.step('Looking for numbers to give back', () =>
      restoreLeases({ journal, routingFor, number, isForced }),
    );
  } finally {
    for (const routing of routings.values()) await (await routing).close();
  }
  tellKeptAside(journal, output);
  for (const one of restored) {
    output.event('restored', one);
    output.line(restoredLine(one));
  }
  if (restored.length === 0) {
    output.line(
      number === undefined ? 'There is no number to give back.' : `No run has left ${number} to be given back.`,
    );
  }
  throwIfLeft(restored, accounts);
}

interface NamedAccount {
  readonly account: Account;
  /** The variables that its credentials stand in, for people. */
  readonly variables: string;
}

/**
 * Every account that there may be credentials for, at whichever provider: what a number was taken with is not always what is
 * used now. Those that are not whole are left out, unless they are those in use.
 * @throws VoicebotError VB_CREDENTIALS_MISSING, VB_CONFIG_INVALID
 */
async function allAccounts(sources: Pick<CliContext, 'environment' | 'directory'>): Promise<NamedAccount[]> {
  const named = (config: Config, kind: TransportKind): NamedAccount[] => {
    const account = accountOf(config, kind);
    return account ? [{ account, variables: credentialsSet(kind, config) }] : [];
  };
  const config = await resolveConfig({ flags: {}, ...sources });
  if (config.carriers.carrier) accountOf(config, 'carrier'); // what is wrong with the one in use is told
  const at = async (kind: TransportKind, flags: Parameters<typeof resolveConfig>[0]['flags']) => {
    try {
      return named(await resolveConfig({ flags, ...sources }), kind);
    } catch (error) {
      if (error instanceof VoicebotError && LEFT_OUT.includes(error.code)) return [];
      throw error;
    }
  };
  const all = [
    ...CARRIER_NAMES.map((carrier) => at('carrier', { carrier })),
    ...ROOM_PROVIDER_NAMES.map((roomsProvider) => at('rooms', { roomsProvider })),
  ];
  return (await Promise.all(all)).flat();
}

/** What of the journal could not be read, and where it is now. */
export function tellKeptAside({ keptAside }: LeaseJournal, output: Output): void {
  for (const path of keptAside) {
    output.warn(
      `A record of a number could not be read and was put aside: ${path}. See who answers your numbers: npx voicebot configure-number`,
    );
  }
}

/** What became of one number, for people. */
export function restoredLine({ number, outcome, route, problem }: Omit<RestoredNumber, 'provider'>): string {
  const isBare = (route.webhookUrl ?? route.heldBy) === undefined;
  switch (outcome) {
    case 'restored':
      return `${number} was given back${isBare ? ': no server answers it, as before' : ` to ${whoAnswers(route)}`}`;
    case 'unchanged':
      return isBare
        ? `${number} needed no change: no server answers it, as before`
        : `${number} needed no change, it is answered as before: ${whoAnswers(route)}`;
    case 'foreign':
      return `${number} was changed by another program or person meanwhile and stays as it is`;
    case 'nothing_to_restore':
      return `${number} no longer points at this runner; there was nothing to give it back to. Set it with: npx voicebot configure-number ${number} --url https://…`;
    case 'held':
      return `${number} is held by a run that is still alive; --force gives it back all the same`;
    case 'kept':
      return `${number} was set by configure-number and stays so; put it back with: npx voicebot configure-number ${number} --reset`;
    case 'no_account':
      return `${number} waits for the credentials of its account`;
    case 'failed':
      return `${number} could not be given back: ${problem}`;
  }
}

/**
 * @param accounts those there are credentials for
 * @throws VoicebotError VB_RESTORE_FAILED, VB_CREDENTIALS_REFUSED when that is the only reason, VB_CREDENTIALS_MISSING,
 *   VB_EXTENSION_INVALID for a provider whose extension is gone
 */
export function throwIfLeft(restored: readonly RestoredNumber[], accounts: readonly NamedAccount[] = []): void {
  const failed = restored.filter(({ outcome }) => outcome === 'failed');
  if (failed.length > 0) {
    const isRefused = failed.every(({ code }) => code === 'VB_CREDENTIALS_REFUSED');
    throw isRefused
      ? new VoicebotError('VB_CREDENTIALS_REFUSED', `${numbersOf(failed)} could not be given back`, {
          hint: `Check ${credentialsOf(failed, accounts)}, then try again: npx voicebot restore`,
        })
      : new VoicebotError('VB_RESTORE_FAILED', numbersOf(failed), { hint: 'Try again: npx voicebot restore' });
  }
  const waiting = restored.filter(({ outcome }) => outcome === 'no_account');
  const gone = waiting.flatMap(({ extension, provider }) =>
    extension && !extensionOf(provider) ? [{ extension, provider }] : [],
  );
  if (gone[0]) {
    const { extension, provider } = gone[0];
    const install = extension.startsWith('.') ? '' : `: npm install ${extension}`;
    throw new VoicebotError(
      'VB_EXTENSION_INVALID',
      `${numbersOf(waiting)} was taken at ${provider}, which ${extension} brings`,
      {
        hint: `Have it in this folder again${install}, name it in \`extensions\` or VOICEBOT_EXTENSIONS=${extension}, then: npx voicebot restore`,
      },
    );
  }
  if (waiting.length > 0) {
    throw new VoicebotError('VB_CREDENTIALS_MISSING', `those of the account that has ${numbersOf(waiting)}`, {
      hint: `Set ${credentialsOf(waiting, accounts)} as in that run, and the address of the API if it was set; then: npx voicebot restore`,
    });
  }
}

const numbersOf = (restored: readonly RestoredNumber[]) => restored.map(({ number }) => number).join(', ');

/** The variables that open the accounts of these numbers, by the names that were used for one at the same provider. */
function credentialsOf(restored: readonly RestoredNumber[], accounts: readonly NamedAccount[]): string {
  const names = restored.map(({ provider }) => {
    const used = accounts.find(({ account }) => leaseAccountOf(account).provider === provider);
    const carrier = CARRIER_NAMES.find((name) => name === provider);
    return used?.variables ?? (carrier ? credentialsOfCarrier(carrier) : credentialsFor('rooms'));
  });
  return [...new Set(names)].join(' and ');
}

export interface RestoreCommandOptions {
  force?: boolean;
  json?: boolean;
}
