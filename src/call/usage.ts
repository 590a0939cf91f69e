import type { ServiceKind, ServiceModel } from './service-name.js';

/**
 * What services are paid by. Input tokens are those of text that no cache had; `second`: of sound that was heard or made, or of a
 * session.
 */
export const SERVICE_UNITS = [
  'input_token',
  'cached_input_token',
  'cache_write_token',
  'output_token',
  'input_audio_token',
  'cached_input_audio_token',
  'output_audio_token',
  'character',
  'second',
] as const;
/** One of these words. */
export type ServiceUnit = (typeof SERVICE_UNITS)[number];

/** How many of each; what the service does not tell of is missing. */
export type UnitCounts = { readonly [Unit in ServiceUnit]?: number | undefined };

/** What a service has been used for, as it tells, or as it was sent. */
export interface ServiceUsage extends ServiceModel {
  readonly does: ServiceKind;
  readonly units: UnitCounts;
  /** The service has told nothing, as of an answer that was broken off: counted by its characters, four to a token. */
  readonly isEstimated?: true | undefined;
}

const keyOf = ({ does, provider, model, isEstimated }: ServiceUsage) =>
  JSON.stringify([does, provider, model, isEstimated]);

/** Sums up what services have been used for, each by its own. */
export class UsageSum {
  readonly #all = new Map<string, ServiceUsage>();

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** What is no number of units counts for nothing: it comes from a service. */
  add(usage: ServiceUsage): void {
    const key = keyOf(usage);
    const units: { [Unit in ServiceUnit]?: number | undefined } = { ...this.#all.get(key)?.units };
    for (const unit of SERVICE_UNITS) {
      const count = usage.units[unit] ?? 0;
      if (Number.isFinite(count) && count > 0) units[unit] = (units[unit] ?? 0) + count;
    }
    if (Object.keys(units).length > 0) this.#all.set(key, { ...usage, units });
  }

  list(): ServiceUsage[] {
    return [...this.#all.values()];
  }

  /** What there is, and begins anew. */
  take(): ServiceUsage[] {
    const all = this.list();
    this.#all.clear();
    return all;
  }
}
