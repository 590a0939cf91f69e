/** What `/v2/listen` takes in its address, each with what its value must be. */
const PARAMETERS: Readonly<Record<string, (value: string) => boolean>> = {
  model: (value) => /^flux-general-(en|multi)$/.test(value),
  encoding: (value) => ['linear16', 'linear32', 'mulaw', 'alaw', 'opus', 'ogg-opus'].includes(value),
  sample_rate: (value) => Number(value) > 0,
  eager_eot_threshold: (value) => isWithin(value, 0.3, 0.9),
  eot_threshold: (value) => isWithin(value, 0.5, 1),
  eot_timeout_ms: (value) => isWithin(value, 500, 60_000),
  keyterm: (value) => value !== '',
  language_hint: (value) => value !== '',
  profanity_filter: isBoolean,
  numerals: isBoolean,
  redact: (value) => ['numbers', 'aggressive_numbers'].includes(value),
  mip_opt_out: isBoolean,
  tag: (value) => value !== '',
};

/** What is wrong with a request for Flux. */
export function problemsOfParameters(query: URLSearchParams): string[] {
  const problems = [...query].flatMap(([name, value]) => {
    const isRight = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    if (!isRight) return `unexpected query parameter: ${name}`;
    return isRight(value) ? [] : `invalid value for ${name}: ${value}`;
  });
  if (!query.has('model')) problems.push('missing query parameter: model');
  const [eager, end] = [Number(query.get('eager_eot_threshold') ?? 0), Number(query.get('eot_threshold') ?? 0.7)];
  if (eager > end) problems.push('eager_eot_threshold must not be above eot_threshold');
  if (query.has('language_hint') && query.get('model') !== 'flux-general-multi') {
    problems.push('language_hint is for flux-general-multi only');
  }
  return problems;
}

/** The fields of a message; none when it is not a JSON object. */
export function parametersOf(message: Buffer): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(String(message));
    return typeof fields === 'object' && fields !== null ? { ...fields } : {};
  } catch {
    return {};
  }
}

function isWithin(value: string, least: number, most: number): boolean {
  return value !== '' && Number(value) >= least && Number(value) <= most;
}

function isBoolean(value: string): boolean {
  return value === 'true' || value === 'false';
}
