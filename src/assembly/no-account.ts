import { VoicebotError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { ROOM_PROVIDER_NAMES } from '../providers/registry/room-provider-names.js';
import { roomProviderByName } from '../providers/registry/rooms.js';
import type { Output } from '../terminal/output.js';
import { credentialsFor } from './credential-names.js';
import { foreignNamesIn, foreignNamesLine } from './foreign-names.js';
import { PROVIDER_WORDS, type TransportKind } from './transports.js';

export interface WithoutAccount {
  readonly config: Pick<Config, 'environment' | 'carriers' | 'roomsApiKey'>;
  readonly transport: TransportKind;
  /** The bot was to answer a number. */
  readonly isDialin: boolean;
  /** Options of the command line that only mean something with an account. */
  readonly accountOptions: readonly string[];
}

/**
 * Tells a person whose run finds no credentials that it uses the sandbox: loudly when a number was to be answered.
 * @throws VoicebotError VB_CREDENTIALS_MISSING when the command line asks for what only an account has
 */
export function tellNoAccount(output: Output, { config, transport, isDialin, accountOptions }: WithoutAccount): void {
  const { name } = PROVIDER_WORDS[transport];
  const credentials = credentialsFor(transport, config);
  const foreign = foreignNamesLine(foreignNamesIn(config.environment));
  const options = accountOptions.join(' and ');
  const other = otherAccount(config, transport);
  if (options) {
    throw new VoicebotError(
      'VB_CREDENTIALS_MISSING',
      `${options} without an account at a ${name}${foreign ? `. ${foreign}` : ''}`,
      {
        hint: `Set ${credentials}, or leave ${options} out to use the offline phone network${other ? `; ${other}` : ''}`,
      },
    );
  }
  if (isDialin) {
    output.warn(
      `NO REAL NUMBER IS ANSWERED: there is no account (${credentials}), so the sandbox is used, the offline phone network`,
    );
  } else output.line(`No ${name} credentials found: using the sandbox, the offline phone network.`);
  if (foreign) output.warn(`${foreign}. For an account set ${credentials}`);
  if (other) output.warn(other);
}

/** What to say of an account that is there and was not asked for: at another carrier, or at the provider of the other transport. */
function otherAccount(config: WithoutAccount['config'], transport: TransportKind): string | undefined {
  const [account] = config.carriers.accounts;
  if (transport === 'carrier' && account) {
    return `there is an account at ${account.carrier}: use it with --carrier ${account.carrier}`;
  }
  const elsewhere = ROOM_PROVIDER_NAMES.find((name) => config.environment[roomProviderByName(name).keyVariable ?? '']);
  if (transport === 'rooms' && elsewhere !== undefined) {
    return `there is an account at ${elsewhere}: use it with ROOMS_PROVIDER=${elsewhere}`;
  }
  const isThere = transport === 'carrier' ? config.roomsApiKey : account;
  const other = transport === 'carrier' ? 'rooms' : 'carrier';
  return isThere && `there is an account at a ${PROVIDER_WORDS[other].name}: use it with --transport ${other}`;
}
