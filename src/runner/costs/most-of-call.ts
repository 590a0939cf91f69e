import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Micros, microsOf } from '../../base/money.js';
import type { CallRecord } from '../../call/call-record.js';
import { SERVICE_KINDS } from '../../call/service-name.js';
import { replaceFile } from '../numbers/durable-file.js';
import { mostOfCall } from './price-usage.js';
import type { Prices } from './prices.js';

/** Calls of the bot of which the dearest minute counts. */
const MEASURED_CALLS = 50;
const MINUTE_MS = 60_000;

export interface MostOfCallOptions {
  readonly prices: Prices;
  /** Name of the carrier, or of the room provider. */
  readonly provider: string;
  /** Absolute path. */
  readonly stateDirectory: string;
  /** Whose calls are measured. */
  readonly botFile: string;
  /** The longest that one call may last, in seconds. */
  readonly maxSeconds: number;
}

/**
 * The most that a call may cost before it is dialled: the carrier's price for its greatest length, and what the services of this bot have
 * cost in the dearest of its last calls, by the minute. What was measured is on the disk, and outlives the runner.
 */
export class MostOfCall {
  readonly #path: string;
  /** Of the last calls, in each by the minute that was begun; oldest first. */
  readonly #measured: Micros[];

  constructor(private readonly options: MostOfCallOptions) {
    const { stateDirectory, botFile } = options;
    const name = createHash('sha256').update(botFile).digest('hex').slice(0, 16);
    this.#path = join(stateDirectory, 'measured-costs', `${name}.json`);
    this.#measured = read(this.#path);
  }

  /** What the services of the bot cost in a minute, at most; 0 before its first call. */
  get perMinute(): Micros {
    return Math.max(0, ...this.#measured);
  }

  /** @param number E.164 @returns undefined where the carrier has no price for it */
  of(number: string): Micros | undefined {
    const { prices, provider, maxSeconds } = this.options;
    const carried = mostOfCall(prices, { provider, number, seconds: maxSeconds });
    return carried === undefined ? undefined : carried + Math.ceil(maxSeconds / 60) * this.perMinute;
  }

  /** A call is over, and what it has cost is known. */
  see({ answeredAt, endedAt, cost }: CallRecord): void {
    if (answeredAt === undefined || endedAt === undefined || !cost) return;
    const ofServices = cost.parts.filter(({ service }) => SERVICE_KINDS.some((kind) => kind === service));
    const micros = ofServices.reduce((sum, { amount = '0' }) => sum + (microsOf(amount) ?? 0), 0);
    const minutes = Math.max(1, Math.ceil((endedAt - answeredAt) / MINUTE_MS));
    const before = this.perMinute;
    this.#measured.push(Math.ceil(micros / minutes));
    this.#measured.splice(0, this.#measured.length - MEASURED_CALLS);
    if (this.perMinute === before) return;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      replaceFile(this.#path, JSON.stringify(this.#measured));
    } catch {
      // it is measured again after the next start
    }
  }
}

/** Nothing where there is no such file, or another program has written it. */
function read(path: string): Micros[] {
  try {
    const measured: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const isAmount = (one: unknown): one is Micros => Number.isSafeInteger(one) && (one as number) >= 0;
    return Array.isArray(measured) ? measured.filter(isAmount).slice(-MEASURED_CALLS) : [];
  } catch {
    return [];
  }
}
