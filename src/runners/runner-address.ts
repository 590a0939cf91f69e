import { isLoopbackHost } from '../base/http/loopback-host.js';
import { resolveConfig } from '../config/config.js';
import { stateDirectory } from '../config/environment.js';
import { integer } from '../config/settings.js';
import type { CliContext } from '../terminal/context.js';
import type { Output } from '../terminal/output.js';
import type { TypedOptions } from '../terminal/typed-options.js';
import { RunnerClient } from './runner-client.js';
import { type RunnerChoice, type RunningRunner, RunningRunners } from './running-runners.js';

/** Checks the two options that name a runner, of a command that can also ask one on another machine. */
export function checkRunnerChoice(typed: TypedOptions, options: { port?: string; server?: string }): RunnerChoice {
  const port = typed.check('--port', options.port, integer(1, 65_535));
  const server = typed.check('--server', options.server, serverUrl);
  if (options.port !== undefined && options.server !== undefined) {
    typed.refuse('--port names a runner on this machine and cannot be combined with --server');
  }
  return { port, server };
}

/**
 * Connects with the runner at `choice.server`, showing it `VOICEBOT_TOKEN`; without one with a runner of this user, which
 * has left its own token for us. A token is never shown to another server than the one it belongs to.
 * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_RUNNER_STOPPING, VB_DEADLINE_EXCEEDED, VB_CONFIG_INVALID
 */
export async function connectRunner(
  choice: RunnerChoice,
  { environment, directory }: Pick<CliContext, 'environment' | 'directory'>,
): Promise<RunnerClient> {
  if (choice.server !== undefined) {
    const { runnerToken } = await resolveConfig({ flags: {}, environment, directory });
    return new RunnerClient(choice.server, runnerToken);
  }
  const { url, token } = await new RunningRunners(stateDirectory(environment)).find({ directory, ...choice });
  return new RunnerClient(url, token);
}

/** Tells a person which of several runners is meant, and how to mean another. @param where those are, of which one could have been meant */
export const severalRunners =
  (output: Pick<Output, 'line' | 'fitted'>, where?: string): NonNullable<RunnerChoice['onSeveral']> =>
  (chosen, others) => {
    const told = ({ port, bot }: RunningRunner) => `--port ${port}${bot ? ` for ${bot}` : ''}`;
    const which = chosen.bot ? `, ${chosen.bot}` : '';
    const all = `${others.length + 1} runners ${where === undefined ? '' : `${where} `}are up`;
    const rest = `${others.length === 1 ? 'The other' : 'The others'}: ${others.map(told).join(', ')}`;
    output.line(output.fitted(`${all}: this is the one at port ${chosen.port}${which}. ${rest}`, 0));
  };

/** The token goes there, so only this machine may be asked without encryption. */
function serverUrl(raw: string): string {
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url && isSafe && url.href === url.origin + url.pathname) return url.href.replace(/\/+$/, '');
  throw new Error('must be an https address (http on this machine only), such as https://bot.example.com');
}
