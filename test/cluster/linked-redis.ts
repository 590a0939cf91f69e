import { silentLogger } from '../../src/base/logger.js';
import { RedisLink } from '../../src/cluster/redis/redis-link.js';
import { until } from '../e2e/processes.js';
import { RedisServer } from './redis-server.js';

/** A Redis of the test's own, and links to it as runners have them. */
export class LinkedRedis implements AsyncDisposable {
  readonly links: RedisLink[] = [];
  readonly #onClose: Array<() => unknown> = [];

  /** @param options further ones of the command line, such as `--requirepass` */
  static async start(...options: readonly string[]): Promise<LinkedRedis> {
    return new LinkedRedis(await RedisServer.start(...options));
  }

  private constructor(readonly server: RedisServer) {}

  async link(): Promise<RedisLink> {
    const link = await RedisLink.connect({ url: this.server.url, name: 'test', logger: silentLogger });
    this.links.push(link);
    return link;
  }

  /** What is to be closed before the links are. */
  onClose(close: () => unknown): void {
    this.#onClose.push(close);
  }

  /** Redis restarts. @param keeps what it knows; default true */
  async restart({ keeps = true } = {}): Promise<void> {
    await this.stop({ keeps });
    await this.start();
  }

  async stop({ keeps = true } = {}): Promise<void> {
    await this.server.stop({ keeps });
    await until(() => this.links.every(({ isUp }) => !isUp), 'the links know that Redis is away');
  }

  async start(): Promise<void> {
    await this.server.start();
    await until(() => this.links.every(({ isUp }) => isUp), 'the links know that Redis is back');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#onClose) await close();
    for (const link of this.links) link.close();
    await this.server[Symbol.asyncDispose]();
  }
}
