import type { IncomingMessage } from 'node:http';
import type { LogFields, Logger } from '../../base/logger.js';
import { TrustedProxies } from './trusted-proxies.js';

/** What strangers are turned away for: the words by which it is counted, and what the log says. */
export const REFUSALS = {
  bad_signature: 'webhook refused: bad signature',
  unsigned: 'webhook refused: no signature',
  bad_address: 'webhook refused: what its address says of the call is forged, expired or cut off',
  repeated: 'webhook refused: it was answered before',
  bad_stream: 'media stream refused',
  bad_phone: 'phone of a page refused',
} as const;

export type RefusalReason = keyof typeof REFUSALS;

/** After a refusal is logged, others of its kind are only counted for this long, in milliseconds. */
const QUIET_MS = 10_000;

/** Logs what was turned away at the door; a flood of it makes a line every ten seconds, not thousands. */
export class RefusalLog {
  readonly #quiet = new Map<string, { count: number; readonly since: number; readonly timer: NodeJS.Timeout }>();

  constructor(
    private readonly logger: Logger,
    private readonly proxies = new TrustedProxies(),
    private readonly onRefused: (refusal: RefusalReason) => void = () => {},
  ) {}

  /** @param request what was turned away, for the address of its client */
  refuse(refusal: RefusalReason, fields: LogFields, request: IncomingMessage): void {
    this.onRefused(refusal);
    this.warn(REFUSALS[refusal], fields, request);
  }

  /**
   * @param message one of a few fixed texts: each is counted by itself
   * @param request what was turned away, for the address of its client
   */
  warn(message: string, fields: LogFields, request?: IncomingMessage): void {
    const { callId } = fields; // what is told of a call is not counted with what is told of others
    const kind = typeof callId === 'string' ? `${message}, call ${callId}` : message;
    const quiet = this.#quiet.get(kind);
    if (quiet) {
      quiet.count += 1;
      return;
    }
    this.logger.warn(message, request ? { ...fields, client: this.proxies.clientOf(request) } : fields);
    this.#countQuietly(kind);
  }

  /** Logs at once what has only been counted. */
  close(): void {
    for (const message of [...this.#quiet.keys()]) this.#sum(message);
  }

  #countQuietly(message: string): void {
    const timer = setTimeout(() => {
      if (this.#sum(message) > 0) this.#countQuietly(message);
    }, QUIET_MS).unref();
    this.#quiet.set(message, { count: 0, since: performance.now(), timer });
  }

  /** @returns how many there were */
  #sum(message: string): number {
    const { count = 0, since = 0, timer } = this.#quiet.get(message) ?? {};
    this.#quiet.delete(message);
    clearTimeout(timer);
    const seconds = Math.max(1, Math.round((performance.now() - since) / 1_000));
    if (count > 0) this.logger.warn(`${message} (more of them)`, { count, seconds });
    return count;
  }
}
