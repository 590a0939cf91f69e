import { timeLimit } from '../../base/async/time-limit.js';
import { isLoopbackHost } from '../../base/http/loopback-host.js';
import type { Logger } from '../../base/logger.js';
import type { DialinSecret } from '../../providers/rooms/room-provider.js';

/** How long after a reading the account is not read again, in milliseconds: strangers cause readings. */
const READ_EVERY_MS = 5_000;
/** How long a reading may take, in milliseconds: the provider waits for an answer meanwhile. */
const READ_LIMIT_MS = 3_000;

export interface DialinSecretsOptions {
  /** The runner's own, base64. */
  readonly own: string;
  /** What the account says of its numbers. */
  readonly read: (signal: AbortSignal) => Promise<readonly DialinSecret[]>;
  /** Every address of the webhook that the provider may have been given. */
  readonly addresses: () => readonly string[];
  readonly logger: Logger;
}

/**
 * The secrets that sign the webhooks which come here: the runner's own, and those of the account's numbers whose webhook is the
 * runner's. A person who sets a number by hand gets a new secret from the provider; the account's key shows it to the runner.
 * @see rooms reference 3.1
 */
export class DialinSecrets {
  readonly #known: Set<string>;
  #reading: Promise<void> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: DialinSecretsOptions) {
    this.#known = new Set([options.own]);
  }

  /** Whether one of them has signed a webhook. Where none has, the account is asked whether there is a new one, at most every 5 s. */
  async haveSigned(verify: (secret: string) => boolean): Promise<boolean> {
    if (this.#isOneOf(verify)) return true;
    await this.#readAgain();
    return this.#isOneOf(verify);
  }

  /** All are tried: which of them it is takes no time of its own. */
  #isOneOf(verify: (secret: string) => boolean): boolean {
    return [...this.#known].map(verify).includes(true);
  }

  #readAgain(): Promise<void> {
    const now = performance.now();
    if (!this.#reading && now - this.#readAt < READ_EVERY_MS) return Promise.resolve();
    this.#readAt = this.#reading ? this.#readAt : now;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { own, read, addresses, logger } = this.options;
    try {
      const found = await read(timeLimit(READ_LIMIT_MS));
      const here = new Set(addresses().map(comparable));
      const present = found.filter(({ webhookUrl }) => here.has(comparable(webhookUrl))).map(({ secret }) => secret);
      const isNew = present.some((secret) => !this.#known.has(secret));
      this.#known.clear();
      for (const secret of [own, ...present]) this.#known.add(secret);
      if (isNew)
        logger.warn('the dial-in configuration of a number was changed: the runner takes the new hmac too', {});
    } catch (error) {
      logger.debug('the dial-in configurations of the account could not be read', { error });
    }
  }
}

/** Two addresses of this machine by itself are the same, whatever they call it; so is one with a slash at its end. */
function comparable(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  const host = isLoopbackHost(url.hostname) ? `loopback:${url.port}` : url.host;
  return `${url.protocol}//${host}${url.pathname.replace(/\/$/, '')}`;
}
