import { ownFrame } from '../../base/exception/exception-of.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf, botFailureIn, type TimelineEventOf, textOf } from '../../call/view/events.js';
import type { CallStory, Failure } from './call-story.js';

/** What a bot writes comes another way than what it tells, and so much later at most, in milliseconds. */
const OUTPUT_LATE_MS = 300;
/** What is thrown where a signal aborts, as that of a call does when the call is over. */
const ABORTS: ReadonlySet<string> = new Set(['AbortError', 'ABORT_ERR']);
/** Where problems of handlers come from: those of a call, and of a conversation. */
const HANDLERS: ReadonlySet<string> = new Set(['a handler', 'Conversation']);
/** A bot is gone so long after it was killed, at most, in milliseconds. */
const DEATH_MS = 10_000;
/** What a process that dies of itself has to say comes so long before its end is known, or after it. */
const LAST_WORDS_MS = 3_000;

/**
 * The bots of a call that failed by themselves, the first with its last words and where in its file that was: an error that its function
 * has thrown, a process that has ended, one that has stood still. A process that the test has killed is none, nor is what voicebot itself
 * refuses once the call is over, or a wait that its end has aborted.
 */
export function brokenBots({ events, answeredAt, record, killedAt }: CallStory): Failure[] {
  const killed = [...killedAt];
  const broken = allOf(events, 'bot_done').filter(({ outcome, errorType, at }) => {
    if (outcome === 'threw') return at <= (record?.endedAt ?? Number.POSITIVE_INFINITY) || !isOfTheEnd(errorType);
    if (outcome !== 'lost' && outcome !== 'hung') return false;
    // A bot that has not come to its stream when the caller hangs up is ended by the runner.
    if (outcome === 'hung' && at > (record?.endedAt ?? at) && !deathOf(at, events)) return false;
    // A bot that ends its process when its call is over has nothing left to do.
    if (at > (record?.endedAt ?? at) && deathOf(at, events)?.fields?.exit === 'code 0') return false;
    const planted = killed.findIndex((kill) => at >= kill && at - kill < DEATH_MS);
    if (planted >= 0) killed.splice(planted, 1);
    return planted < 0;
  });
  const [first, ...others] = broken;
  if (!first) return [];
  const more =
    others.length === 0 ? '' : `; ${others.length === 1 ? 'one bot' : `${others.length} bots`} after it failed as well`;
  const happened = `${lastWords(first, events)}${more}`;
  return [{ kind: 'broke', field: 'bot', expected: 'that no bot fails', happened, atMs: first.at - (answeredAt ?? 0) }];
}

/**
 * Code of the bot that failed while the call went on: a handler, or a part of its pipeline. Failures of services and of functions are told
 * elsewhere.
 */
export function brokenCode({ events, answeredAt, record }: CallStory): Failure[] {
  const endedAt = record?.endedAt ?? Number.POSITIVE_INFINITY;
  const output = allOf(events, 'output');
  const failures = allOf(events, 'warning').filter(
    ({ from = '', errorType, at }) =>
      errorType !== undefined &&
      !ABORTS.has(errorType) &&
      (HANDLERS.has(from) ? at <= endedAt || !isOfTheEnd(errorType) : isOfCode(from, errorType)),
  );
  const kindOf = ({ message, from, errorType }: TimelineEventOf<'warning'>) => `${from} ${errorType} ${message}`;
  const times = new Map<string, number>();
  for (const one of failures) times.set(kindOf(one), (times.get(kindOf(one)) ?? 0) + 1);
  const firsts = failures.filter((one, at) => failures.findIndex((other) => kindOf(other) === kindOf(one)) === at);
  return firsts.map((first) => {
    const { message, from = '', errorType, at } = first;
    const [words = ''] = message.split(' (caused by ', 1);
    const written = output.findIndex(({ line }) => line.includes(words));
    const place = written < 0 ? '' : placeWords(output.slice(written));
    const what = HANDLERS.has(from) ? 'a handler' : from;
    const count = times.get(kindOf(first)) ?? 1;
    const again = count === 1 ? '' : `, ${count} times`;
    const happened = `${errorType}: ${message}${place}: ${what} has thrown it${again}`;
    return {
      kind: 'broke',
      field: 'bot',
      expected: 'that no code of the bot fails',
      happened,
      atMs: at - (answeredAt ?? 0),
    };
  });
}

/** An error without a code is a mistake in code; one with a code tells what the world has done. */
const isOfCode = (from: string, errorType: string) => !from.startsWith('function ') && /^[A-Z][a-z]/.test(errorType);

/** Whether an error is what comes of the end of a call; of a function that has not returned in time there is none. */
const isOfTheEnd = (errorType: string | undefined): boolean =>
  errorType === undefined || errorType.startsWith('VB_') || ABORTS.has(errorType);

function lastWords(done: TimelineEventOf<'bot_done'>, events: readonly TimelineEvent[]): string {
  const output = allOf(events, 'output');
  if (done.outcome === 'threw') {
    const at = output.findLastIndex(
      (one) => one.at <= done.at + OUTPUT_LATE_MS && botFailureIn(one.line) !== undefined,
    );
    const why = botFailureIn(output[at]?.line ?? '') ?? 'an error';
    return `${why}${placeWords(output.slice(Math.max(0, at)))}: its function has thrown it`;
  }
  const { exit, lastLine } = deathOf(done.at, events)?.fields ?? {};
  const what = done.outcome === 'hung' ? 'it stood still' : 'its process ended by itself';
  const how = exit === undefined ? what : `${what}${done.outcome === 'hung' ? ':' : ' with'} ${textOf(exit)}`;
  return typeof lastLine === 'string'
    ? `${lastLine}${placeWords(output.filter(({ at }) => isNear(at, done.at)))}: ${how}`
    : how;
}

const isNear = (at: number, other: number) => Math.abs(at - other) < LAST_WORDS_MS;

/** What the runner has noted of the end of a process. */
const deathOf = (at: number, events: readonly TimelineEvent[]) =>
  allOf(events, 'log').find((one) => isNear(one.at, at) && one.fields?.exit !== undefined);

/** `, at /home/ada/bank/bot.ts:5`: the first place in a stack that is neither Node's, nor this package's, nor another one's. */
function placeWords(output: readonly TimelineEventOf<'output'>[]): string {
  for (const { line, exception } of output) {
    if (exception?.file) return `, at ${exception.file}:${exception.line}`;
    const frame = ownFrame(line);
    if (frame) return `, at ${frame.file}:${frame.line}`;
  }
  return '';
}
