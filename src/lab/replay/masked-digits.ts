import type { ScenarioOptions, StepOptions } from '../scenario/scenario-options.js';

/** Shorter numbers are choices of a menu, times and counts. */
const LONG = /\d(?:[\s.,-]?\d){2,}/g;
/** In a script of keys, how long it waits. */
const WAIT = /^w[\d.]+$/;

/** What a masked scenario tells its reader. */
export const MASKED_NOTE =
  'Numbers of three digits or more are masked with zeros: write those of a test customer in their place, the same everywhere.';

/**
 * A scenario whose numbers of three digits or more are zeros, wherever they stand: keys that were pressed together, words of both sides, inputs and
 * results of functions. Telephone numbers stay, and so does what has a unit. The sounds of a caller are as they were recorded.
 */
export function withMaskedDigits(scenario: ScenarioOptions): ScenarioOptions {
  const { caller, model, expect, ...rest } = scenario;
  const masked = {
    caller: maskedIn(isSlowNumber(caller) ? withoutKeys(caller) : caller),
    model: maskedIn(model),
    expect: maskedIn(expect),
  } as ScenarioOptions;
  const given = Object.entries(masked).filter(([, value]) => value !== undefined);
  return { ...rest, ...Object.fromEntries(given) };
}

/** Whether keys of steps that follow each other are one number, which was pressed slowly. */
function isSlowNumber(caller: ScenarioOptions['caller']): caller is readonly StepOptions[] {
  if (!Array.isArray(caller)) return false;
  let digits = 0;
  return (caller as readonly StepOptions[]).some((step) => {
    if ('say' in step || 'play' in step) digits = 0;
    if (!('press' in step)) return false;
    const own = keysIn(step.press).replace(/\D/g, '').length;
    digits = own >= 3 ? 0 : digits + own; // a whole number is masked by itself
    return digits >= 3;
  });
}

const withoutKeys = (caller: readonly StepOptions[]) =>
  caller.map((step) => ('press' in step ? { ...step, press: maskedScript(step.press) } : step));

function maskedIn(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return maskedText(value, field);
  if (typeof value === 'number') return Math.abs(value) >= 100 ? 0 : value;
  if (Array.isArray(value)) return value.map((one) => maskedIn(one, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskedIn(one, name)]));
}

function maskedText(text: string, field: string): string {
  if (field === 'press') return maskedKeys(text);
  if (/^\d+(\.\d+)?(ms|s)$/.test(text) || field === 'to' || field === 'play') return text;
  return text.replace(LONG, (digits) => digits.replace(/\d/g, '0'));
}

const keysIn = (script: string): string =>
  script
    .split(' ')
    .filter((part) => !WAIT.test(part))
    .join('');

const maskedKeys = (script: string): string =>
  keysIn(script).replace(/\D/g, '').length < 3 ? script : maskedScript(script);

const maskedScript = (script: string): string =>
  script
    .split(' ')
    .map((part) => (WAIT.test(part) ? part : part.replace(/\d/g, '0')))
    .join(' ');
