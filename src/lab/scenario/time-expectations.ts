import { allOf, inSeconds } from '../../call/view/events.js';
import type { CallStory, Failure, Measures } from './call-story.js';
import { overlaps } from './measure.js';
import type { Expectation } from './scenario-schema.js';

/** An interruption is noted so long before or after it is heard, at most, in milliseconds. */
const STOP_NOTED_MS = 1_000;

/** What came too late, or lasted too long, in one call. */
export function timeFailures(
  { firstWordWithin, stopsWithin, silentAtMost, endsWithin }: Expectation,
  { story, measures }: { readonly story: CallStory; readonly measures: Measures },
): ReadonlyArray<Failure | false | undefined> {
  const { firstWordMs, silence } = measures;
  const talkedOver = stopsWithin === undefined ? [] : overlaps(story);
  const isLate = firstWordWithin !== undefined && (firstWordMs ?? Number.POSITIVE_INFINITY) > firstWordWithin;
  const over = talkedOver.find(({ ms }) => ms > (stopsWithin ?? 0));
  return [
    isLate && {
      field: 'firstWordWithin',
      expected: inSeconds(firstWordWithin),
      happened:
        firstWordMs === undefined ? 'the bot was not heard' : `the bot was heard after ${inSeconds(firstWordMs)}`,
    },
    over && {
      field: 'stopsWithin',
      expected: inSeconds(stopsWithin ?? 0),
      happened: `the bot went on for ${inSeconds(over.ms)}`,
      atMs: over.atMs,
    },
    stopsWithin !== undefined &&
      !over &&
      !talkedOver.some((one) => wasInterrupted(one, story)) && {
        field: 'stopsWithin',
        expected: inSeconds(stopsWithin),
        happened: `nothing was measured: ${
          talkedOver.length === 0
            ? 'the caller has not talked over the bot'
            : 'the bot had come to its end when the caller talked over it'
        }`,
      },
    silentAtMost !== undefined &&
      story.audio === undefined && {
        field: 'silentAtMost',
        expected: inSeconds(silentAtMost),
        happened: 'nothing was measured: there is no sound of this call',
      },
    silentAtMost !== undefined &&
      silence.ms > silentAtMost && {
        field: 'silentAtMost',
        expected: inSeconds(silentAtMost),
        happened: `neither side was heard for ${inSeconds(silence.ms)}`,
        atMs: silence.atMs,
      },
    endsWithin !== undefined &&
      story.answeredAt === undefined && {
        field: 'endsWithin',
        expected: inSeconds(endsWithin),
        happened: 'nothing was measured: the call was not answered',
      },
    endsWithin !== undefined &&
      story.lengthMs > endsWithin && {
        field: 'endsWithin',
        expected: inSeconds(endsWithin),
        happened: `the call took ${inSeconds(story.lengthMs)}`,
      },
  ];
}

/** Whether a bot that was talked over has been stopped by that: it was interrupted, or its speech was held. */
function wasInterrupted(
  { ms, atMs }: { readonly ms: number; readonly atMs: number },
  { events, answeredAt = 0 }: CallStory,
): boolean {
  const isThen = (at: number) => at - answeredAt > atMs - STOP_NOTED_MS && at - answeredAt < atMs + ms + STOP_NOTED_MS;
  return (
    allOf(events, 'speech_stopped').some((one) => one.speaker === 'bot' && one.wasInterrupted && isThen(one.at)) ||
    allOf(events, 'speech_held').some((one) => isThen(one.at - one.ms))
  );
}
