import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../e2e/processes.js';
import { freePort } from '../free-port.js';

/** Whether this machine has the program that {@link RedisServer} starts. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** Describes what takes a real Redis; skipped by name where there is none. */
export const describeWithRedis = (name: string, tests: () => void): void =>
  hasRedis ? describe(name, tests) : describe.skip(`${name} (needs redis-server)`, tests);

/** A Redis of the test's own, with a port and a folder of its own. */
export class RedisServer implements AsyncDisposable {
  #child: ChildProcess | undefined;
  readonly #directory = mkdtempSync(join(tmpdir(), 'voicebot-redis-'));

  /** @param options further ones of the command line, such as `--requirepass` */
  static async start(...options: readonly string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options);
    await server.start();
    return server;
  }

  private constructor(
    readonly port: number,
    private readonly options: readonly string[],
  ) {}

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it again, with what it had written down. */
  async start(): Promise<void> {
    const own = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#directory, '--save', ''];
    // What the server has written survives its end, not that of the machine: on a busy disk one fsync can take longer than a command may.
    const kept = ['--appendonly', 'yes', '--appendfsync', 'no'];
    this.#child = spawn('redis-server', [...own, ...kept, ...this.options], { stdio: 'ignore' });
    await until(() => answers(this.port), 'redis-server listens');
  }

  /** Ends it. @param keeps what it knows; default true */
  async stop({ keeps = true } = {}): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    await once(child, 'exit');
    if (keeps) return;
    rmSync(this.#directory, { recursive: true });
    mkdirSync(this.#directory);
  }

  /** It stands still, as a machine that swaps. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(String(data).startsWith('+PONG') || String(data).startsWith('-NOAUTH'));
    });
  });
}
