import { readCallingRules } from '../../config/calling-rules-file.js';
import { resolveConfig } from '../../config/config.js';
import { COUNTRIES } from '../../config/countries.js';
import { hoursText } from '../../runner/dialing/calling-hours.js';
import type { CallingRule } from '../../runner/dialing/calling-rules.js';
import type { CliContext } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';
import { TypedOptions } from '../../terminal/typed-options.js';

const HOLIDAYS = {
  forbidden: 'not on public holidays, of which voicebot knows those only that a file lists as closedOn',
  allowed: 'on public holidays too',
  not_mentioned: undefined,
} as const;

/**
 * Shows the rules as they hold on an account.
 * @param country undefined for all
 * @throws UsageError, VoicebotError VB_CONFIG_INVALID
 */
export async function showCallingRules(
  country: string | undefined,
  { environment, directory }: CliContext,
  output: Output,
): Promise<void> {
  const typed = new TypedOptions();
  const wanted = typed.check('country', country, countryCode);
  typed.throwIfRefused();
  const { callingRules: file } = await resolveConfig({ flags: {}, environment, directory });
  const { allOff, ...table } = readCallingRules(file);
  const isWanted = (one: { country: string }) => wanted === undefined || one.country === wanted;
  const rules = table.rules.filter(isWanted).toSorted((a, b) => (a.country < b.country ? -1 : 1));
  const switchedOff = table.switchedOff.filter(isWanted);
  output.event('calling_rules', {
    rules: [...rules.map(entryOf), ...switchedOff],
    off: allOff,
    file,
  });
  for (const rule of rules) for (const line of linesOf(rule)) output.result(line);
  for (const { country: code, off } of switchedOff) output.result(`${code}  off: ${off}`);
  if (rules.length + switchedOff.length === 0)
    output.line(`No rule for ${wanted}: calls there are placed at any hour.`);
  if (allOff !== undefined) output.line(`None of them holds: ${file} switches them off (${allOff}).`);
}

function countryCode(raw: unknown): string {
  const code = String(raw).trim().toUpperCase();
  if (COUNTRIES.has(code)) return code;
  throw new Error('must be a country code of ISO 3166 such as FR');
}

/** As it may stand in a file of rules. */
function entryOf({ times, file: _, ...rule }: CallingRule): Record<string, unknown> {
  const { hours, closedOn } = times;
  return { ...rule, hours: hours.map(hoursText), ...(closedOn && { closedOn: [...closedOn] }) };
}

function linesOf({ country, appliesTo, times, publicHolidays, source, note, file }: CallingRule): string[] {
  const { hours, closedOn } = times;
  const more = [
    HOLIDAYS[publicHolidays],
    ...(closedOn ? [`closed on ${[...closedOn].join(', ')}`] : []),
    ...(source ? [`${source.title}, ${source.url}`] : []),
    ...(source ? [`checked ${source.checked}${source.readAt ? `, as read at ${source.readAt}` : ''}`] : []),
    ...(file ? [`from ${file}`] : []),
    note,
  ];
  const details = more.filter((line) => line !== undefined).map((line) => `    ${line}`);
  return [`${country}  ${hours.map(hoursText).join(', ')}  (${appliesTo})`, ...details];
}
