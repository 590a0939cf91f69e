import { allOf, inOrder, inSeconds } from '../../call/view/events.js';
import type { CallStory, Failure } from './call-story.js';

/** The sound of a sentence may begin with silence, and the far end plays what it gets somewhat later, in milliseconds. */
const LEAD_MS = 1_000;

/**
 * Whether a call begins with the sentence that a machine speaks, heard to its end.
 * @param wanted false: it is not said; undefined: it does not matter
 */
export function disclosureFailures(wanted: boolean | undefined, { events, answeredAt = 0 }: CallStory): Failure[] {
  if (wanted === undefined) return [];
  const [heard] = allOf(events, 'notice_heard').filter(({ notice }) => notice === 'disclosure');
  const failure = (happened: string, at?: number): Failure[] => {
    const expected = wanted ? 'that a machine speaks is said first, and heard to its end' : 'it is not said';
    return [{ field: 'disclosed', expected, happened, ...(at !== undefined && { atMs: at - answeredAt }) }];
  };
  if (!heard) return wanted ? failure('it was not heard to its end') : [];
  if (!wanted) return failure(`the caller heard "${heard.text}"`, heard.from);
  const first = allOf(inOrder(events), 'speech_started').find(({ speaker }) => speaker === 'bot');
  // one that was not heard to its end is said again
  const saidAt = allOf(events, 'said')
    .filter(({ speaker, text }) => speaker === 'bot' && text === heard.text)
    .map(({ startedAt = heard.from }) => startedAt);
  if (!first || first.at >= Math.min(heard.from, ...saidAt) - LEAD_MS) return [];
  return failure(`the bot was heard before, after ${inSeconds(first.at - answeredAt)}`, first.at);
}
