import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseYaml, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { VoicebotError } from '../base/errors.js';
import { type CallingHours, parseCallingHours, parseDays } from '../runner/dialing/calling-hours.js';
import type { CallingRule, CallingRuleTable, RuleSwitchedOff } from '../runner/dialing/calling-rules.js';
import { COUNTRIES } from './countries.js';

const SHIPPED = fileURLToPath(new URL('../../assets/calling-rules.json', import.meta.url));
const SETTING = 'VOICEBOT_CALLING_RULES';
const DOCS = 'docs/law.md#calling-hours';

/** Reads by one of the parsers that people's words go through. */
const words = <T>(parse: (text: string) => T) =>
  z.string('must be a text').transform((text, context): T => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

const text = z.string('must be a text').trim().min(1, 'must not be empty').max(1_000, 'has more than 1000 characters');
const address = text.refine(
  (url) => URL.canParse(url) && new URL(url).protocol === 'https:',
  'must be an https address',
);
const day = words((written) => checkedDate(written, /^\d{4}-\d\d-\d\d$/, 'a day such as 2026-12-24'));
const closedDay = words((written) =>
  checkedDate(written, /^(?:\d{4}-)?\d\d-\d\d$/, 'a day such as 2026-12-24, or 12-24 for each year'),
);

const entry = z.strictObject({
  country: words(checkedCountry),
  off: text.optional(),
  appliesTo: text.optional(),
  hours: z.array(words(parseDaysAndHours), 'must be a list').min(1, 'must not be empty').optional(),
  publicHolidays: z.enum(['forbidden', 'allowed', 'not_mentioned']).optional(),
  closedOn: z.array(closedDay, 'must be a list of days').max(1_000, 'has more than 1000 days').optional(),
  source: z.strictObject({ title: text, url: address, readAt: address.optional(), checked: day }).optional(),
  note: text.optional(),
});

const file = z.strictObject({ off: text.optional(), rules: z.array(entry, 'must be a list').optional() });

/**
 * The rules by which people are called at certain hours only: those that come with voicebot, and in the place of a country's those of the
 * user's file.
 * @param path of the user's file, JSON or YAML
 * @throws VoicebotError VB_CONFIG_INVALID with all that is wrong with it
 */
export function readCallingRules(path?: string): CallingRuleTable {
  const shipped = tableOf(SHIPPED);
  if (path === undefined) return shipped;
  const { rules, switchedOff, allOff } = tableOf(path, basename(path));
  const own = new Set([...rules, ...switchedOff].map(({ country }) => country));
  const others = shipped.rules.filter(({ country }) => !own.has(country));
  return { rules: [...others, ...rules], switchedOff, allOff };
}

function tableOf(path: string, name?: string): CallingRuleTable {
  const content = contentOf(path);
  const parsed = file.safeParse(content);
  const problems = [...(parsed.error?.issues.map(problemOf) ?? []), ...contradictionsIn(content)];
  if (!parsed.success || problems.length > 0) throw invalid(path, problems);
  const rules: CallingRule[] = [];
  const switchedOff: RuleSwitchedOff[] = [];
  for (const one of parsed.data.rules ?? []) {
    const {
      country,
      off,
      hours = [],
      closedOn,
      appliesTo = 'calls',
      publicHolidays = 'not_mentioned',
      source,
      note,
    } = one;
    if (off !== undefined) switchedOff.push({ country, off });
    else {
      const times = { hours, closedOn: closedOn && new Set(closedOn) };
      rules.push({ country, appliesTo, times, publicHolidays, source, note, file: name });
    }
  }
  return { rules, switchedOff, allOff: parsed.data.off };
}

function contentOf(path: string): unknown {
  try {
    return parseYaml(readFileSync(path, 'utf8')); // JSON is YAML
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [first] = message.split('\n');
    if (error instanceof YAMLParseError) throw invalid(path, [`is neither JSON nor YAML: ${first}`]);
    throw invalid(path, [code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code ?? first})`]);
  }
}

const invalid = (path: string, problems: readonly string[]) =>
  new VoicebotError('VB_CONFIG_INVALID', problems.map((problem) => `${SETTING}: ${path}: ${problem}`).join('\n'), {
    hint: `see ${DOCS} for what it may have, and entries of this form: npx voicebot calling-rules --json`,
  });

/** `rules[0].hours[1] must be …`. */
function problemOf({ path, message }: z.core.$ZodIssue): string {
  const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return [place.replace(/^\./, ''), message].filter(Boolean).join(' ');
}

/** What is wrong with members together, whatever is wrong with each of them. */
function contradictionsIn(content: unknown): string[] {
  if (!isObject(content)) return [];
  const problems: string[] = [];
  if (content.off === undefined && content.rules === undefined) problems.push('it has neither rules nor off');
  if (content.off !== undefined && content.rules !== undefined)
    problems.push('off switches all rules off: leave out rules, or off');
  const seen = new Set<string>();
  const rules: unknown[] = Array.isArray(content.rules) ? content.rules : [];
  for (const [index, rule] of rules.entries()) {
    if (!isObject(rule)) continue;
    const problem = (words: string) => problems.push(`rules[${index}] ${words}`);
    const country = String(rule.country).trim().toUpperCase();
    if (seen.has(country)) problem(`has the country ${country} again`);
    seen.add(country);
    if (rule.off === undefined && rule.hours === undefined) problem('needs hours, or off with a reason');
    if (rule.off !== undefined && rule.hours !== undefined) problem('has hours, and off: one of both');
  }
  return problems;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `mon-fri 9-18`. */
function parseDaysAndHours(written: string): CallingHours {
  const [days = '', hours = '', ...more] = written.trim().split(/\s+/);
  if (hours === '' || more.length > 0) throw new Error('must be days and hours such as "mon-fri 9-18"');
  return { days: parseDays(days), ...parseCallingHours(hours) };
}

function checkedCountry(written: string): string {
  const code = written.trim().toUpperCase();
  if (COUNTRIES.has(code)) return code;
  throw new Error('must be a country code of ISO 3166 such as FR');
}

/** Also of 29 February, in a year that has one. */
function checkedDate(written: string, form: RegExp, wanted: string): string {
  const date = written.length === 5 ? `2024-${written}` : written;
  const at = form.test(written) ? Date.parse(`${date}T00:00Z`) : Number.NaN;
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(date)) return written;
  throw new Error(`must be ${wanted}`);
}
