import type { ModelMessage } from './model-script.js';

/** `{{result}}`, or `{{result.items.0.name}}` with a path. */
const PLACE = /\{\{\s*result((?:\.[^\s.{}]+)*)\s*\}\}/g;
const BEGINNING = /\{\{\s*result/g;
/** Of a result that is told to people, in characters. */
const MOST_SHOWN = 200;

/** A result as it is spoken, and looked for words in: a text as it is, anything else as JSON. */
export const resultText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

/** What is wrong with the places for results in what a rule says: goes on the name of its field. @param after the rule's function */
export function placesProblem(say: string, after: string | undefined): string | undefined {
  const begun = say.match(BEGINNING)?.length ?? 0;
  if (begun === 0) return undefined;
  if (begun !== say.match(PLACE)?.length)
    return 'has a place for a result that is not written as {{result}} or {{result.field}}';
  return after === undefined ? 'speaks a result, and needs after: the function whose result it is' : undefined;
}

/** What the function of a rule has given; undefined where the question does not have it. Of several calls of it, the last. */
export const resultOf = (message: ModelMessage | undefined, name: string): { readonly value: unknown } | undefined =>
  message?.results?.findLast((one) => one.name === name);

/**
 * Puts a result into the places that a text has for it.
 * @throws Error, for people, when a path is not in the result
 */
export function speakResult(say: string, name: string, message: ModelMessage | undefined): string {
  return say.replace(PLACE, (place, path: string) => {
    const result = resultOf(message, name);
    const found = path.split('.').slice(1).reduce(fieldOf, result);
    if (found) return resultText(found.value);
    const text = result ? resultText(result.value) : 'nothing';
    const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
    throw new Error(`${place} is not in the result of ${name}, which was ${shown}`);
  });
}

/** A field of an object, or an item of a list by its number from 0. */
function fieldOf(
  found: { readonly value: unknown } | undefined,
  field: string,
): { readonly value: unknown } | undefined {
  const { value } = found ?? {};
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
  if (Array.isArray(value) && !/^\d+$/.test(field)) return undefined;
  return { value: (value as Readonly<Record<string, unknown>>)[field] };
}
