import type { Registry } from 'prom-client';

export type Prometheus = typeof import('prom-client');

/** What a label may say: one of a few words, each of which is counted from 0 on, or whatever a pattern allows. */
type LabelValues = readonly string[] | RegExp;
type Labels = Readonly<Record<string, LabelValues>>;
type Values<L extends Labels> = { readonly [Name in keyof L]: string };
type Reading<L extends Labels> = ReadonlyArray<readonly [values: Values<L>, value: number]>;

/** What a label says that may not say what it was given: numbers, identifiers and texts never get into one. */
const OTHER = 'other';
/** Whatever a bot says, nothing takes longer, in milliseconds. */
const MOST_MS = 24 * 60 * 60 * 1_000;

/** Declares metrics whose labels are bounded. Names begin with `voicebot_`; units are Prometheus' base units. */
export class MetricSet {
  readonly registry: Registry;

  constructor(private readonly prometheus: Prometheus) {
    this.registry = new prometheus.Registry();
  }

  /** @returns counts one, or as many as it is told; nothing for what is no number of things */
  counter<L extends Labels>(name: string, help: string, labels: L): (values: Values<L>, count?: number) => void {
    const counter = new this.prometheus.Counter({ ...this.#head(name, help), labelNames: Object.keys(labels) });
    for (const values of combinations(labels)) counter.inc(values, 0);
    return (values, count = 1) => {
      if (isAmount(count)) counter.inc(bounded(labels, values), count);
    };
  }

  /** @returns notes a duration in milliseconds; nothing for what is none @param buckets in seconds */
  histogram<L extends Labels>(
    name: string,
    help: string,
    buckets: readonly number[],
    labels: L,
  ): (values: Values<L>, ms: number | undefined) => void {
    const labelNames = Object.keys(labels);
    const histogram = new this.prometheus.Histogram({ ...this.#head(name, help), labelNames, buckets: [...buckets] });
    for (const values of combinations(labels)) histogram.zero(values);
    return (values, ms) => {
      if (isAmount(ms)) histogram.observe(bounded(labels, values), Math.min(ms, MOST_MS) / 1_000);
    };
  }

  /** @param read asked at each scrape; what it leaves out, or all of it when it throws, is missing in the answer */
  gauge<L extends Labels>(name: string, help: string, labels: L, read: () => Reading<L> | Promise<Reading<L>>): void {
    const labelNames = Object.keys(labels);
    const gauge = new this.prometheus.Gauge({
      ...this.#head(name, help),
      labelNames,
      collect: async () => {
        const found = await readAll(read);
        // All at once, for another scrape may be under way.
        gauge.reset();
        if (labelNames.length === 0) gauge.remove();
        for (const [values, value] of found) gauge.set(bounded(labels, values), value);
      },
    });
  }

  #head(name: string, help: string) {
    return { name: `voicebot_${name}`, help, registers: [this.registry] };
  }
}

async function readAll<L extends Labels>(read: () => Reading<L> | Promise<Reading<L>>): Promise<Reading<L>> {
  try {
    return await read();
  } catch {
    return [];
  }
}

/** Every combination of the labels' words; none where one has no list of them. */
function combinations(labels: Labels): Record<string, string>[] {
  let found: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(labels)) {
    const words = values instanceof RegExp ? [] : values;
    found = found.flatMap((one) => words.map((word) => ({ ...one, [name]: word })));
  }
  return found;
}

function bounded<L extends Labels>(labels: L, values: Values<L>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).map(([name, allowed]) => {
      const value: unknown = values[name];
      const isAllowed =
        typeof value === 'string' && (allowed instanceof RegExp ? allowed.test(value) : allowed.includes(value));
      return [name, isAllowed ? value : OTHER];
    }),
  );
}

const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
