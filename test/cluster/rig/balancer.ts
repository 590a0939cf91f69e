import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../../e2e/processes.js';
import { freePort } from '../../free-port.js';

/** Debian installs it where only root looks for programs. */
const PATH = `${process.env.PATH}:/usr/sbin`;

/** Whether this machine has the program that {@link Balancer} starts. */
export const hasBalancer = spawnSync('haproxy', ['-v'], { env: { PATH } }).status === 0;

/** What the balancer knows of a runner. */
export interface BalancerCount {
  readonly name: string;
  /** Requests and sockets it has passed on to it. */
  readonly requests: number;
  /** Whether it sends it new ones. */
  readonly isUp: boolean;
}

/** HAProxy in front of runners: each new request and socket goes to the next of those that are ready. */
export class Balancer implements AsyncDisposable {
  #child: ChildProcess | undefined;

  /**
   * @param directory where it may write; belongs to whoever starts it
   * @param token of the runners, which `/ready` asks from a proxy
   */
  static async start(directory: string, ports: readonly number[], token: string): Promise<Balancer> {
    const balancer = new Balancer(await freePort(), join(directory, 'haproxy.sock'));
    const file = join(directory, 'haproxy.cfg');
    writeFileSync(file, configuration(balancer.port, balancer.socketPath, ports, token), { mode: 0o600 });
    const child = spawn('haproxy', ['-db', '-f', file], { env: { PATH }, stdio: ['ignore', 'ignore', 'pipe'] });
    balancer.#child = child;
    const said = text(child.stderr);
    const ended = once(child, 'exit').then(async () => {
      throw new Error(`haproxy has ended: ${await said}`);
    });
    ended.catch(() => {}); // afterwards it ends because it is told to
    await Promise.race([until(() => balancer.#answers(), 'haproxy listens'), ended]);
    return balancer;
  }

  private constructor(
    readonly port: number,
    private readonly socketPath: string,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async counts(): Promise<BalancerCount[]> {
    const lines = (await this.#ask('show stat')).trim().split('\n');
    const names = (lines[0] ?? '').replace(/^# /, '').split(',');
    const rows = lines.slice(1).map((line) => {
      const cells = line.split(',');
      return (name: string) => cells[names.indexOf(name)] ?? '';
    });
    return rows
      .filter((cell) => cell('pxname') === 'runners' && cell('svname').startsWith('runner'))
      .map((cell) => ({
        name: cell('svname'),
        requests: Number(cell('stot')),
        isUp: cell('status').startsWith('UP'),
      }));
  }

  /** Resolves when it sends requests to exactly so many runners. */
  async knowsUp(runners: number): Promise<void> {
    const count = async () => (await this.counts()).filter(({ isUp }) => isUp).length;
    await until(async () => (await count()) === runners, `the balancer knows ${runners} runners`, 20_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }

  async #answers(): Promise<boolean> {
    return this.#ask('show info').then(
      (answer) => answer.includes('Uptime'),
      () => false,
    );
  }

  async #ask(command: string): Promise<string> {
    const socket = connect(this.socketPath);
    socket.write(`${command}\n`);
    return text(socket);
  }
}

/**
 * A request that a runner has not begun to answer when it dies goes to another one: runners answer a repeated webhook of a carrier
 * like the first. A runner that is not ready keeps the streams it has.
 */
function configuration(port: number, socketPath: string, ports: readonly number[], token: string): string {
  const servers = ports.map((runnerPort, index) => `  server runner${index} 127.0.0.1:${runnerPort} check`);
  return `global
  maxconn 4000
  stats socket ${socketPath} mode 600 level operator

defaults
  mode http
  timeout connect 1s
  timeout client 65s
  timeout server 65s
  timeout queue 5s
  timeout check 2s
  timeout tunnel 4h
  retries 3
  option redispatch 1
  retry-on conn-failure empty-response
  option forwardfor

frontend callers
  bind 127.0.0.1:${port}
  default_backend runners

backend runners
  balance roundrobin
  option httpchk
  http-check send meth GET uri /ready ver HTTP/1.1 hdr Host 127.0.0.1 hdr Authorization "Bearer ${token}"
  http-check expect status 200
  default-server inter 500ms fall 3 rise 1
${servers.join('\n')}
`;
}
