import type { TimelineEntry } from '../../../src/call/timeline.js';
import { recordedModel } from '../../../src/lab/replay/recorded-model.js';
import { botSays, callerSays, callOf } from './recorded-call.js';

const asked = (at: number, turn: number, response: number) =>
  [at, { type: 'model_asked', turn, response, model: 'm', provider: 'p' }] as const;
const voice = (at: number, utterance: number, turn?: number): Array<readonly [number, TimelineEntry]> => [
  [at, { type: 'voice_asked', utterance, turn }],
  [at + 50, { type: 'voice_answered', utterance, ms: 50, firstAudioMs: 10, outcome: 'said' }],
];
const called = (at: number, turn: number, name: string, input: object) =>
  [at, { type: 'tool_called', turn, call: `${at}`, name, input }] as const;

test('the model answers what it answered, to the same words and after the same function; what the bot says itself is left out', () => {
  const call = callOf(
    [
      ...voice(250, 1),
      ...botSays(300, 2_000, 'Hello.'),
      ...callerSays(3_000, 4_000, 'When are you open?'),
      asked(4_500, 1, 1),
      called(4_600, 1, 'opening_hours', { day: 'Sunday' }),
      asked(4_700, 1, 2),
      ...voice(4_750, 2, 1),
      ...botSays(4_800, 5_500, 'We are closed', 'on Sunday.'),
      ...callerSays(5_400, 6_000, 'And Monday?'),
      asked(6_300, 2, 3), // the caller goes on before it has answered
      ...callerSays(6_400, 7_000, 'Or Tuesday?'),
      asked(7_500, 3, 4),
      ...voice(7_550, 3, 3),
      ...botSays(7_600, 9_000, 'Both are fine.'),
    ],
    11_000,
  );
  expect(recordedModel(call.events)).toEqual([
    { when: 'When are you open?', once: true, call: { opening_hours: { day: 'Sunday' } } },
    { after: 'opening_hours', once: true, say: 'We are closed on Sunday.' },
    { when: 'And Monday? Or Tuesday?', once: true, say: 'Both are fine.' },
  ]);
});

test('an answer that nothing was said for stands behind the others', () => {
  const call = callOf(
    [
      asked(100, 1, 1),
      ...voice(150, 1, 1),
      ...botSays(200, 1_000, 'Who is there?'),
      ...callerSays(2_000, 3_000, 'Ada.'),
      asked(3_500, 2, 2),
      ...voice(3_550, 2, 2),
      ...botSays(3_600, 4_500, 'Hello Ada.'),
    ],
    6_000,
  );
  expect(recordedModel(call.events)).toEqual([
    { when: 'Ada.', once: true, say: 'Hello Ada.' },
    { once: true, say: 'Who is there?' },
  ]);
});
