import { type Account, accountOf } from '../../assembly/account.js';
import { accountVariables, credentialsFor } from '../../assembly/credential-names.js';
import { type ForeignName, foreignNamesIn, foreignNamesLine } from '../../assembly/foreign-names.js';
import { PROVIDER_WORDS, TRANSPORTS, type TransportKind } from '../../assembly/transports.js';
import { VoicebotError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import type { Findings } from './findings.js';

/**
 * The accounts there are credentials for, and what is wrong with the variables of the others.
 * @param wanted look for this one only
 */
export function checkCredentials(findings: Findings, config: Config, wanted: TransportKind | undefined): Account[] {
  const foreign = foreignNamesIn(config.environment);
  let isHalf = false;
  const accounts = (wanted ? [wanted] : TRANSPORTS).flatMap((kind) => {
    try {
      return accountOf(config, kind) ?? [];
    } catch (error) {
      isHalf = true;
      findings.fail('credentials', error);
      return [];
    }
  });
  if (accounts.length > 0 || isHalf) tellMisspelt(findings, config, foreign);
  else if (wanted) tellMissing(findings, config, wanted, foreign);
  else {
    const told = foreignNamesLine(foreign);
    findings.warn(
      'credentials',
      `no account, so no telephone reaches the bot: runs use the sandbox, the offline phone network${told ? `. ${told}` : ''}`,
      `For a real number set ${accountVariables()}`,
    );
  }
  return accounts;
}

/** Beside an account, only names that may be meant for something of it that is not set. */
function tellMisspelt(findings: Findings, { environment }: Config, foreign: readonly ForeignName[]): void {
  const misspelt = foreign.filter(({ meant }) => meant && !environment[meant]);
  const told = foreignNamesLine(misspelt);
  if (told) findings.warn('names', told, 'Rename them, or leave them to the program that reads them');
}

function tellMissing(findings: Findings, config: Config, kind: TransportKind, foreign: readonly ForeignName[]): void {
  const { name } = PROVIDER_WORDS[kind];
  const told = foreignNamesLine(foreign);
  const error = new VoicebotError(
    'VB_CREDENTIALS_MISSING',
    `there is no account at a ${name}${told ? `. ${told}` : ''}`,
  );
  findings.fail('credentials', error, `Set ${credentialsFor(kind, config)}`);
}
