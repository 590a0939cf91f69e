import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../e2e/processes.js';
import { freePort } from '../free-port.js';
import { botFile } from '../runner/runner-under-test.js';
import { describeWithRedis, RedisServer } from './redis-server.js';
import { RunnerMachine } from './rig/runner-machine.js';
import { SandboxProcess } from './rig/sandbox-process.js';

/** How long the first run stands still, in seconds: longer than its lease lasts. */
const PAUSE_S = Number(process.env.TEST_PAUSE_SECONDS ?? 6);
/** What the carrier itself changes with every write. */
const TIME_STAMPS = /"(?:added_on|sub_account|api_id)":"?[^",}]*"?/g;

/** Runs on one Redis with addresses of their own, as two who know nothing of each other. */
class Runs implements AsyncDisposable {
  readonly #machines: RunnerMachine[] = [];

  private constructor(
    private readonly folder: string,
    readonly redis: RedisServer,
    readonly sandbox: SandboxProcess,
  ) {}

  static async open(): Promise<Runs> {
    const folder = mkdtempSync(join(tmpdir(), 'voicebot-fought-'));
    const sandbox = await SandboxProcess.start({ transport: 'carrier', carrier: 'plivo' });
    return new Runs(folder, await RedisServer.start(), sandbox);
  }

  /** @param address behind which it is; default: its own */
  async run(address?: string, ...more: readonly string[]): Promise<RunnerMachine> {
    const port = await freePort();
    const publicUrl = address ?? `http://127.0.0.1:${port}`;
    const args = [
      botFile('puppet.mjs'),
      '--no-record',
      '--transport',
      'carrier',
      '--dialin',
      '--public-url',
      publicUrl,
    ];
    const machine = new RunnerMachine({
      directory: join(this.folder, String(this.#machines.length)),
      port,
      token: 'token-of-the-runs-that-fight',
      args: () => [...args, '--cluster', this.redis.url, ...more],
      environment: this.sandbox.environment(),
      botEnvironment: {},
    });
    this.#machines.push(machine);
    await machine.startWithNumber();
    return machine;
  }

  /** What the carrier has of the account's numbers and applications. */
  async account(): Promise<string> {
    const { credentials } = this.sandbox.account;
    const { authId, authToken, apiUrl } = credentials as { authId: string; authToken: string; apiUrl: string };
    const authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
    const texts = ['Number/', 'Application/'].map(async (path) => {
      const response = await fetch(`${apiUrl}/Account/${authId}/${path}`, { headers: { authorization } });
      return response.text();
    });
    return (await Promise.all(texts)).join('\n').replaceAll(TIME_STAMPS, '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const machine of this.#machines) machine.resume();
    await Promise.all(this.#machines.map((machine) => machine[Symbol.asyncDispose]()));
    await this.redis[Symbol.asyncDispose]();
    await this.sandbox[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describeWithRedis('two runs of one number', () => {
  test('the second is refused while the first one lives, and both leave the account as it was', async () => {
    await using runs = await Runs.open();
    const before = await runs.account();
    const first = await runs.run();
    await expect(runs.run()).rejects.toThrow('VB_CLUSTER_UNSUITABLE'); // their public addresses differ
    expect(await runs.account()).toContain(`${first.url}/answer`);
    await first.drain();
    expect(await runs.account()).toBe(before);
  }, 60_000);

  test(
    'a run that stands still loses the number to another, changes nothing when it wakes, and the account is as it was in the end',
    async () => {
      await using runs = await Runs.open();
      const before = await runs.account();
      const first = await runs.run();
      first.pause();
      await delay(PAUSE_S * 1_000);
      const second = await runs.run();
      expect(await runs.account()).toContain(`${second.url}/answer`);
      first.resume();
      for (let look = 0; look < 20; look += 1) {
        await delay(100);
        expect(await runs.account()).not.toContain(`${first.url}/answer`);
      }
      await first.drain();
      expect(await runs.account()).toContain(`${second.url}/answer`);
      await second.drain();
      expect(await runs.account()).toBe(before);
    },
    60_000 + PAUSE_S * 2_000,
  );

  test('runs behind one address hold it together: the last one gives it back', async () => {
    await using runs = await Runs.open();
    const before = await runs.account();
    const first = await runs.run();
    const second = await runs.run(first.url);
    await first.die();
    await until(async () => (await second.ask('GET', '/ready')).status === 200, 'the other one is there');
    expect(await runs.account()).toContain(`${first.url}/answer`);
    await delay(2_000); // the lease of the dead one runs out
    await second.drain();
    expect(await runs.account()).toBe(before);
  }, 60_000);
});
