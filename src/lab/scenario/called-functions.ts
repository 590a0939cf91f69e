import { isDeepStrictEqual } from 'node:util';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf, textOf } from '../../call/view/events.js';
import type { CallStory, Failure } from './call-story.js';
import type { WordPattern } from './words.js';

/** A function as the model has called it, and what came of it. */
export interface CalledFunction {
  readonly name: string;
  readonly input: unknown;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Undefined where the call was over before. */
  readonly returned:
    | { readonly output: unknown; readonly isError: boolean; readonly errorType: string | undefined }
    | undefined;
}

/** A function that a scenario expects to be called. */
export interface ExpectedFunction {
  readonly name: string;
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** What it returns; of an object what is named. */
  readonly result?: unknown;
  /** That it fails: with these words, or with whatever; without it, it must not. */
  readonly fails?: true | WordPattern | undefined;
}

/** The functions that the model has called, in order, each with its own result: models count their calls anew in each answer. */
export function calledFunctions(events: readonly TimelineEvent[]): CalledFunction[] {
  const returned = new Set<TimelineEvent>();
  return allOf(events, 'tool_called').map(({ name, input, call, at }) => {
    const result = allOf(events, 'tool_returned').find(
      (one) => one.call === call && one.name === name && one.at >= at && !returned.has(one),
    );
    if (!result) return { name, input, at, returned: undefined };
    returned.add(result);
    const { output, isError, errorType } = result;
    return { name, input, at, returned: { output, isError, errorType } };
  });
}

/** `balance({"pin":"1111"}) = {"amount":1250}` */
export function functionWords({ name, input, returned }: CalledFunction): string {
  const called = input === undefined ? name : `${name}(${JSON.stringify(input)})`;
  if (!returned) return called;
  const { output, isError } = returned;
  return isError ? `${called} failed: ${textOf(output)}` : `${called} = ${textOf(output)}`;
}

/**
 * Compares the functions that were called with the expected ones, which are all there must be, in this order. Without any expectation none
 * may fail, but for those that the caller has interrupted.
 * @param arranged what functions fail with because the scenario says so, by their names
 */
export function functionFailures(
  expected: readonly ExpectedFunction[] | undefined,
  { events, answeredAt }: Pick<CallStory, 'events' | 'answeredAt'>,
  arranged: ReadonlyMap<string, string>,
): Failure[] {
  const called = calledFunctions(events);
  const atMsOf = (one: CalledFunction | undefined) => one && one.at - (answeredAt ?? 0);
  if (expected && !isAsExpected(called, expected)) {
    const at = called.findIndex((one, index) => !isLike(one, expected[index]));
    const happened = `the model called ${called.map(functionWords).join(', ') || 'none'}`;
    return [{ field: 'tools', expected: expectedWords(expected), happened, atMs: atMsOf(called[at]) }];
  }
  return called
    .filter((one, index) => hasFailed(one) && expected?.[index]?.fails === undefined && !isArranged(one, arranged))
    .map((one) => ({
      field: 'tools',
      expected: 'that no function fails',
      happened: functionWords(one),
      atMs: atMsOf(one),
    }));
}

const isAsExpected = (called: readonly CalledFunction[], expected: readonly ExpectedFunction[]) =>
  called.length === expected.length && called.every((one, index) => isLike(one, expected[index]));

/** Whether a function was called as expected, as far as the expectation goes: a failure that it does not speak of is told by itself. */
function isLike(one: CalledFunction, expected: ExpectedFunction | undefined): boolean {
  if (!expected || expected.name !== one.name || !holds(one.input, expected.input)) return false;
  const { returned } = one;
  if (expected.fails !== undefined)
    return returned?.isError === true && (expected.fails === true || expected.fails.isIn(textOf(returned.output)));
  return expected.result === undefined || (returned?.isError === false && holds(returned.output, expected.result));
}

const isArranged = ({ name, returned }: CalledFunction, arranged: ReadonlyMap<string, string>) =>
  returned !== undefined && arranged.get(name) === textOf(returned.output);

const hasFailed = ({ returned }: CalledFunction) => returned?.isError === true && returned.errorType !== 'cancelled';

const expectedWords = (expected: readonly ExpectedFunction[]): string =>
  expected
    .map(({ name, input, result, fails }) => {
      const called = input === undefined ? name : `${name}(${JSON.stringify(input)})`;
      if (fails !== undefined) return `${called} failed${fails === true ? '' : `: ${fails}`}`;
      return result === undefined ? called : `${called} = ${textOf(result)}`;
    })
    .join(', ') || 'none';

/** Whether a value has everything that another one names. */
export function holds(value: unknown, named: unknown): boolean {
  if (named === undefined) return true;
  if (typeof named !== 'object' || named === null) return isDeepStrictEqual(value, named);
  if (Array.isArray(named))
    return Array.isArray(value) && value.length === named.length && named.every((one, at) => holds(value[at], one));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(named).every(([field, wanted]) => holds(value[field as keyof typeof value], wanted));
}
