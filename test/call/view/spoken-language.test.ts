import { transcriptOf as keptTranscriptOf } from '../../../src/call/folder/transcript.js';
import type { TimelineEntry, TimelineEvent } from '../../../src/call/timeline.js';
import { ladderOf } from '../../../src/call/view/ladder.js';
import { liveLinesOf } from '../../../src/call/view/live-lines.js';
import { transcriptOf } from '../../../src/call/view/transcript.js';

const T0 = 1_000_000;
const at = (ms: number, entry: TimelineEntry): TimelineEvent =>
  ({ at: T0 + ms, source: 'bot', bot: 1, ...entry }) as TimelineEvent;
const said = (ms: number, speaker: 'caller' | 'bot', text: string, startedMs: number) =>
  at(ms, { type: 'said', speaker, text, startedAt: T0 + startedMs });

const CALL: readonly TimelineEvent[] = [
  said(400, 'bot', 'Beep.', 100),
  at(500, { type: 'language_changed', language: 'en' }),
  said(1_500, 'bot', 'Hello.', 600),
  said(2_500, 'caller', 'Spanish, please.', 1_600),
  at(3_000, { type: 'language_changed', language: 'es-MX', from: 'en' }),
  said(3_200, 'bot', 'Of course.', 2_900),
  said(4_500, 'bot', 'Hablo con gusto.', 3_500),
];
const LINES = [
  [undefined, 'Beep.'],
  ['en', 'Hello.'],
  ['en', 'Spanish, please.'],
  ['en', 'Of course.'],
  ['es-MX', 'Hablo con gusto.'],
];

test('each line has the language that was spoken when it began, and a change is told where it was', () => {
  const items = transcriptOf(CALL);
  expect(items.flatMap((item) => (item.kind === 'said' ? [[item.language, item.text]] : []))).toEqual(LINES);
  const notes = items.flatMap((item) => (item.kind === 'note' ? [[item.at - T0, item.text]] : []));
  expect(notes).toEqual([[3_000, 'The call goes on in Mexican Spanish (es-MX)']]);
});

test('so has each entry of the transcript that is kept', () => {
  expect(keptTranscriptOf(CALL).map(({ language, text }) => [language, text])).toEqual(LINES);
});

test('so has what is being said', () => {
  const events = [
    ...CALL,
    at(5_000, { type: 'saying', text: 'Y ahora', startsAt: T0 + 5_000, utterance: 9 }),
    at(5_100, { type: 'interim_transcript', text: 'Sí' }),
  ];
  expect(liveLinesOf(events).map(({ speaker, language }) => [speaker, language])).toEqual([
    ['bot', 'es-MX'],
    ['caller', 'es-MX'],
  ]);
  expect(liveLinesOf([at(0, { type: 'interim_transcript', text: 'Yes' })])[0]).not.toHaveProperty('language');
});

test('the ladder tells what is spoken, and what a tag that has no name is', () => {
  const rows = ladderOf([...CALL, at(6_000, { type: 'language_changed', language: 'xx', from: 'es-MX' })]);
  expect(JSON.stringify(rows)).toMatch(/talks in English \(en\).*goes on in Mexican Spanish \(es-MX\).*goes on in xx/);
});
