import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLoopbackHost } from '../config/settings.js';
import { VoicebotError } from '../errors.js';
import { isAlive } from '../runner/is-alive.js';

/** What a runner tells other commands of the same user about itself. */
export interface RunningRunner {
  readonly version: 1;
  readonly pid: number;
  readonly port: number;
  /** Loopback address of its server. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** What its operator's addresses and `/start` ask for. */
  readonly token?: string;
  /** Present when it runs on the sandbox: the way to place a call. */
  readonly sandbox?: {
    readonly url: string;
    readonly phoneToken: string;
    readonly number: string;
    /** Opens its accounts. */
    readonly account: {
      readonly authId: string;
      readonly authToken: string;
      readonly apiUrl: string;
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
}

/** How long a runner may take to answer `/health`. */
const HEALTH_DEADLINE_MS = 2_000;

/**
 * The runners of this user, one file per port in `<state directory>/runners`. The files hold the tokens of the runner and of
 * the sandbox's phones, so only the user may read them.
 */
export class RunningRunners {
  readonly #directory: string;

  constructor(stateDirectory: string) {
    this.#directory = join(stateDirectory, 'runners');
  }

  /** Announces a runner. The returned function takes the announcement back, unless another runner has replaced it. */
  async announce(runner: RunningRunner): Promise<() => Promise<void>> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await chmod(this.#directory, 0o700);
    const path = this.#pathOf(runner.port);
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify(runner)}\n`, { mode: 0o600 });
    await rename(draft, path); // a reader sees a whole file or none
    return async () => {
      if ((await this.#read(path))?.pid === runner.pid) await rm(path, { force: true });
    };
  }

  /**
   * Finds a runner that answers; the youngest when nobody said which. Files of runners that are gone are removed.
   * @throws VoicebotError VB_RUNNER_NOT_FOUND
   */
  async find({ port, server }: RunnerChoice = {}): Promise<RunningRunner> {
    const live: RunningRunner[] = [];
    for (const path of await this.#paths()) {
      const runner = await this.#read(path);
      if (runner && (await isLive(runner))) live.push(runner);
      else if (!runner || !isAlive(runner.pid)) await rm(path, { force: true });
    }
    const chosen = live
      .filter(
        (runner) => (port === undefined || runner.port === port) && (server === undefined || isAt(runner, server)),
      )
      .sort((a, b) => b.startedAt - a.startedAt)[0];
    if (chosen) return chosen;
    const wanted = server ?? (port === undefined ? undefined : `port ${port}`);
    const others = live.map((runner) => runner.url).join(', ');
    throw new VoicebotError(
      'VB_RUNNER_NOT_FOUND',
      wanted && `nothing of yours answers at ${wanted}${others && ` (but at ${others})`}`,
      { hint: 'Start one in another terminal: npx voicebot run --sandbox' },
    );
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

async function isLive({ pid, url, token }: RunningRunner): Promise<boolean> {
  if (!isAlive(pid)) return false;
  // Where a trusted proxy runs on this machine, even its own requests need the token.
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return await fetch(`${url}/health`, { headers, signal: AbortSignal.timeout(HEALTH_DEADLINE_MS) }).then(
    (response) => response.ok,
    () => false,
  );
}

const isAt = (runner: RunningRunner, server: string) => normalise(server) === normalise(runner.url);

/** All names of this machine are one. */
function normalise(address: string): string {
  const { protocol, hostname, host, port } = new URL(address);
  return `${protocol}//${isLoopbackHost(hostname) ? `127.0.0.1:${port}` : host}`;
}
