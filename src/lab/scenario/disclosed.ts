import { allOf, inOrder, inSeconds } from '../../call/view/events.js';
import type { CallStory, Failure } from './call-story.js';

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
  const speech = allOf(inOrder(events), 'speech_started').find(({ speaker }) => speaker === 'bot');
  const said = allOf(inOrder(events), 'said').find(
    ({ speaker, startedAt }) => speaker === 'bot' && startedAt !== undefined,
  );
  const isFirst = said === undefined || said.text === heard.text || Number(said.startedAt) >= heard.from;
  if (isFirst) return [];
  const at = said.startedAt ?? speech?.at ?? heard.from;
  return failure(`the bot said "${said.text}" before, after ${inSeconds(at - answeredAt)}`, at);
}
