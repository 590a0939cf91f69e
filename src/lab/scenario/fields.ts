import { z } from 'zod';
import { closestName } from '../../base/closest-name.js';
import { readPhoneNumber } from '../../call/phone-number.js';
import { WordPattern, type Words } from './words.js';

/** A time with its unit, such as `1.5s` or `300ms`. */
export type Duration = `${number}s` | `${number}ms`;
/** Such as `5%`. */
export type Percentage = `${number}%`;
/** Such as `20dB`. */
export type Decibels = `${number}dB`;

const LONGEST_MS = 3_600_000;

/** Gives milliseconds. */
export const duration = z
  .custom<Duration>((value) => typeof value === 'string' && /^\d+(\.\d+)?(s|ms)$/.test(value), {
    error: 'must be a time with its unit, such as 2s or 300ms',
  })
  .transform((text) => Number.parseFloat(text) * (text.endsWith('ms') ? 1 : 1_000))
  .refine((ms) => ms <= LONGEST_MS, { error: 'must be at most 3600s' });

/** A time as scenarios have it, in whole milliseconds; the longest there is, at most. */
export const durationOf = (ms: number): `${number}ms` => `${Math.round(Math.min(LONGEST_MS, Math.max(0, ms)))}ms`;

/** Gives a share, 0 to 1. */
export const percentage = z
  .custom<Percentage>(
    (value) => typeof value === 'string' && /^\d+(\.\d+)?%$/.test(value) && Number.parseFloat(value) <= 100,
    {
      error: 'must be a percentage from 0% to 100%, such as 5%',
    },
  )
  .transform((text) => Number.parseFloat(text) / 100);

/** Gives the number of decibels. */
export const decibels = z
  .custom<Decibels>((value) => typeof value === 'string' && /^-?\d+(\.\d+)?dB$/.test(value), {
    error: 'must be a level in decibels, such as 20dB',
  })
  .transform((text) => Number.parseFloat(text));

export const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });
/** What YAML takes for something else where it has no quotes. @returns undefined for other values */
const quotesMissing = (value: unknown, what: string): string | undefined =>
  typeof value === 'number' || typeof value === 'boolean'
    ? `must be ${what}: a ${typeof value} that is meant as a text needs quotes`
    : undefined;
export const text = z
  .string({ error: ({ input }) => quotesMissing(input, 'a text') ?? 'must be a text' })
  .trim()
  .min(1, { error: 'must not be empty' });
export const spoken = text.max(1_000, { error: 'must be at most 1000 characters' });
/** Gives E.164, however it was written. */
export const phoneNumber = z
  .string({ error: 'must be a telephone number such as "+12025550101", in quotes' })
  .transform((written, context) => {
    const read = readPhoneNumber(written);
    if ('number' in read) return read.number;
    context.addIssue({
      code: 'custom',
      message: `must be a telephone number such as +12025550101: it ${read.problem}`,
    });
    return z.NEVER;
  });

/** What is wrong with a field. */
export interface FieldProblem {
  /** Where it is, from the outside in. */
  readonly path: Array<string | number>;
  /** What was expected: goes on the name of the field. */
  readonly message: string;
}

/** A problem for each field; one that is not known is a problem of its own. */
export const problemsOf = ({ issues }: z.ZodError): FieldProblem[] =>
  issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ path: [...path, key], message: 'is not known' }));
    const isMissing = ['invalid_type', 'custom'].includes(issue.code) && issue.input === undefined;
    return [{ path, message: isMissing ? 'is missing' : issue.message }];
  });

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  object: 'fields with their values',
  record: 'fields with their values',
};

/** Checks a value; where a schema has no words of its own, the problem is told in the words of this project. */
export const check = <Output>(schema: z.ZodType<Output>, value: unknown): z.ZodSafeParseResult<Output> =>
  schema.safeParse(value, {
    reportInput: true,
    error: (issue) => {
      if (issue.code === 'invalid_type') return `must be ${TYPES[issue.expected] ?? `a ${issue.expected}`}`;
      if (issue.code === 'too_small' && issue.origin === 'array') return 'must not be empty';
      return undefined;
    },
  });

/** A whole number of this range. */
export const count = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
};

/** A value is checked by the schema that is picked for it, so that a problem is told of the field that has it. */
export const picked = <Output>(pick: (value: unknown) => z.ZodType<Output>) =>
  z.unknown().transform((value, context): Output => {
    const checked = check(pick(value), value);
    if (checked.success) return checked.data;
    for (const { path, message } of problemsOf(checked.error)) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });

/** Gives a {@link WordPattern}. */
export const words = z
  .custom<Words>((value) => typeof value === 'string' || value instanceof RegExp, {
    error: ({ input }) => quotesMissing(input, 'words') ?? 'must be words, or a regular expression between slashes',
  })
  .transform((value, context) => {
    try {
      const pattern = new WordPattern(value);
      if (!pattern.isEmpty) return pattern;
      context.addIssue({ code: 'custom', message: 'must have a letter or a digit in it' });
    } catch (error) {
      context.addIssue({ code: 'custom', message: `is no regular expression: ${(error as Error).message}` });
    }
    return z.NEVER;
  });
export const oneOrMore = <Output>(one: z.ZodType<Output>) =>
  picked<Output[]>((value) => (Array.isArray(value) ? z.array(one).min(1) : one.transform((only) => [only])));
export const wordList = oneOrMore(words);

/** For a field that is there or not. */
export const yes = z.literal(true, { error: 'must be true' });

/** A mapping is of the kind of which it has the field. */
export const byField = <Output>(kinds: Readonly<Record<string, z.ZodType<Output>>>, what: string) =>
  picked<Output>((value) => {
    const given = Object.keys(Object(value)).filter((name) => Object.hasOwn(kinds, name));
    const [name = ''] = given;
    const kind = given.length === 1 ? kinds[name] : undefined;
    const names = Object.keys(kinds);
    const [meant] =
      given.length === 0 ? Object.keys(Object(value)).flatMap((one) => closestName(one, names) ?? []) : [];
    const help = meant === undefined ? '' : `: did you mean ${meant}?`;
    return kind ?? z.never({ error: `${what} has exactly one of the fields ${names.join(', ')}${help}` });
  });
