import type { IncomingMessage } from 'node:http';
import type { LogFields, Logger } from '../logger.js';
import { TrustedProxies } from './trusted-proxies.js';

/** After a refusal is logged, others of its kind are only counted for this long, in milliseconds. */
const QUIET_MS = 10_000;

/** Logs what was turned away at the door; a flood of it makes a line every ten seconds, not thousands. */
export class RefusalLog {
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly logger: Logger,
    private readonly proxies = new TrustedProxies(),
  ) {}

  /**
   * @param message one of a few fixed texts: each is counted by itself
   * @param request what was turned away, for the address of its client
   */
  warn(message: string, fields: LogFields, request?: IncomingMessage): void {
    const count = this.#counts.get(message);
    if (count !== undefined) {
      this.#counts.set(message, count + 1);
      return;
    }
    this.logger.warn(message, request ? { ...fields, client: this.proxies.clientOf(request) } : fields);
    this.#countQuietly(message);
  }

  #countQuietly(message: string): void {
    this.#counts.set(message, 0);
    setTimeout(() => this.#sum(message), QUIET_MS).unref();
  }

  #sum(message: string): void {
    const count = this.#counts.get(message) ?? 0;
    this.#counts.delete(message);
    if (count === 0) return;
    this.logger.warn(`${message} (more of them)`, { count, seconds: QUIET_MS / 1_000 });
    this.#countQuietly(message);
  }
}
