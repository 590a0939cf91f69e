import { VoicebotError } from '../base/errors.js';
import { type Config, resolveConfig } from '../config/config.js';
import { stateDirectory } from '../config/environment.js';
import type { CarrierName } from '../providers/registry/carrier-names.js';
import { RunningRunners } from '../runners/running-runners.js';
import type { CliContext } from '../terminal/context.js';
import { type Account, accountOf, sandboxAccount } from './account.js';
import { credentialsFor } from './credential-names.js';
import { TRANSPORTS, type TransportKind } from './transports.js';

export interface KnownAccount {
  readonly account: Account;
  readonly isSandbox: boolean;
}

/**
 * The accounts there are credentials for; without any, those of the sandbox of a running runner.
 * @param transport only this one
 * @param carrier the one that is named on the command line
 * @throws VoicebotError VB_CREDENTIALS_MISSING when there is none
 */
export async function knownAccounts(
  { environment, directory }: Pick<CliContext, 'environment' | 'directory'>,
  transport: TransportKind | undefined,
  carrier: CarrierName | undefined,
): Promise<{ readonly config: Config; readonly accounts: readonly [KnownAccount, ...KnownAccount[]] }> {
  const config = await resolveConfig({ flags: carrier ? { carrier } : {}, environment, directory });
  const kinds = transport ? [transport] : TRANSPORTS;
  const real = kinds.flatMap((kind) => accountOf(config, kind) ?? []).map((account) => ({ account, isSandbox: false }));
  const accounts = real.length > 0 ? real : await sandboxAccounts(stateDirectory(environment), transport);
  const [first, ...others] = accounts;
  if (first) return { config, accounts: [first, ...others] };
  const variables = kinds.map((kind) => credentialsFor(kind, config)).join(', or ');
  throw new VoicebotError('VB_CREDENTIALS_MISSING', `${variables} are not set, and no runner on the sandbox is up`, {
    hint: 'Set them, for example in .env, or start a runner on the sandbox: npx voicebot run --sandbox',
  });
}

async function sandboxAccounts(home: string, transport: TransportKind | undefined): Promise<KnownAccount[]> {
  const { sandbox, webhooks } = await new RunningRunners(home)
    .find()
    .catch(() => ({ sandbox: undefined, webhooks: undefined }));
  if (!sandbox) return [];
  const kind = transport ?? webhooks?.transport ?? 'carrier';
  return [{ account: sandboxAccount({ ...sandbox.account, number: sandbox.number }, kind), isSandbox: true }];
}
