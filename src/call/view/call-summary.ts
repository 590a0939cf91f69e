import { cleanText } from '../../base/clean-text.js';
import { type Exception, placeOf } from '../../base/exception/exception.js';
import type { CallSummary } from '../placed-call.js';
import type { TimelineEvent } from '../timeline.js';
import { exceptionsIn, lastOf } from './events.js';
import { turnsOf, waitsOf } from './waterfall.js';

/** Longest last words, and longest error, in characters. */
export const MAX_LAST_WORDS = 160;

/** What a row of a list tells of a call; undefined while there is nothing to tell. */
export function summaryOf(events: readonly TimelineEvent[]): CallSummary | undefined {
  const said = lastOf(events, 'said');
  const lastWords = said && { speaker: said.speaker, text: cleanText(said.text, MAX_LAST_WORDS) };
  const answerMs = waitsOf(turnsOf(events))?.median;
  const exception = exceptionsIn(events).at(-1);
  if (!lastWords && answerMs === undefined && !exception) return undefined;
  return {
    ...(lastWords && { lastWords }),
    ...(answerMs !== undefined && { answerMs }),
    ...(exception && { thrown: thrownOf(exception) }),
  };
}

function thrownOf(exception: Exception): NonNullable<CallSummary['thrown']> {
  const place = placeOf(exception);
  const [error = ''] = exception.error.split('\n', 1);
  return { error: cleanText(error, MAX_LAST_WORDS), ...(place && { place: cleanText(place, MAX_LAST_WORDS) }) };
}

/** Whether an event changes the summary of its call. */
export const isForSummary = (event: TimelineEvent): boolean =>
  event.type === 'said' || event.type === 'turn_ended' || (event.type === 'output' && event.exception !== undefined);
