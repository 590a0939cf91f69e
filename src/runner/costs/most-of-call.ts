import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Micros } from '../../base/money.js';
import { localDay } from '../../base/process/local-day.js';
import { microsOfCost } from '../../call/call-cost.js';
import type { CallRecord } from '../../call/call-record.js';
import { SERVICE_KINDS } from '../../call/service-name.js';
import { replaceFile } from '../numbers/durable-file.js';
import { mostOfCall } from './price-usage.js';
import type { Prices } from './prices.js';

const MINUTE_MS = 60_000;

/** What the services of a bot have cost in the calls of one day that are over. */
interface Measured {
  /** `2026-01-31`, by the clock of this machine. */
  readonly day: string;
  readonly micros: Micros;
  /** Those that were begun, each call for itself. */
  readonly minutes: number;
}

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
  /** Wall clock of this machine. Default: the system's. */
  readonly now?: (() => Date) | undefined;
}

/**
 * The most that a call may cost before it is dialled: the carrier's price for its greatest length, and for so many minutes what the
 * services of this bot have cost in a minute, on average over its calls of today, or of the last day before the first of these is over.
 * What was measured is on the disk, and outlives the runner.
 */
export class MostOfCall {
  readonly #path: string;
  #measured: Measured | undefined;

  constructor(private readonly options: MostOfCallOptions) {
    const { stateDirectory, botFile } = options;
    const name = createHash('sha256').update(botFile).digest('hex').slice(0, 16);
    this.#path = join(stateDirectory, 'measured-costs', `${name}.json`);
    this.#measured = read(this.#path);
  }

  /** @param number E.164 @returns undefined where the carrier has no price for it */
  carried(number: string): Micros | undefined {
    const { prices, provider, maxSeconds } = this.options;
    return mostOfCall(prices, { provider, number, seconds: maxSeconds });
  }

  /** Of the bot; 0 before its first call. */
  get ofServices(): Micros {
    const { micros, minutes } = this.#measured ?? { micros: 0, minutes: 1 };
    return Math.ceil((Math.ceil(this.options.maxSeconds / 60) * micros) / minutes);
  }

  /** A call is over, and what it has cost is known. */
  see({ answeredAt, endedAt, cost }: CallRecord): void {
    if (answeredAt === undefined || endedAt === undefined || !cost) return;
    const { now = () => new Date() } = this.options;
    const day = localDay(now());
    const before = this.#measured?.day === day ? this.#measured : { micros: 0, minutes: 0 };
    const ofServices = cost.parts.filter(({ service }) => SERVICE_KINDS.some((kind) => kind === service));
    const micros = ofServices.reduce((sum, { amount = '0' }) => sum + microsOfCost({ amount }), before.micros);
    const minutes = before.minutes + Math.max(1, Math.ceil((endedAt - answeredAt) / MINUTE_MS));
    this.#measured = { day, micros, minutes };
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      replaceFile(this.#path, JSON.stringify(this.#measured));
    } catch {
      // it is measured again after the next start
    }
  }
}

const MEASURED: z.ZodType<Measured> = z.object({ day: z.string(), micros: z.int().min(0), minutes: z.int().min(1) });

/** Nothing where there is no such file, or it is damaged. */
function read(path: string): Measured | undefined {
  try {
    return MEASURED.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
