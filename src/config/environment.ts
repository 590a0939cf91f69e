import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of this process as it is now. Nothing but `config/` and
 * `carriers/api-url.ts`, `rooms/api-url.ts` and `call/operator-number.ts`, for code that a bot file writes itself, reads `process.env`.
 */
export const processEnvironment = (): Environment => ({ ...process.env });

/** Where voicebot keeps what must survive a process: `VOICEBOT_HOME`, or `.voicebot` in the home directory. */
export function stateDirectory(environment: Environment): string {
  return environment.VOICEBOT_HOME ? resolve(environment.VOICEBOT_HOME) : join(homedir(), '.voicebot');
}

/** False when `NO_COLOR` is set to anything but the empty string. @see https://no-color.org */
export function allowsColour(environment: Environment): boolean {
  return !environment.NO_COLOR;
}

/** Whether a build server runs this: `CI` is set to anything but the empty string, `0` or `false`. Nobody is there to ask. */
export function isAutomated({ CI }: Environment): boolean {
  return Boolean(CI) && CI !== '0' && CI !== 'false';
}

/** What any program needs to work; everything else is handed to a child over a private channel, if at all. */
const BASIC_VARIABLES = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'TEMP', 'SystemRoot'];

/** The environment to start a child process with: nothing in it that other processes may not see. */
export function basicEnvironment(environment: Environment): Record<string, string> {
  return Object.fromEntries(BASIC_VARIABLES.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}
