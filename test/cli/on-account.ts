import { type Accounts, SHARED_NUMBER } from '../e2e/accounts.js';
import { command, type RunningCommand } from './in-process.js';
import type { Keyboard } from './keyboard.js';

/** What no command may show: the credentials of both accounts, and how every secret of a number begins. */
const SECRETS = /test-auth-token|room-api-key-of-the-account|c2VjcmV0IG9m/;

export interface StartOn {
  /** Whose credentials there are. Default `carrier`. */
  readonly transport?: 'carrier' | 'rooms' | 'both' | 'none';
  /** Over those of the account; the empty string takes one away. */
  readonly environment?: Record<string, string>;
  readonly keyboard?: Keyboard;
}

/** Starts a command on these accounts, in this process. @throws when it shows a secret, once it has finished */
export function startOn(
  accounts: Accounts,
  args: string,
  { transport = 'carrier', environment = {}, keyboard }: StartOn = {},
): RunningCommand {
  const other = { carrier: /^ROOMS_/, rooms: /^CARRIER_/, both: /^$/, none: /^(ROOMS|CARRIER)_/ }[transport];
  const own = Object.entries(accounts.environment(SHARED_NUMBER)).filter(([name]) => !other.test(name));
  const running = command(
    args.split(' '),
    accounts.home,
    { ...Object.fromEntries(own), VOICEBOT_HOME: accounts.home, ...environment },
    '',
    keyboard,
  );
  const finished = running.finished.then((result) => {
    if (SECRETS.test(result.stdout + result.stderr)) throw new Error(`shows a secret: ${args}`);
    return result;
  });
  return { finished, shown: running.shown };
}

/** Runs it to its end. */
export const runOn = (accounts: Accounts, args: string, options?: StartOn): RunningCommand['finished'] =>
  startOn(accounts, args, options).finished;
