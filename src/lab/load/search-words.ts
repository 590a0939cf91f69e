import { adviceOf, machineWords, type Serving } from './load-hints.js';
import type { JudgedLimit } from './load-limits.js';
import { limitWords } from './load-table.js';
import type { SearchedNumber, SearchKind, TriedCalls } from './search-numbers.js';

/** `43 calls within one second`, `120 calls at the same time` */
export const numberWords = (kind: SearchKind, calls: number): string =>
  `${callsWords(calls)} ${kind === 'burst' ? 'within one second' : 'at the same time'}`;

/** `1 call at the same time is too many` */
export const tooManyWords = (kind: SearchKind, calls: number): string =>
  `${numberWords(kind, calls)} ${calls === 1 ? 'is' : 'are'} too many`;

export const callsWords = (calls: number): string => (calls === 1 ? '1 call' : `${calls} calls`);

/** What a search has come to for one of its numbers: the number first, then why it is not larger. */
export function searchLines(number: SearchedNumber, serving: Serving): readonly [string, ...string[]] {
  const { kind, calls, tooMany, isFound, isAll, isBounded } = number;
  if (!isFound && !number.fine && !tooMany) return [`${NAMES[kind]}: not tried`];
  const found = calls === 0 ? `${NAMES[kind]}: not even one` : numberWords(kind, calls);
  const most = isBounded ? ': all that may go on' : ', and more were not tried';
  const how = isAll ? most : isFound ? '' : ' so far';
  return [`${found}${how}`, ...(tooMany ? causeLines(tooMany, serving) : [])];
}

const NAMES: Readonly<Record<SearchKind, string>> = {
  burst: 'Calls within one second',
  steady: 'Calls at the same time',
};

function causeLines({ calls, outcome }: TriedCalls, serving: Serving): string[] {
  const broken = firstBroken(outcome.limits);
  if (!broken) return [];
  const [reason] = outcome.figures.reasons;
  const why = broken.name === 'failedPercent' && reason ? `: ${reason.why}` : '';
  return [`at ${calls}: ${limitWords(broken)}${why}`, machineWords(outcome), adviceOf(outcome, serving)];
}

/** The limit that tells most: calls that went wrong explain what else is bad, and then the one that is exceeded most. */
export function firstBroken(limits: readonly JudgedLimit[]): JudgedLimit | undefined {
  const broken = limits.filter(({ isMet }) => !isMet);
  const excess = ({ value = Number.POSITIVE_INFINITY, limit }: JudgedLimit) => value / Math.max(limit, Number.EPSILON);
  return (
    broken.find(({ name }) => name === 'failedPercent') ??
    broken.toSorted((one, other) => excess(other) - excess(one))[0]
  );
}
