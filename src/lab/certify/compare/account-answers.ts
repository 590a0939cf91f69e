import { NUMBER_GIVEN_BACK, NUMBER_TAKEN } from '../tour/tour-steps.js';
import type { WireItem } from '../wire/wire-item.js';
import { fits, isUnset, isWord } from './forms.js';
import type { FieldProfile, StepProfile } from './profile.js';

const STEPS: readonly string[] = [NUMBER_TAKEN, NUMBER_GIVEN_BACK];

/**
 * What the REST API says of the numbers of an account, and of what they are attached to, while a number is taken and given back. How its
 * owner has set them up is no matter of the provider's: which addresses and names there are, whether there are any, and how many. What
 * we have set ourselves is to be answered as we have set it.
 */
export class AccountAnswers {
  /** Values by the field, in whichever answer it is. */
  readonly #known = new Map<string, readonly string[]>();

  /** @param steps by the sandbox. @param items what went over the wire in the step */
  constructor(
    private readonly step: string,
    steps: Readonly<Record<string, StepProfile>>,
    private readonly items: readonly WireItem[],
  ) {
    if (!STEPS.includes(step)) return;
    for (const name of STEPS) {
      for (const [key, { fields }] of Object.entries(steps[name]?.items ?? {})) {
        if (!this.isOf(key)) continue;
        for (const [path, { values }] of Object.entries(fields)) {
          const field = withoutList(path);
          this.#known.set(field, [...(this.#known.get(field) ?? []), ...values]);
        }
      }
    }
  }

  isOf(key: string): boolean {
    return STEPS.includes(this.step) && key.startsWith('rest in ');
  }

  /** Whether a value is one that an account may have there. @param path of a field that the sandbox has */
  fits(key: string, path: string, value: string): boolean {
    const known = this.#known.get(withoutList(path)) ?? [];
    const set = this.#setTo(key, path);
    if (set.length > 0) {
      // A word is answered as it was asked for; of a text or an address the form may be another.
      const isOther = !set.every(isWord) && isUnset(value) === set.every(isUnset) && fits(value, known);
      return fits(value, set) || isOther;
    }
    if (fits(value, known) || known.every(isUnset)) return true;
    return known.some((one) => isOfKind(value, one));
  }

  /** What we have asked for with the request that this answers. */
  #setTo(key: string, path: string): readonly string[] {
    const name = key.replace(/^rest in /, '').replace(/ \d{3}$/, '');
    if (name.startsWith('GET ')) return [];
    const asked = this.items.filter(
      (item) => item.channel === 'rest' && item.direction === 'out' && item.name === name,
    );
    return asked.flatMap(({ fields }) =>
      Object.entries(fields).flatMap(([field, values]) => (nameOf(field) === nameOf(path) ? values : [])),
    );
  }
}

/** A list is empty, or an object is not there, on one side only: its own field, or those of what is in it, are missing. */
export function isSetOtherwise(path: string, fields: Readonly<Record<string, FieldProfile>>): boolean {
  const isFilled = (one: string) =>
    Object.keys(fields).some((field) => field.startsWith(`${one}.`) || field.startsWith(`${one}[]`));
  const parts = path.split('.');
  const parents = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('.'));
  return isFilled(path) || parents.some((one) => fields[one]?.values.every(isUnset) && !isFilled(one));
}

/** A number in a list of numbers has the same fields as one alone. */
const withoutList = (path: string) => path.replace(/^(\w+\[\]|data)\./, '');
/** A name in capitals, as in requests, is one with underscores in answers. */
const nameOf = (path: string) => (path.split('.').at(-1) ?? '').replace(/_|\[\]/g, '').toLowerCase();

/** Whether a value may stand where the sandbox has another one. Of a word or a name any text may. */
function isOfKind(value: string, other: string): boolean {
  if (isFlag(other)) return isFlag(value);
  if (isNumber(other)) return isNumber(value);
  return isText(other) && !isFlag(value) && !isNumber(value);
}

const isFlag = (value: string) => value === 'true' || value === 'false';
const isNumber = (value: string) => /^(integer|fraction|-?\d+)$/.test(value);
const isText = (value: string) => /^("|(marked up )?text$)/.test(value);
