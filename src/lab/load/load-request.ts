import { parseLoopbackUrl } from '../../base/http/loopback-host.js';
import { type Config, resolveConfig } from '../../config/config.js';
import { integer, SETTINGS } from '../../config/settings.js';
import type { CarrierName } from '../../providers/registry/carrier-names.js';
import type { CliContext } from '../../terminal/context.js';
import { TypedOptions } from '../../terminal/typed-options.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { readScenarioFiles } from '../test/scenario-files.js';
import { DEFAULT_LIMITS, type LoadLimits } from './load-limits.js';

/** The options of `load` as they were typed. */
export interface LoadOptions {
  readonly calls?: string;
  readonly ramp?: string;
  readonly seconds?: string;
  readonly scenario?: string;
  readonly say?: string;
  readonly find?: boolean;
  readonly limitFirstWord?: string;
  readonly limitGap?: string;
  readonly limitMissing?: string;
  readonly limitFailed?: string;
  readonly carrier?: CarrierName;
  readonly callsPerProcess?: string;
  readonly warm?: string;
  readonly answerUrl?: string;
  readonly pid?: string;
  readonly real?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** What `voicebot load` was asked for, checked. Times are milliseconds. */
export interface LoadRequest {
  readonly config: Config;
  /** With {@link isSearch} the most that is tried. */
  readonly calls: number;
  /** From the first call's beginning to the last one's; undefined: as soon as bots wait. */
  readonly rampMs: number | undefined;
  /** Of a call, or of the window of steady calls; undefined: as long as the scenario takes. */
  readonly lengthMs: number | undefined;
  readonly scenario: PlacedScenario | undefined;
  readonly words: string;
  /** The largest number of calls that meets the limits is looked for. */
  readonly isSearch: boolean;
  readonly limits: LoadLimits;
  readonly carrier: CarrierName | undefined;
  readonly services: 'scripted' | 'real';
  readonly answerUrl: string | undefined;
  readonly pid: number | undefined;
  readonly isVerbose: boolean;
}

export const MOST_CALLS = 1_000;
const CALLS = 200;
const RAMP_MS = 30_000;
const LENGTH_MS = 30_000;
/** Of a step of a search, when all have dialled and settled. */
const WINDOW_MS = 6_000;
/** None of these words has a stand-in for a model call a function. */
const WORDS = 'Yes, I would like that, please.';
const MOST_WORDS = 1_000;

/**
 * Checks everything typed before anything rings.
 * @param bot its file; default: the configured one
 * @throws UsageError naming every problem; ScenariosInvalid, VoicebotError VB_CONFIG_INVALID
 */
export async function parseLoadRequest(
  bot: string | undefined,
  options: LoadOptions,
  { environment, directory }: CliContext,
): Promise<LoadRequest> {
  const typed = new TypedOptions();
  const isSearch = options.find ?? false;
  const calls = typed.check('--calls', options.calls, integer(1, MOST_CALLS)) ?? (isSearch ? MOST_CALLS : CALLS);
  const rampMs = typed.check('--ramp', options.ramp, parseDuration(600)) ?? (isSearch ? undefined : RAMP_MS);
  const seconds = typed.check('--seconds', options.seconds, number(1, 3_600));
  const words = typed.check('--say', options.say, parseWords) ?? WORDS;
  const given: Partial<Record<keyof LoadLimits, number | undefined>> = {
    firstWordMs: typed.check('--limit-first-word', options.limitFirstWord, parseDuration(60)),
    gapMs: typed.check('--limit-gap', options.limitGap, parseDuration(60)),
    missingPercent: typed.check('--limit-missing', options.limitMissing, number(0, 100)),
    failedPercent: typed.check('--limit-failed', options.limitFailed, number(0, 100)),
  };
  const callsPerProcess = typed.check('--calls-per-process', options.callsPerProcess, integer(1, MOST_CALLS));
  const warm = typed.check('--warm', options.warm, SETTINGS.warm.parse);
  const answerUrl = typed.check('--answer-url', options.answerUrl, parseLoopbackUrl);
  const pid = typed.check('--pid', options.pid, integer(1, 2 ** 22));
  if (answerUrl !== undefined) {
    if (bot !== undefined) typed.refuse('--answer-url calls a server of your own: there is no bot to load as well');
    if (options.real) typed.refuse('--real is for a bot that is served here, not for --answer-url');
    if (callsPerProcess !== undefined) typed.refuse('--calls-per-process is for a bot that is served here');
    if (warm !== undefined) typed.refuse('--warm is for a bot that is served here');
  } else if (pid !== undefined) typed.refuse('--pid names the process of the server of --answer-url');
  if (options.scenario !== undefined && options.say !== undefined)
    typed.refuse('--say is for callers without a scenario');
  if (options.scenario !== undefined && isSearch)
    typed.refuse('--find needs callers who stay: it cannot be combined with --scenario');
  const scenario =
    options.scenario === undefined ? undefined : await readScenario(options.scenario, directory, answerUrl, typed);
  typed.throwIfRefused();
  const config = await resolveConfig({
    flags: {
      ...(bot && { bot }),
      ...(callsPerProcess !== undefined && { callsPerProcess }),
      ...(warm !== undefined && { warm }),
    },
    environment,
    directory,
  });
  const lengthMs = seconds !== undefined ? seconds * 1_000 : isSearch ? WINDOW_MS : scenario ? undefined : LENGTH_MS;
  return {
    config,
    calls,
    rampMs,
    lengthMs,
    scenario,
    words,
    isSearch,
    limits: {
      firstWordMs: given.firstWordMs ?? DEFAULT_LIMITS.firstWordMs,
      gapMs: given.gapMs ?? DEFAULT_LIMITS.gapMs,
      missingPercent: given.missingPercent ?? DEFAULT_LIMITS.missingPercent,
      failedPercent: given.failedPercent ?? DEFAULT_LIMITS.failedPercent,
    },
    carrier: options.carrier,
    services: options.real ? 'real' : 'scripted',
    answerUrl,
    pid,
    isVerbose: options.verbose ?? false,
  };
}

/** One that many callers can act at once, with nothing but a telephone. */
async function readScenario(
  file: string,
  directory: string,
  answerUrl: string | undefined,
  typed: TypedOptions,
): Promise<PlacedScenario | undefined> {
  const [scenario, ...others] = await readScenarioFiles([file], directory);
  const refuse = (what: string) => typed.refuse(`--scenario ${file}: ${what}`);
  if (!scenario) return undefined;
  if (others.length > 0) refuse(`has ${others.length + 1} scenarios; a load has one`);
  if (scenario.dialout) refuse('its bot calls out; the callers of a load call the bot');
  if (scenario.faults.length > 0) refuse('has faults, which would break every call of a load');
  if (scenario.network) refuse('has a bad network, which a load does not play');
  if (scenario.then.length > 0) refuse('has calls that follow; a caller of a load makes one');
  if (scenario.before !== undefined || scenario.after !== undefined)
    refuse('has a command before or after it, which many calls at once would run over each other');
  if (scenario.transport === 'rooms') refuse("is for rooms; a load goes over a carrier's wire");
  if (answerUrl !== undefined && waitsForWords(scenario))
    refuse('its caller acts upon words of the bot, which a server of your own does not tell');
  return scenario;
}

function waitsForWords({ caller }: PlacedScenario): boolean {
  return Array.isArray(caller) && /"kind":"(hear|either)"|"during":/.test(JSON.stringify(caller));
}

/** `30s`, `500ms`; a number alone is seconds. @returns milliseconds */
const parseDuration =
  (mostSeconds: number) =>
  (raw: string): number => {
    const [, value, unit] = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(raw) ?? [];
    const ms = value === undefined ? Number.NaN : Number(value) * (unit === 'ms' ? 1 : 1_000);
    if (ms >= 0 && ms <= mostSeconds * 1_000) return ms;
    throw new Error(`must be a time such as 2s or 500ms, at most ${mostSeconds} s`);
  };

const number =
  (least: number, most: number) =>
  (raw: string): number => {
    const value = /^\d+(\.\d+)?$/.test(raw) ? Number(raw) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new Error(`must be a number from ${least} to ${most}`);
  };

function parseWords(raw: string): string {
  const words = raw.trim();
  if (words !== '' && words.length <= MOST_WORDS) return words;
  throw new Error(`must be a text of at most ${MOST_WORDS} characters`);
}
