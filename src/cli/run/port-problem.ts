import { once } from 'node:events';
import { createServer } from 'node:net';
import { MAX_OTHER_PORTS } from '../../assembly/create-runner.js';
import { VoicebotError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import { type RunningRunner, RunningRunners } from '../../runners/running-runners.js';

/**
 * Ports above 1023 that the Fetch standard blocks: no browser and no HTTP client opens a page there, our own commands
 * among them.
 */
const BLOCKED_PORTS: readonly number[] = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
];

/**
 * What keeps a server from listening where the configuration says: VB_PORT_IN_USE, which says whose the port is and names
 * the next free one, or VB_CONFIG_INVALID.
 * @param home the state directory
 * @returns undefined when the port is free
 */
export async function portProblem(
  { host, port }: Pick<Config, 'host' | 'port'>,
  home: string,
): Promise<VoicebotError | undefined> {
  const cause = await listenFailure(host, port);
  const fails = (detail: string, hint: string) => new VoicebotError('VB_CONFIG_INVALID', detail, { hint, cause });
  if (BLOCKED_PORTS.includes(port)) {
    return fails(`browsers and HTTP clients do not connect to port ${port}`, 'Choose another: --port 7860');
  }
  if (!cause) return undefined;
  switch (cause.code) {
    case 'EADDRINUSE':
      return await portInUse(host, port, home, cause);
    case 'EACCES':
      return fails(
        `${host}:${port} is a port that only an administrator may use`,
        'Choose one above 1023: --port 7860',
      );
    case 'EADDRNOTAVAIL':
      return fails(
        `${host}:${port}: this machine does not have that address`,
        'Leave VOICEBOT_HOST out, or set it to 0.0.0.0',
      );
    default:
      return fails(`${host}:${port}: ${cause.message}`, 'Choose another host or port: --host 127.0.0.1 --port 7861');
  }
}

/**
 * From which port on the server of a run looks for a free one: where the configuration says; or at the next free port, where it names none
 * and its default is taken. A port that something else leads to, a proxy or a person, is never replaced.
 * @param home the state directory
 * @throws VoicebotError VB_PORT_IN_USE, VB_CONFIG_INVALID
 */
export async function choosePort(
  config: Pick<Config, 'host' | 'port' | 'isPortNamed' | 'publicUrl'>,
  home: string,
): Promise<number> {
  const { host, port, isPortNamed, publicUrl } = config;
  const problem = await portProblem(config, home);
  if (!problem) return port;
  const next =
    problem.code === 'VB_PORT_IN_USE' && !isPortNamed && !publicUrl ? await nextFreePort(host, port) : undefined;
  if (next === undefined) throw problem;
  return next;
}

/** For people, where a run listens at another port than it was to: whose that is. */
export async function portNote(wanted: number, taken: number, home: string): Promise<string | undefined> {
  if (taken === wanted || wanted === 0) return undefined;
  return `Port ${wanted} is used by ${whoseIs(await new RunningRunners(home).onPort(wanted))}: this run takes ${taken}.`;
}

/** For people. @param runner what of this user listens at a port */
function whoseIs(runner: RunningRunner | undefined): string {
  if (!runner) return 'another program';
  return `your own runner (${[`process ${runner.pid}`, ...(runner.bot ? [runner.bot] : [])].join(', ')})`;
}

async function portInUse(host: string, port: number, home: string, cause: Error): Promise<VoicebotError> {
  const [runner, free] = await Promise.all([new RunningRunners(home).onPort(port), nextFreePort(host, port)]);
  const stop = runner ? `Stop it with: kill ${runner.pid}` : 'Stop that program';
  const other = free === undefined ? '--port 0 for any free one' : `the next free one: --port ${free}`;
  return new VoicebotError('VB_PORT_IN_USE', `${host}:${port} is used by ${whoseIs(runner)}`, {
    hint: `${stop}, or use ${other}`,
    cause,
  });
}

async function nextFreePort(host: string, port: number): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(port + MAX_OTHER_PORTS, 65_535); next += 1) {
    if (!BLOCKED_PORTS.includes(next) && !(await listenFailure(host, next))) return next;
  }
  return undefined;
}

async function listenFailure(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  } finally {
    server.close();
  }
}
