import { allOf } from '../../call/view/events.js';
import type { CallStory, Lateness, Measures } from './call-story.js';

/**
 * What is less late changes nothing that callers do or bots understand: audio that is more than 200 ms late is lost, a pause of 1 s ends
 * what a bot says, and after 5 s without a sound a caller goes on.
 */
const LIMITS_MS = { line: 400, speech: 700, answer: 3_000 } as const;

/** Why a call at speed tells nothing about the bot; undefined: it does. */
export function latenessOf({ events, lineLateMs = 0 }: CallStory, measures: Measures): Lateness | undefined {
  const worst = {
    line: lineLateMs,
    speech: Math.max(0, ...allOf(events, 'audio_gap').map(({ ms }) => ms)),
    answer: Math.max(0, measures.firstWordMs ?? 0, ...measures.answersMs),
  };
  const of = (['line', 'speech', 'answer'] as const).find((one) => worst[one] > LIMITS_MS[one]);
  return of && { of, ms: worst[of] };
}
