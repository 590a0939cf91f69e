import type { TimelineEvent } from '../../../src/call/timeline.js';
import { at, missed, said, storyOf } from './stories.js';

const TEXT = 'You are talking to a machine.';
/** When the calls of these stories are answered. */
const ANSWERED_AT = 1_000_000;

const heard = (fromMs: number): TimelineEvent =>
  at(fromMs + 2_500, {
    type: 'notice_heard',
    notice: 'disclosure',
    text: TEXT,
    from: ANSWERED_AT + fromMs,
    to: ANSWERED_AT + fromMs + 2_000,
    evidence: 'acknowledged',
  });
/** From the first sound that the bot sends on. */
const speaks = (ms: number): TimelineEvent => at(ms, { type: 'speech_started', speaker: 'bot' });
const recordingNotice = at(6_000, {
  type: 'notice_heard',
  notice: 'recording',
  text: 'This call is recorded.',
  from: ANSWERED_AT + 4_000,
  to: ANSWERED_AT + 5_500,
  evidence: 'acknowledged',
});

test.each<[string, TimelineEvent[]]>([
  ['it is the first that is heard', [speaks(500), said(500, 'bot', TEXT), heard(800), said(4_000, 'bot', 'Hello.')]],
  [
    'the caller speaks before it',
    [at(100, { type: 'speech_started', speaker: 'caller' }), speaks(4_000), said(4_000, 'bot', TEXT), heard(4_000)],
  ],
  ['the bot has no words of its own behind it', [speaks(300), heard(500)]],
  [
    'it is heard to its end the second time',
    [speaks(200), said(200, 'bot', TEXT), speaks(3_000), said(3_000, 'bot', TEXT), heard(3_000)],
  ],
])('holds where %s', (_what, events) => {
  expect(missed({ disclosed: true }, storyOf({ events }))).toEqual([]);
});

test.each<[string, TimelineEvent[], string]>([
  ['it is not said', [said(500, 'bot', 'Hello.')], 'it was not heard to its end'],
  ['another notice is', [recordingNotice], 'it was not heard to its end'],
  [
    'something else is said before',
    [speaks(200), said(200, 'bot', 'Hello.'), speaks(3_000), said(3_000, 'bot', TEXT), heard(3_000)],
    'the bot was heard before, after 0.20 s @ 200',
  ],
  [
    'a recording is played before, without words',
    [speaks(200), said(3_000, 'bot', TEXT), heard(3_000)],
    'the bot was heard before, after 0.20 s @ 200',
  ],
])('does not hold where %s', (_what, events, happened) => {
  expect(missed({ disclosed: true }, storyOf({ events }))).toEqual([
    `disclosed: that a machine speaks is said first, and heard to its end; ${happened}`,
  ]);
});

test('false holds where it is not said', () => {
  expect(missed({ disclosed: false }, storyOf({ events: [said(500, 'bot', 'Hello.')] }))).toEqual([]);
  expect(missed({ disclosed: false }, storyOf({ events: [heard(500)] }))).toEqual([
    `disclosed: it is not said; the caller heard "${TEXT}" @ 500`,
  ]);
});
