import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisServer } from '../../cluster/redis-server.js';
import { FakePhones } from './fake-phones.js';
import { openRunner, type RunnerOfCampaigns } from './runner-of-campaigns.js';

export type QueueKind = 'files' | 'redis';

/** Where the runners of a test keep their campaigns. */
export class CampaignRig implements AsyncDisposable {
  readonly stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-campaigns-'));
  readonly #dead = new Set<string>();
  readonly #open: RunnerOfCampaigns[] = [];

  static async start(kind: QueueKind): Promise<CampaignRig> {
    return new CampaignRig(kind === 'redis' ? await RedisServer.start() : undefined);
  }

  private constructor(readonly redis: RedisServer | undefined) {}

  /** @param stateDirectory runners of a cluster are on machines of their own */
  async runner(phones = new FakePhones(), stateDirectory = this.stateDirectory): Promise<RunnerOfCampaigns> {
    const runner = await openRunner(phones, stateDirectory, this.redis?.url, randomUUID(), this.#dead);
    this.#open.push(runner);
    return runner;
  }

  /** A machine of its own, for a further runner of a cluster. */
  machine(): string {
    return mkdtempSync(join(this.stateDirectory, 'machine-'));
  }

  /** The cluster has learnt that a runner has died. */
  bury(runnerId: string): void {
    this.#dead.add(runnerId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const runner of this.#open) await runner.stop();
    await this.redis?.[Symbol.asyncDispose]();
    rmSync(this.stateDirectory, { recursive: true, force: true });
  }
}
