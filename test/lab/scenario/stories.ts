import type { CallRecord } from '../../../src/call/call-record.js';
import type { TimelineEntry, TimelineEvent } from '../../../src/call/timeline.js';
import type { CallStory } from '../../../src/lab/scenario/call-story.js';
import { failuresOf } from '../../../src/lab/scenario/expectations.js';
import { measure } from '../../../src/lab/scenario/measure.js';
import { placeScenario } from '../../../src/lab/scenario/placed-scenario.js';
import { receivedKeys } from '../../../src/lab/scenario/received-keys.js';
import type { ExpectOptions } from '../../../src/lab/scenario/scenario-options.js';
import { sine } from '../../base/audio/signals.js';

/** When the calls of these stories are answered. */
const ANSWERED_AT = 1_000_000;

/** An event of a bot, so long after the answer. */
export const at = (ms: number, entry: TimelineEntry): TimelineEvent => ({
  ...entry,
  at: ANSWERED_AT + ms,
  source: 'bot',
});

/** What has been said from one moment on, noted two seconds later. */
export const said = (ms: number, speaker: 'caller' | 'bot', text: string, unheard?: string): TimelineEvent =>
  at(ms + 2_000, {
    type: 'said',
    speaker,
    text,
    startedAt: ANSWERED_AT + ms,
    ...(unheard !== undefined && { unheard }),
  });

/** Silence with a tone in these stretches, `[from, to]` in milliseconds. */
export function audioOf(lengthMs: number, ...tones: ReadonlyArray<readonly [number, number]>): Int16Array {
  const pcm = new Int16Array(lengthMs * 8);
  for (const [from, to] of tones) pcm.set(sine(400, 8_000, (to - from) * 8), from * 8);
  return pcm;
}

/** A call of ten seconds that ended as it should, of which nothing else is known. */
export const storyOf = (
  change: Partial<CallStory> = {},
  endReason: CallRecord['endReason'] = 'bot_ended',
): CallStory => ({
  record: {
    id: 'c-1',
    direction: 'inbound',
    from: '+12025550199',
    to: '+12025550111',
    state: 'ended',
    attempt: 1,
    startedAt: ANSWERED_AT - 1_000,
    answeredAt: ANSWERED_AT,
    endedAt: ANSWERED_AT + 10_000,
    ...(endReason !== undefined && { endReason }),
  },
  events: [],
  receivedKeys: receivedKeys(change.events ?? [], ''),
  answeredAt: ANSWERED_AT,
  lengthMs: 10_000,
  audio: undefined,
  questions: [],
  log: [],
  files: [],
  killedAt: [],
  faults: [],
  ...change,
});

/** What does not hold of a call, as `field: expected; happened @ time`. */
export function missed(
  expect: ExpectOptions,
  story: CallStory,
  soundOf: () => Int16Array = () => new Int16Array(0),
): string[] {
  const placed = placeScenario(
    { name: 'a', caller: [{ say: 'a' }], expect: { ...expect, sound: undefined } },
    '/a.yaml',
    () => 1,
  );
  if (Array.isArray(placed)) throw new Error(JSON.stringify(placed));
  const sound = expect.sound === undefined ? [] : [expect.sound].flat();
  return failuresOf({ ...placed.expect, sound }, { story, measures: measure(story), soundOf }).map(
    ({ field, expected, happened, atMs }) =>
      `${field}: ${expected}; ${happened}${atMs === undefined ? '' : ` @ ${atMs}`}`,
  );
}
