import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '../../e2e/processes.js';

const isInstalled = spawnSync('prometheus', ['--version']).status === 0;

/** A test that needs the program: skipped, with a line that says so, where it is missing. */
export const prometheusTest = () => (isInstalled ? test : test.skip);
if (!isInstalled) process.stderr.write('SKIPPED: prometheus is not installed\n');

/** What is scraped, each second. */
export interface ScrapedRunner {
  readonly job: string;
  /** Its address, without a trailing slash. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly token?: string;
}

/** Prometheus itself, with a folder of its own. */
export class Prometheus implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'voicebot-prometheus-'));
  #program!: ChildProcess;
  #url = '';

  static async start(runners: readonly ScrapedRunner[]): Promise<Prometheus> {
    const started = new Prometheus();
    await started.#start(runners);
    return started;
  }

  private constructor() {}

  /** The values of what is asked for, by one of their labels. @throws what Prometheus finds wrong with it */
  async query(query: string, label = 'job'): Promise<Record<string, number>> {
    const response = await fetch(`${this.#url}/api/v1/query?${new URLSearchParams({ query })}`);
    const { status, error, data } = (await response.json()) as QueryAnswer;
    if (status !== 'success') throw new Error(`${query}: ${error}`);
    return Object.fromEntries(data.result.map(({ metric, value }) => [metric[label] ?? '', Number(value[1])]));
  }

  /** Asks again until the values are these. */
  async shows(query: string, expected: Record<string, number>, label?: string): Promise<void> {
    let last: Record<string, number> = {};
    const isThere = async () => {
      last = await this.query(query, label);
      return Object.entries(expected).every(([name, value]) => last[name] === value);
    };
    await until(isThere, '', 20_000).catch(() => {
      throw new Error(`${query} is not ${JSON.stringify(expected)} but ${JSON.stringify(last)}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#program, 'exit');
    this.#program.kill('SIGTERM');
    await exited;
    rmSync(this.#folder, { recursive: true });
  }

  async #start(runners: readonly ScrapedRunner[]): Promise<void> {
    const configuration = join(this.#folder, 'prometheus.json'); // JSON is YAML
    const jobs = runners.map(({ job, url, token }) => ({
      job_name: job,
      static_configs: [{ targets: [new URL(url).host] }],
      ...(token && { authorization: { credentials: token } }),
    }));
    const content = { global: { scrape_interval: '1s', scrape_timeout: '1s' }, scrape_configs: jobs };
    writeFileSync(configuration, JSON.stringify(content));
    const words = ['--web.listen-address=127.0.0.1:0', `--storage.tsdb.path=${join(this.#folder, 'data')}`];
    this.#program = spawn('prometheus', [`--config.file=${configuration}`, ...words], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const lines: string[] = [];
    const output = createInterface({ input: this.#program.stderr as NodeJS.ReadableStream });
    for await (const line of output) {
      lines.push(line);
      const [, address] = /msg="Listening on" address=(\S+)/.exec(line) ?? [];
      if (address === undefined) continue;
      this.#url = `http://${address}`;
      break;
    }
    if (this.#url === '') throw new Error(`prometheus does not start: ${lines.join('\n')}`);
    this.#program.stderr?.resume(); // what it says from now on is for nobody
    const isReady = async () => (await fetch(`${this.#url}/-/ready`)).status === 200;
    await until(isReady, 'Prometheus is ready', 20_000);
  }
}

interface QueryAnswer {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly result: ReadonlyArray<{
      readonly metric: Readonly<Record<string, string>>;
      readonly value: readonly [at: number, value: string];
    }>;
  };
}

/** What promtool has to say about metrics; empty when nothing. */
export function complaintsAbout(text: string): string {
  const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  return stdout + stderr;
}
