import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of this process as it is now. Nothing but `config/` and, for code that a bot file writes itself,
 * `providers/carrier-api-url.ts`, `providers/rooms-api-url.ts`, `rooms/join-room.ts`, `rooms/browser/process-pages.ts` and `call/operator-number.ts`
 * reads `process.env`.
 */
export function processEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Environment {
  if (platform !== 'win32') return { ...environment };
  // There `Path` is `PATH` too. What has been copied is read by the letter.
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name.toUpperCase(), value]));
}

/** Where voicebot keeps what must survive a process: `VOICEBOT_HOME`, or `.voicebot` in the home directory. */
export function stateDirectory(environment: Environment): string {
  return environment.VOICEBOT_HOME ? resolve(environment.VOICEBOT_HOME) : join(homedir(), '.voicebot');
}

/**
 * Whether to write in colour: as `FORCE_COLOR` says (`0` and `false` for no), else not when `NO_COLOR` is set or the terminal is
 * a dumb one, else on terminals. Set to the empty string counts as not set.
 * @see https://no-color.org, https://force-color.org
 */
export function wantsColour({ FORCE_COLOR, NO_COLOR, TERM }: Environment, isTerminal: boolean): boolean {
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTerminal && !NO_COLOR && TERM !== DUMB;
}

/** Whether this terminal can write a line again; a dumb one cannot move its cursor. */
export const movesCursor = ({ TERM }: Environment): boolean => TERM !== DUMB;

const DUMB = 'dumb';

/** Whether a build server runs this: `CI` is set to anything but the empty string, `0` or `false`. No person is there to ask. */
export function isAutomated({ CI }: Environment): boolean {
  return Boolean(CI) && CI !== '0' && CI !== 'false';
}
