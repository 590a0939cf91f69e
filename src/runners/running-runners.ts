import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { timeLimit } from '../base/async/time-limit.js';
import { VoicebotError } from '../base/errors.js';
import { isLoopbackHost } from '../base/http/loopback-host.js';
import { isAlive } from '../base/process/is-alive.js';
import { isGone, type ProcessIdentity } from '../base/process/process-identity.js';
import { renameOver } from '../base/process/rename-over.js';
import type { CarrierName } from '../providers/registry/carrier-names.js';

/** What a runner tells other commands of the same user about itself. */
export interface RunningRunner extends Partial<Pick<ProcessIdentity, 'startTime' | 'host'>> {
  readonly version: 1;
  readonly pid: number;
  readonly port: number;
  /** Loopback address of its server. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Absolute path of the bot file. */
  readonly bot?: string;
  /** Absolute path of the directory that it was started in. */
  readonly directory?: string;
  /** It lets its calls end and takes no new ones. */
  readonly isStopping?: true;
  /** What its operator's addresses and `/start` ask for. */
  readonly token?: string;
  /** Present when it runs on the sandbox: the way to place a call. */
  readonly sandbox?: {
    readonly url: string;
    readonly phoneToken: string;
    readonly number: string;
    /** Opens its accounts. */
    readonly account: {
      /** The carrier that is played. Missing: the default one. */
      readonly carrier?: CarrierName;
      readonly authId: string;
      readonly authToken: string;
      /** What the played carrier's webhooks are checked with, where it signs with a key pair. */
      readonly publicKey?: string | undefined;
      readonly apiUrl: string;
      /** The room provider that is played. Missing: the default one. */
      readonly roomsProvider?: string | undefined;
      readonly roomsApiKey: string;
      readonly roomsApiUrl: string;
    };
  };
  /** Where a provider is to tell it of calls. */
  readonly webhooks?: {
    readonly transport: 'carrier' | 'rooms';
    readonly publicUrl: string;
    /** Signs the room provider's webhooks, base64. */
    readonly secret?: string;
  };
}

export interface RunnerChoice {
  port?: number | undefined;
  /** Address of a runner's server. */
  server?: string | undefined;
  /** Take one that is stopping too, when no other is there: it still tells of its calls. Default false. */
  orStopping?: boolean;
  /** Only one that calls real telephones. Default false. */
  onAccount?: boolean;
  /** Rather one on the sandbox, the only ones that are meant then. Default false. */
  ratherSandbox?: boolean;
  /** Of several, rather one that was started in this directory. Absolute path. */
  directory?: string;
  /** Told when others could have been meant too. */
  onSeveral?: (chosen: RunningRunner, others: readonly RunningRunner[]) => void;
}

/** A runner whose process is alive. `silent`: it does not answer in time. */
interface Sighting {
  readonly runner: RunningRunner;
  readonly state: 'running' | 'stopping' | 'silent';
}

const HEALTH_DEADLINE_MS = 2_000;

/**
 * The runners of this user, one file per port in `<state directory>/runners`. The files hold the tokens of the runner and of
 * the sandbox's phones, so only the user may read them.
 */
export class RunningRunners {
  readonly #directory: string;

  /** @param healthMs how long a runner may take to answer `/health`, in milliseconds. Default 2000. */
  constructor(
    stateDirectory: string,
    private readonly healthMs = HEALTH_DEADLINE_MS,
  ) {
    this.#directory = join(stateDirectory, 'runners');
  }

  /** Announces a runner. The returned function takes the announcement back, unless another runner has replaced it. */
  async announce(runner: RunningRunner): Promise<() => Promise<void>> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await chmod(this.#directory, 0o700);
    const path = this.#pathOf(runner.port);
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify(runner)}\n`, { mode: 0o600 });
    renameOver(draft, path); // a reader sees a whole file or none
    return async () => {
      if ((await this.#read(path))?.pid === runner.pid) await rm(path, { force: true });
    };
  }

  /**
   * Finds a runner that answers; when the choice leaves several, the youngest of those that were started in its directory, else of all. Files of runners that are gone are removed.
   * @throws VoicebotError VB_RUNNER_NOT_FOUND; VB_RUNNER_STOPPING, VB_DEADLINE_EXCEEDED when there is one that cannot be used
   */
  async find({
    port,
    server,
    orStopping = false,
    onAccount = false,
    ratherSandbox = false,
    directory,
    onSeveral,
  }: RunnerChoice = {}): Promise<RunningRunner> {
    const sightings = (await Promise.all((await this.#paths()).map((path) => this.#look(path)))).filter(
      (sighting) => sighting !== undefined,
    );
    const isWanted = ({ runner }: Sighting) =>
      (port === undefined || runner.port === port) &&
      (server === undefined || isAt(runner, server)) &&
      !(onAccount && runner.sandbox);
    const isNear = ({ runner }: Sighting) =>
      Number(ratherSandbox && runner.sandbox !== undefined) * 2 +
      Number(directory !== undefined && runner.directory === directory);
    const wanted = sightings
      .filter(isWanted)
      .sort((a, b) => isNear(b) - isNear(a) || b.runner.startedAt - a.runner.startedAt);
    const inState = (state: Sighting['state']) => wanted.find((sighting) => sighting.state === state)?.runner;
    const stopping = inState('stopping');
    const chosen = inState('running') ?? (orStopping ? stopping : undefined);
    if (chosen) {
      const isOther = ({ runner, state }: Sighting) =>
        state === 'running' && runner !== chosen && !(ratherSandbox && !runner.sandbox);
      const others = wanted.filter(isOther);
      if (others.length > 0)
        onSeveral?.(
          chosen,
          others.map(({ runner }) => runner),
        );
      return chosen;
    }
    if (stopping) throw isStopping(stopping);
    const silent = inState('silent');
    if (silent) throw isSilent(silent, this.healthMs);
    if (onAccount) throw noneOnAccount();
    const where = server ?? (port === undefined ? undefined : `port ${port}`);
    const running = sightings.filter(({ state }) => state === 'running');
    const others = running.map(({ runner }) => runner.url).join(', ');
    throw new VoicebotError(
      'VB_RUNNER_NOT_FOUND',
      where && `none of your runners answers at ${where}${others && ` (but at ${others})`}`,
      { hint: 'Start one in another terminal: npx voicebot run --sandbox' },
    );
  }

  /** The runner that was announced on a port, while its process is alive, whether or not it answers. */
  async onPort(port: number): Promise<RunningRunner | undefined> {
    const runner = await this.#read(this.#pathOf(port));
    return runner && hasEnded(runner) === false ? runner : undefined;
  }

  async #look(path: string): Promise<Sighting | undefined> {
    const runner = await this.#read(path);
    if (!runner || hasEnded(runner)) {
      await rm(path, { force: true });
      return undefined;
    }
    const health = await healthOf(runner, this.healthMs);
    if (health === 'none') return undefined;
    return { runner, state: health === 'silent' ? 'silent' : runner.isStopping ? 'stopping' : 'running' };
  }

  #pathOf(port: number): string {
    return join(this.#directory, `${port}.json`);
  }

  async #paths(): Promise<string[]> {
    const names = await readdir(this.#directory).catch(() => []);
    return names.filter((name) => /^\d+\.json$/.test(name)).map((name) => join(this.#directory, name));
  }

  async #read(path: string): Promise<RunningRunner | undefined> {
    try {
      const runner = JSON.parse(await readFile(path, 'utf8'));
      return runner?.version === 1 ? runner : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Undefined for one in another container, which cannot be seen from here. A file of an earlier version names the process only. */
function hasEnded({ pid, startTime, host, startedAt }: RunningRunner): boolean | undefined {
  return host === undefined ? !isAlive(pid) : isGone({ pid, startTime, host }, startedAt);
}

/** `none`: something else, or nothing, is there. */
async function healthOf({ url, token }: RunningRunner, limitMs: number): Promise<'ok' | 'silent' | 'none'> {
  // Where a trusted proxy runs on this machine, even its own requests need the token.
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    const { ok } = await fetch(`${url}/health`, { headers, signal: timeLimit(limitMs) });
    return ok ? 'ok' : 'none';
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'silent' : 'none';
  }
}

const isStopping = ({ url, pid }: RunningRunner) =>
  new VoicebotError(
    'VB_RUNNER_STOPPING',
    `the one at ${url} (process ${pid}) lets its calls end and takes no new ones`,
    {
      hint: 'See its calls: npx voicebot calls. When it has ended, start another: npx voicebot run',
    },
  );

const isSilent = ({ url, pid }: RunningRunner, limitMs: number) =>
  new VoicebotError(
    'VB_DEADLINE_EXCEEDED',
    `your runner at ${url} (process ${pid}) is alive but did not answer within ${limitMs / 1_000} s`,
    { hint: `Try again: the machine may be busy. If it stays so, stop it: kill ${pid}` },
  );

const noneOnAccount = () =>
  new VoicebotError('VB_RUNNER_NOT_FOUND', 'none of your runners is on an account', {
    hint: 'With the credentials of one in .env, start it in another terminal: npx voicebot run',
  });

const isAt = (runner: RunningRunner, server: string) => normalise(server) === normalise(runner.url);

/** All names of this machine are one. */
function normalise(address: string): string {
  const { protocol, hostname, host, port } = new URL(address);
  return `${protocol}//${isLoopbackHost(hostname) ? `127.0.0.1:${port}` : host}`;
}
