import { cleanText } from '../../base/clean-text.js';
import type { CallSummary } from '../placed-call.js';
import type { TimelineEvent } from '../timeline.js';
import { lastOf } from './events.js';
import { turnsOf, waitsOf } from './waterfall.js';

/** Longest last words, in characters. */
export const MAX_LAST_WORDS = 160;

/** What a row of a list tells of a call; undefined while there is nothing to tell. */
export function summaryOf(events: readonly TimelineEvent[]): CallSummary | undefined {
  const said = lastOf(events, 'said');
  const lastWords = said && { speaker: said.speaker, text: cleanText(said.text, MAX_LAST_WORDS) };
  const answerMs = waitsOf(turnsOf(events))?.median;
  if (!lastWords && answerMs === undefined) return undefined;
  return { ...(lastWords && { lastWords }), ...(answerMs !== undefined && { answerMs }) };
}

/** Whether an event changes the summary of its call. */
export const isForSummary = ({ type }: TimelineEvent): boolean => type === 'said' || type === 'turn_ended';
