import type { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { settlesWithin } from '../../base/async/deadline.js';
import { VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { importOptionalPackage } from '../../base/optional-package.js';
import type { AttemptId } from '../../runner/campaigns/campaign.js';
import type { AttemptHandler } from '../../runner/campaigns/campaign-queue.js';
import type { RedisLink } from '../redis/redis-link.js';

/** Attempts that one runner handles at a time; how many calls it dials, its limits decide. */
const CONCURRENCY = 200;
/** Longest wait for what only tidies up, in milliseconds. */
const CLOSE_LIMIT_MS = 1_000;
const RETRY_MS = 250;
const NAME = 'campaign-attempts';

export interface AttemptJobsTiming {
  /** How long a runner may be silent until its jobs go to others, in milliseconds. Default 15000. */
  readonly lockMs: number;
}

/** Attempts on their way to a runner, one job each, in BullMQ. A job whose runner has died goes to another one. */
export class AttemptJobs {
  #queue: Queue<AttemptId> | undefined;
  #worker: Worker<AttemptId> | undefined;
  /** What BullMQ is given, and does not close. */
  readonly #connections: Redis[] = [];
  #isClosed = false;

  constructor(
    private readonly redis: RedisLink,
    private readonly logger: Logger,
    private readonly timing: Partial<AttemptJobsTiming> = {},
  ) {}

  /** @throws VoicebotError VB_CONFIG_INVALID without the package bullmq */
  async open(handle: AttemptHandler): Promise<void> {
    const { Queue, Worker } = await loadBullmq();
    const { prefix } = this.redis;
    const retryStrategy = () => (this.#isClosed ? null : RETRY_MS);
    const impatient = this.redis.duplicate({ retryStrategy, enableOfflineQueue: false, maxRetriesPerRequest: 0 });
    const patient = this.redis.duplicate({ retryStrategy, enableOfflineQueue: true, maxRetriesPerRequest: null });
    this.#connections.push(impatient, patient);
    this.#queue = new Queue<AttemptId>(NAME, { connection: impatient, prefix });
    this.#queue.on('error', () => {}); // the link says when Redis is away
    const { lockMs = 15_000 } = this.timing;
    this.#worker = new Worker<AttemptId>(NAME, async ({ data }) => handle(data), {
      connection: patient,
      prefix,
      concurrency: CONCURRENCY,
      lockDuration: lockMs,
      stalledInterval: lockMs / 2,
      maxStalledCount: Number.MAX_SAFE_INTEGER, // the runner that takes it up finds out whether it was placed
    });
    this.#worker.on('error', (error) => this.logger.debug('a worker of the campaigns has a problem', { error }));
  }

  /** While Redis is away nothing happens: it is offered again. */
  async add(attempt: AttemptId): Promise<void> {
    if (!this.redis.isUp || !this.#queue) return;
    const jobId = `${attempt.campaign}.${attempt.row}.${attempt.attempt}`;
    const options = { jobId, removeOnComplete: true, removeOnFail: true };
    await this.#queue.add('attempt', attempt, options).catch((error: unknown) => {
      this.logger.debug('an attempt of a campaign could not be offered', { error });
    });
  }

  /** Takes no more jobs; those that it has go on. */
  drain(): void {
    void this.#worker?.pause(true).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = [this.#worker?.close(true), this.#queue?.close()].map((one) => one?.catch(() => undefined));
    if (!(await settlesWithin(Promise.all(closing), CLOSE_LIMIT_MS))) {
      await settlesWithin(Promise.all([this.#worker?.disconnect(), this.#queue?.disconnect()]), CLOSE_LIMIT_MS);
    }
    for (const connection of this.#connections) connection.disconnect();
  }
}

/** @throws VoicebotError VB_CONFIG_INVALID */
export async function loadBullmq(): Promise<typeof import('bullmq')> {
  try {
    return (await importOptionalPackage('bullmq')) as typeof import('bullmq');
  } catch (cause) {
    throw new VoicebotError('VB_CONFIG_INVALID', 'campaigns of a cluster need the package bullmq', {
      hint: 'npm install ioredis bullmq',
      cause,
    });
  }
}
