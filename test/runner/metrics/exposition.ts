/** What a metric is, and its samples by their labels, as they stand there. */
export interface MetricFamily {
  readonly type: string;
  readonly help: string;
  readonly samples: Map<string, number>;
}

/** Reads Prometheus' text format, as far as it is used here. @throws when a sample has no description, or stands there twice */
export function readExposition(text: string): Map<string, MetricFamily> {
  const families = new Map<string, MetricFamily>();
  for (const line of text.split('\n')) {
    const [, name = '', help = ''] = /^# HELP (\S+) (.*)$/.exec(line) ?? [];
    if (name !== '') families.set(name, { type: typeOf(text, name), help, samples: new Map() });
    const [sample, base = '', value = ''] = /^([a-zA-Z_:]+)(?:\{.*\})? (\S+)$/.exec(line) ?? [];
    if (sample === undefined) continue;
    const family = families.get(base) ?? families.get(base.replace(/_(?:bucket|sum|count)$/, ''));
    const key = sample.slice(0, -value.length - 1);
    if (!family || family.samples.has(key)) throw new Error(`not to be understood: ${line}`);
    family.samples.set(key, Number(value));
  }
  return families;
}

const typeOf = (text: string, name: string) => new RegExp(`^# TYPE ${name} (.*)$`, 'm').exec(text)?.[1] ?? '';

/** The value of one sample, as in `voicebot_bots{state="warm"}`; undefined when it is not there. */
export function sampleOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}
