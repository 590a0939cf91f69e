import { transcriptOf } from '../../../src/call/folder/transcript.js';
import type { BotEntry, TimelineEvent } from '../../../src/call/timeline.js';

/** A bot's event at a time, in milliseconds since the first sample. */
const event = (at: number, entry: BotEntry): TimelineEvent => ({ at: 1_000_000 + at, source: 'bot', bot: 1, ...entry });

const STARTED = event(40, { type: 'recording', is: 'started', startedAt: 1_000_000, sampleRate: 8_000 });
const caller = (at: number, text: string) => event(at, { type: 'said', speaker: 'caller', text });
const bot = (from: number, to: number, text: string, unheard?: string) =>
  event(to, {
    type: 'said',
    speaker: 'bot',
    text,
    startedAt: 1_000_000 + from,
    ...(unheard !== undefined && { unheard, wasInterrupted: true }),
  });
const speech = (at: number, is: 'started' | 'stopped') => event(at, { type: `speech_${is}`, speaker: 'caller' });

test('who has said what and when, since the first sample', () => {
  expect(
    transcriptOf([
      STARTED,
      bot(500, 1_500, 'Hello!'),
      speech(2_000, 'started'),
      speech(3_000, 'stopped'),
      caller(3_300, 'Do you have rye bread?'),
    ]),
  ).toEqual([
    { speaker: 'bot', text: 'Hello!', startMs: 500, endMs: 1_500 },
    { speaker: 'caller', text: 'Do you have rye bread?', startMs: 2_000, endMs: 3_000 },
  ]);
});

test('pieces of the caller without the bot between are one entry', () => {
  expect(
    transcriptOf([
      STARTED,
      speech(1_000, 'started'),
      caller(1_800, 'I would like'),
      speech(3_000, 'stopped'),
      caller(3_400, 'two loaves.'),
      bot(4_000, 5_000, 'Two loaves.'),
      caller(6_000, 'Yes.'),
    ]).map(({ speaker, text, startMs, endMs }) => [speaker, text, startMs, endMs]),
  ).toEqual([
    ['caller', 'I would like two loaves.', 1_000, 3_000],
    ['bot', 'Two loaves.', 4_000, 5_000],
    ['caller', 'Yes.', 6_000, 6_000],
  ]);
});

test('of an interrupted utterance: what was heard, and the rest', () => {
  expect(
    transcriptOf([STARTED, bot(0, 900, 'We have rye', 'and wheat.'), bot(2_000, 2_000, '', 'Never heard.')]),
  ).toEqual([
    { speaker: 'bot', text: 'We have rye', unheard: 'and wheat.', wasInterrupted: true, startMs: 0, endMs: 900 },
    { speaker: 'bot', text: '', unheard: 'Never heard.', wasInterrupted: true, startMs: 2_000, endMs: 2_000 },
  ]);
});

test('without a recording times count from the first event; nothing is said in nothing', () => {
  expect(transcriptOf([event(700, { type: 'caller_joined' }), caller(1_700, 'Hello?')])).toMatchObject([
    { startMs: 1_000, endMs: 1_000 },
  ]);
  expect(transcriptOf([])).toEqual([]);
  expect(transcriptOf([STARTED, caller(100, '')])).toEqual([]);
});

describe('a bot that dies while it speaks', () => {
  const saying = (at: number, text: string) => event(at, { type: 'saying', text, startsAt: 1_000_000 + at + 100 });
  const done = (at: number, outcome: string): TimelineEvent => ({
    at: 1_000_000 + at,
    source: 'runner',
    type: 'bot_done',
    bot: 1,
    outcome,
  });

  test('has said what the caller can have heard by then', () => {
    const events = [
      STARTED,
      bot(100, 400, 'Hello!'),
      saying(500, 'We open at nine.'),
      saying(4_000, 'And we close'),
      done(4_050, 'lost'),
    ];
    expect(transcriptOf(events)).toEqual([
      { speaker: 'bot', text: 'Hello!', startMs: 100, endMs: 400 },
      {
        speaker: 'bot',
        text: 'We open at nine.',
        startMs: 600,
        endMs: 4_050,
        unheard: 'And we close',
        wasInterrupted: true,
      },
    ]);
  });

  test('has said nothing when nothing of it was heard, and what it has told of itself is not told twice', () => {
    expect(transcriptOf([STARTED, saying(4_000, 'Hello!'), done(4_050, 'lost')])).toEqual([]);
    expect(transcriptOf([STARTED, saying(100, 'Hello!'), bot(200, 900, 'Hello!'), done(1_000, 'lost')])).toHaveLength(
      1,
    );
    expect(transcriptOf([STARTED, saying(100, 'Hello!'), done(1_000, 'returned')])).toEqual([]);
  });
});

test('what the browser of the caller has understood is an entry of its own, which says so', () => {
  const entries = transcriptOf([
    event(5_000, { type: 'said', speaker: 'caller', text: 'Hello?', by: 'browser' }),
    event(6_000, { type: 'said', speaker: 'caller', text: 'Is anybody there?', by: 'browser' }),
    event(7_000, { type: 'said', speaker: 'caller', text: 'Hello!' }),
  ]);
  expect(entries.map(({ text, by }) => [text, by])).toEqual([
    ['Hello? Is anybody there?', 'browser'],
    ['Hello!', undefined],
  ]);
});

test('what was typed is an entry of its own, where it was typed', () => {
  const typed = event(7_500, { type: 'said', speaker: 'caller', text: 'Hello?', startedAt: 1_006_000, typed: true });
  expect(
    transcriptOf([
      STARTED,
      speech(600, 'started'),
      caller(1_000, 'One.'),
      typed,
      speech(7_800, 'started'),
      caller(8_000, 'Two.'),
    ]),
  ).toEqual([
    { speaker: 'caller', text: 'One.', startMs: 600, endMs: 1_000 },
    { speaker: 'caller', text: 'Hello?', startMs: 6_000, endMs: 7_500, typed: true },
    { speaker: 'caller', text: 'Two.', startMs: 7_800, endMs: 8_000 },
  ]);
});
