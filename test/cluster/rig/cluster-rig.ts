import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { CarrierName } from '../../../src/providers/registry/carrier-names.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { freePort } from '../../free-port.js';
import { RedisServer } from '../redis-server.js';
import { Balancer } from './balancer.js';
import { RunnerMachine } from './runner-machine.js';
import { SandboxProcess } from './sandbox-process.js';
import { TONES_HZ } from './tones.js';

const TONE_BOT = 'test/cluster/rig/tone-bot.mjs';

export interface RigOptions {
  /** 1 to 5. Default 3. */
  readonly runners?: number;
  /** Whether they know of each other, through Redis. Default: where there are several. */
  readonly isCluster?: boolean;
  readonly transport?: 'carrier' | 'rooms';
  /** What the runners serve. Default: a bot that holds a tone. */
  readonly botFile?: string;
  /** Which carrier the sandbox plays. Default `plivo`. */
  readonly carrier?: CarrierName;
  /** Default 20. */
  readonly callsPerProcess?: number;
  /** Default 30. */
  readonly drainSeconds?: number;
  /** Settings of the runners, as environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The address by which the runners reach the API of their provider. Default: its own. */
  readonly apiVia?: (apiUrl: string) => Promise<string>;
  /** Root of a compiled clone of another version, with a slash at its end, which the runners begin with. Default: this one. */
  readonly root?: string;
  /** What bots find in their environment, besides the tone of their runner. */
  readonly botEnvironment?: Readonly<Record<string, string>>;
}

/**
 * A cluster as an operator has it, on this machine: runners that are real processes, HAProxy in front of them, Redis behind them, and
 * the sandbox as the phone network.
 */
export class ClusterRig implements AsyncDisposable {
  /** Resolves when every runner is ready and the calls to {@link SandboxProcess.number} reach them. */
  static async start(options: RigOptions = {}): Promise<ClusterRig> {
    const rig = new ClusterRig();
    try {
      await rig.#start(options);
      return rig;
    } catch (error) {
      await rig[Symbol.asyncDispose]();
      throw error;
    }
  }

  readonly #directory = mkdtempSync(join(tmpdir(), 'voicebot-cluster-'));
  readonly #machines: RunnerMachine[] = [];
  /** In the order in which they were started. */
  readonly #parts: AsyncDisposable[] = [];
  #botFile = join(PACKAGE_ROOT, TONE_BOT);
  sandbox!: SandboxProcess;
  balancer!: Balancer;
  /** Undefined where the runners do not know of each other. */
  redis: RedisServer | undefined;
  /** Opens the operator's addresses of every runner. */
  readonly token = randomBytes(16).toString('hex');

  private constructor() {}

  get machines(): readonly RunnerMachine[] {
    return this.#machines;
  }

  /** A runner of the cluster, by its place. */
  machine(index: number): RunnerMachine {
    const machine = this.machines[index];
    if (!machine) throw new Error(`there is no runner ${index}`);
    return machine;
  }

  /** Restarts the runners one after the other, each when its calls are over or its time to drain is. */
  async restartEach(): Promise<void> {
    for (const machine of this.machines) {
      await machine.drain();
      await machine.start();
      await this.balancer.knowsUp(this.machines.length);
    }
  }

  /** Stops everything, callers excepted. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#machines.map((machine) => machine[Symbol.asyncDispose]()));
    for (const part of this.#parts.splice(0).reverse()) await part[Symbol.asyncDispose]();
    rmSync(this.#directory, { recursive: true, force: true });
    removeStrays(this.#botFile);
  }

  async #start(options: RigOptions): Promise<void> {
    const { runners = 3, isCluster = runners > 1, transport = 'carrier', carrier = 'plivo' } = options;
    this.#botFile = options.botFile ?? join(PACKAGE_ROOT, TONE_BOT);
    if (isCluster) this.redis = this.#keep(await RedisServer.start());
    this.sandbox = this.#keep(await SandboxProcess.start({ transport, carrier }));
    const account = this.sandbox.environment(await options.apiVia?.(this.sandbox.apiUrl));
    const ports: number[] = [];
    while (ports.length < runners) ports.push(await freePort());
    this.balancer = this.#keep(await Balancer.start(this.#directory, ports, this.token));
    for (const [index, port] of ports.entries()) {
      const { botEnvironment } = options;
      const machine = new RunnerMachine({
        directory: join(this.#directory, `runner${index}`),
        port,
        token: this.token,
        args: (root) => argumentsOf(options, root, this.balancer.url, this.redis && { redisUrl: this.redis.url, port }),
        ...(options.root !== undefined && { root: options.root }),
        environment: { ...account, VOICEBOT_TRUSTED_PROXIES: '127.0.0.1', ...options.environment },
        botEnvironment: { TONE_HZ: String(TONES_HZ[index]), ...botEnvironment },
      });
      this.#machines.push(machine);
    }
    await Promise.all(this.#machines.map((machine) => machine.start()));
    await this.balancer.knowsUp(runners);
    await this.sandbox.pointNumberAt(this.balancer.url);
  }

  #keep<Part extends AsyncDisposable>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }
}

/** What bots that were killed while they were loaded have left beside their file. */
function removeStrays(botFile: string): void {
  const folder = dirname(botFile);
  const left = readdirSync(folder).filter((name) => name.startsWith(`.${basename(botFile)}.`));
  for (const name of left) rmSync(join(folder, name), { force: true });
}

function argumentsOf(
  { botFile, transport = 'carrier', callsPerProcess = 20, drainSeconds = 30 }: RigOptions,
  root: string,
  publicUrl: string,
  cluster: { redisUrl: string; port: number } | undefined,
): string[] {
  const counts = { 'calls-per-process': callsPerProcess, 'drain-seconds': drainSeconds };
  return [
    botFile ?? join(root, TONE_BOT), // which loads the voicebot of its clone
    '--no-record',
    ...Object.entries({ transport, 'public-url': publicUrl, ...counts }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ]),
    ...(cluster ? ['--cluster', cluster.redisUrl, '--advertise', `ws://127.0.0.1:${cluster.port}`] : []),
  ];
}
