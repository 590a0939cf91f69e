import { EventEmitter } from 'node:events';
import type { Redis, RedisOptions } from 'ioredis';
import { VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { importOptionalPackage } from '../../base/optional-package.js';

/** Longest wait for the answer to one command, in milliseconds. */
const COMMAND_LIMIT_MS = 1_000;
/** Where a command fails this long after it was sent, this process has stood still: its answer may be there, unread. In milliseconds. */
const STANDSTILL_MS = COMMAND_LIMIT_MS + 250;
/** Longest wait for a connection, in milliseconds. */
const CONNECT_LIMIT_MS = 3_000;
/** Pause between two tries to connect again, and between two questions to a server that did not answer, in milliseconds. */
const RETRY_MS = 250;

/** The text of a Lua script, which Redis carries out as a whole: nothing else happens meanwhile. */
export type RedisScript = string;

export interface RedisLinkEvents {
  /** Redis can be asked, for the first time or again. What it knew may be gone. */
  up: [];
  /** It cannot be asked. @param reason for people */
  down: [reason: string];
}

export interface RedisLinkOptions {
  /** `redis://` or `rediss://` (TLS), with user, password and database where there are any. */
  readonly url: string;
  /** What tells this cluster apart from others in the same Redis: letters, digits, `-` and `_`. */
  readonly name: string;
  readonly logger: Logger;
}

/**
 * The connection of one runner to the Redis of its cluster. Nothing waits for a Redis that is away: every command fails within
 * {@link COMMAND_LIMIT_MS}, and at once while it is known to be away.
 */
export class RedisLink extends EventEmitter<RedisLinkEvents> {
  /** The client's command for each script, by its text: scripts have no names that two of them could share. */
  readonly #commands = new Map<RedisScript, string>();
  #isUp = true;
  #isClosed = false;
  #probe: NodeJS.Timeout | undefined;

  /**
   * @throws VoicebotError VB_CONFIG_INVALID without the package ioredis, VB_CLUSTER_UNREACHABLE when no Redis answers or it refuses
   *   the password
   */
  static async connect(options: RedisLinkOptions): Promise<RedisLink> {
    const { Redis } = await loadClient();
    const redis = new Redis(options.url, {
      lazyConnect: true,
      connectTimeout: CONNECT_LIMIT_MS,
      commandTimeout: COMMAND_LIMIT_MS,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => RETRY_MS,
    });
    let problem: Error | undefined;
    redis.on('error', (error: Error) => {
      problem ??= error;
    });
    try {
      await redis.connect();
      await redis.ping();
    } catch (error) {
      redis.disconnect();
      throw unreachable(options.url, problem ?? (error as Error));
    }
    return new RedisLink(redis, options);
  }

  private constructor(
    private readonly redis: Redis,
    private readonly options: RedisLinkOptions,
  ) {
    super();
    this.setMaxListeners(0); // each thing that the runners share writes itself again when Redis is back
    redis.on('ready', () => this.#wentUp());
    redis.on('close', () => this.#wentDown('its connection is closed'));
  }

  /** Whether it could be asked a moment ago. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Where it is, for messages: without the password. */
  get address(): string {
    return addressOf(this.options.url);
  }

  /** What keys of this cluster begin with; in braces, so that all of them are on one node of a Redis Cluster. */
  get prefix(): string {
    return `{voicebot:${this.options.name}}`;
  }

  /** A key of this cluster. */
  key(...parts: readonly string[]): string {
    return [this.prefix, ...parts].join(':');
  }

  /**
   * Asks Redis.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  async run<T>(ask: (redis: Redis) => Promise<T>): Promise<T> {
    if (!this.#isUp || this.#isClosed) throw this.#away();
    const askedAt = performance.now();
    try {
      return await ask(this.redis);
    } catch (error) {
      if (isAnswer(error)) throw error;
      if (isTimeout(error) && performance.now() - askedAt < STANDSTILL_MS) this.#stalled();
      throw this.#away(error);
    }
  }

  /**
   * Has Redis carry out a script, with the whole names of its keys.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  script(script: RedisScript, keys: readonly string[], args: ReadonlyArray<string | number> = []): Promise<unknown> {
    const name = this.#commandOf(script);
    type Command = (count: number, ...rest: ReadonlyArray<string | number>) => Promise<unknown>;
    return this.run(
      (redis) =>
        (redis as unknown as Record<string, Command>)[name]?.call(
          redis,
          keys.length,
          ...keys,
          ...args,
        ) as Promise<unknown>,
    );
  }

  #commandOf(script: RedisScript): string {
    const known = this.#commands.get(script);
    if (known !== undefined) return known;
    const name = `voicebotScript${this.#commands.size + 1}`;
    this.redis.defineCommand(name, { lua: script });
    this.#commands.set(script, name);
    return name;
  }

  /**
   * A further connection to the same Redis, for a library that wants one. The code that asks for it closes it.
   * @param options where it differs; a connection that waits for something has no limit for its commands
   */
  duplicate(options: RedisOptions): Redis {
    return quietly(this.redis, { commandTimeout: undefined as unknown as number, lazyConnect: false, ...options });
  }

  /** Lets go of the connection. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#probe);
    this.removeAllListeners();
    this.redis.disconnect();
  }

  /** It is connected and does not answer: it is asked until it does. */
  #stalled(): void {
    this.#wentDown('it does not answer');
    clearTimeout(this.#probe);
    if (this.#isClosed) return;
    this.#probe = setTimeout(() => {
      if (this.redis.status !== 'ready') return; // the client connects again by itself
      this.redis.ping().then(
        () => this.#wentUp(),
        () => this.#stalled(),
      );
    }, RETRY_MS).unref();
  }

  #wentUp(): void {
    if (this.#isUp || this.#isClosed) return;
    this.#isUp = true;
    this.options.logger.warn('the Redis of the cluster is back', { redis: this.address });
    this.emit('up');
  }

  #wentDown(reason: string): void {
    if (!this.#isUp || this.#isClosed) return;
    this.#isUp = false;
    this.options.logger.warn('the Redis of the cluster is away: calls go on, and no new call is dialled', {
      redis: this.address,
      reason,
    });
    this.emit('down', reason);
  }

  #away(cause?: unknown): VoicebotError {
    return new VoicebotError('VB_CLUSTER_UNREACHABLE', this.address, {
      hint: 'try again when it is back; the runner connects by itself',
      cause,
    });
  }
}

/** Errors show as commands that fail, or as the link being down; also those of the connections that a library makes of this one. */
function quietly(of: Redis, options?: RedisOptions): Redis {
  const other = of.duplicate(options);
  other.on('error', () => {});
  const duplicate = other.duplicate.bind(other);
  other.duplicate = (override) => {
    const further = duplicate(override);
    further.on('error', () => {});
    return further;
  };
  return other;
}

async function loadClient(): Promise<typeof import('ioredis')> {
  try {
    return (await importOptionalPackage('ioredis')) as typeof import('ioredis');
  } catch (cause) {
    throw new VoicebotError('VB_CONFIG_INVALID', 'a cluster needs the package ioredis', {
      hint: 'npm install ioredis bullmq',
      cause,
    });
  }
}

/** Redis has answered, and refuses: not the connection is the matter. */
const isAnswer = (error: unknown) => error instanceof Error && error.name === 'ReplyError';
const isTimeout = (error: unknown) => error instanceof Error && error.message === 'Command timed out';

/** Host and port, without anything secret. */
function addressOf(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

function unreachable(url: string, { message }: Error): VoicebotError {
  const isRefused = /WRONGPASS|NOAUTH|invalid password/i.test(message);
  const hint = isRefused
    ? 'give its user and password in the setting VOICEBOT_CLUSTER of the environment, not on the command line: redis://user:password@host:6379'
    : 'is it running, and does it speak TLS? redis:// is without, rediss:// with it';
  const why = isRefused ? 'it refuses the password' : message;
  return new VoicebotError('VB_CLUSTER_UNREACHABLE', `${addressOf(url)}: ${why}`, { hint });
}
