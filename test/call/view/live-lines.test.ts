import type { TimelineEntry, TimelineEvent } from '../../../src/call/timeline.js';
import { heardWords, LiveTalk, liveLinesOf, nextWordAt, textOfWords } from '../../../src/call/view/live-lines.js';

/** Of the tests' clock, in milliseconds since the Unix epoch. */
const T0 = 1_000_000;

const at = (ms: number, entry: TimelineEntry, bot = 1): TimelineEvent =>
  ({ at: T0 + ms, source: 'bot', bot, ...entry }) as TimelineEvent;
const saying = (ms: number, text: string, startsMs = ms, utterance = 1) =>
  at(ms, { type: 'saying', text, startsAt: T0 + startsMs, utterance });
const times = (ms: number, words: ReadonlyArray<[string, number, number]>, from = 0, utterance = 1) =>
  at(ms, {
    type: 'word_times',
    utterance,
    from,
    words: words.map(([text, startMs, endMs]) => ({ text, startsAt: T0 + startMs, endsAt: T0 + endMs })),
  });

/** What is shown at a time: of each line its words, with `|` between those that are heard and the others. */
const shown = (events: readonly TimelineEvent[], ms: number) =>
  liveLinesOf(events.filter((event) => event.at <= T0 + ms)).map((line) => {
    const heard = heardWords(line, T0 + ms);
    const words = line.words.map(({ text }) => text);
    return `${line.speaker}: ${[...words.slice(0, heard), '|', ...words.slice(heard)].join(' ')}`;
  });

const MORNING = [
  saying(0, 'Good morning, Ada.', 100),
  times(20, [
    ['Good', 100, 300],
    ['morning,', 300, 700],
    ['Ada.', 900, 1_200],
  ]),
];

test('all words are there when the voice begins, and each is heard when the voice says that it is', () => {
  expect(shown(MORNING, 20)).toEqual(['bot: | Good morning, Ada.']);
  expect(shown(MORNING, 100)).toEqual(['bot: Good | morning, Ada.']);
  expect(shown(MORNING, 899)).toEqual(['bot: Good morning, | Ada.']);
  expect(shown(MORNING, 900)).toEqual(['bot: Good morning, Ada. |']);
});

test('the time of the next change is told, so that nobody has to look all the time', () => {
  const lines = liveLinesOf(MORNING);
  expect(nextWordAt(lines, T0)).toBe(T0 + 100);
  expect(nextWordAt(lines, T0 + 100)).toBe(T0 + 300);
  expect(nextWordAt(lines, T0 + 900)).toBeUndefined();
});

test('without times of words they are estimated by their letters, no later than the next piece begins', () => {
  const events = [saying(0, 'One two three four'), saying(100, 'five six', 400)];
  expect(shown(events, 90)).toEqual(['bot: One | two three four']);
  expect(shown(events, 100)).toEqual(['bot: One two | three four five six']);
  expect(shown(events, 399)).toEqual(['bot: One two three four | five six']);
  expect(shown(events, 400)).toEqual(['bot: One two three four five | six']);
});

test('signs that the voice leaves out of its words stay with them, and words that it invents are passed over', () => {
  const events = [
    saying(0, 'It is "open" - now!'),
    times(10, [
      ['It', 0, 100],
      ['is', 100, 200],
      ['um', 200, 250],
      ['open', 300, 500],
      ['now', 800, 900],
    ]),
  ];
  expect(shown(events, 250)[0]).toMatch(/^bot: It is \| "open"/);
  expect(shown(events, 300)[0]).toMatch(/^bot: It is "open" \|/);
  expect(shown(events, 800)[0]).toBe('bot: It is "open" - now! |');
});

/** The same, joined as it is shown. */
const joined = (events: readonly TimelineEvent[], ms: number) =>
  liveLinesOf(events).map((line) => {
    const heard = heardWords(line, T0 + ms);
    const [before, after] = [line.words.slice(0, heard), line.words.slice(heard)].map(textOfWords);
    return `${before?.trim()}|${after?.trim()}`;
  });

test.each([
  ['Chinese', '您好，欢迎致电。', ['', '您好，', '您好，欢迎', '您好，欢迎致电。']],
  ['Japanese', '東京は5時です！', ['', '東京', '東京は', '東京は5', '東京は5時', '東京は5時です！']],
  ['Thai', 'สวัสดีค่ะ ยินดีต้อนรับ', ['', 'สวัสดี', 'สวัสดีค่ะ', 'สวัสดีค่ะ ยินดี', 'สวัสดีค่ะ ยินดีต้อนรับ']],
])('%s, which has no spaces, is heard word by word, and stands there without spaces', (_name, text, steps) => {
  const events = [saying(0, text, 100)];
  const seen = Array.from({ length: 300 }, (_, at) => joined(events, at * 10)[0]?.split('|')[0]);
  expect([...new Set(seen)]).toEqual(steps);
  expect(joined(events, 0)[0]).toBe(`|${text}`);
});

test('a voice that tells the time of a whole sentence without spaces has it heard word by word within that time', () => {
  const events = [saying(0, '您好欢迎致电'), times(10, [['您好欢迎致电', 0, 600]])];
  expect([0, 199, 200, 400].map((ms) => joined(events, ms)[0])).toEqual([
    '您好|欢迎致电',
    '您好|欢迎致电',
    '您好欢迎|致电',
    '您好欢迎致电|',
  ]);
});

test('sentences without spaces stand behind one another without one', () => {
  const events = [saying(0, '您好。'), saying(10, '有什么可以帮您？', 500)];
  expect(joined(events, 5_000)[0]).toBe('您好。有什么可以帮您？|');
});

test('a hold stops the words, and they go on when the bot does', () => {
  const events = [
    ...MORNING,
    at(400, { type: 'hold_started' }),
    at(1_000, { type: 'speech_held', ms: 600, resumed: true }),
  ];
  expect(shown(events, 950)).toEqual(['bot: Good morning, | Ada.']);
  expect(shown(events, 1_000)).toEqual(['bot: Good morning, | Ada.']);
  expect(nextWordAt(liveLinesOf(events.slice(0, 3)), T0 + 500)).toBeUndefined();
  expect(nextWordAt(liveLinesOf(events), T0 + 1_000)).toBe(T0 + 1_500);
  const again = times(
    1_000,
    [
      ['morning,', 1_000, 1_400],
      ['Ada.', 1_600, 1_900],
    ],
    1,
  );
  expect(shown([...events, again], 1_000)).toEqual(['bot: Good morning, | Ada.']);
  expect(nextWordAt(liveLinesOf([...events, again]), T0 + 1_000)).toBe(T0 + 1_600);
});

test('what was heard of an utterance takes the place of its line, and of no other', () => {
  const events = [
    ...MORNING,
    saying(30, 'How can I help?', 1_300, 2),
    at(1_250, { type: 'said', speaker: 'bot', text: 'Good morning, Ada.', startedAt: T0 + 100 }),
  ];
  expect(shown(events, 1_200)).toHaveLength(2);
  expect(shown(events, 1_300)).toEqual(['bot: How | can I help?']);
});

test('so does what was cut, and a bot that is lost leaves no line', () => {
  const said = { type: 'said', speaker: 'bot', text: 'Good', unheard: 'morning, Ada.', wasInterrupted: true } as const;
  expect(shown([...MORNING, at(300, said)], 300)).toEqual([]);
  expect(shown([...MORNING, at(300, { type: 'bot_done', bot: 1, outcome: 'lost' })], 300)).toEqual([]);
  const other = { ...saying(0, 'Sorry about that.'), bot: 2 } as TimelineEvent;
  expect(shown([...MORNING, other, at(300, said)], 300)).toHaveLength(1);
});

test("the caller's words may change until they are final", () => {
  const interim = (ms: number, text: string) => at(ms, { type: 'interim_transcript', text });
  const events = [
    at(0, { type: 'speech_started', speaker: 'caller' }),
    interim(100, 'I would'),
    interim(200, 'I wood like'),
    interim(300, ''),
    interim(400, 'I would like tea'),
    at(500, { type: 'said', speaker: 'caller', text: 'I would like tea.' }),
  ];
  expect(shown(events, 100)).toEqual(['caller: | I would']);
  expect(shown(events, 200)).toEqual(['caller: | I wood like']);
  expect(shown(events, 300)).toEqual([]);
  expect(shown(events, 400)).toEqual(['caller: | I would like tea']);
  expect(liveLinesOf(events.slice(0, 5))[0]?.at).toBe(T0);
  expect(shown(events, 500)).toEqual([]);
});

test('one who follows the events one by one sees the same', () => {
  const talk = new LiveTalk();
  for (const event of MORNING) {
    talk.see(event);
    expect(talk.lines()).toEqual(liveLinesOf(MORNING.slice(0, MORNING.indexOf(event) + 1)));
  }
});

test('an utterance that is over does not come back with a piece that was noted later than its end is', () => {
  const said = {
    type: 'said',
    speaker: 'bot',
    text: '',
    unheard: 'Good morning, Ada. How are you?',
    utterance: 1,
  } as const;
  const events = [at(0, said), ...MORNING, saying(60, 'How are you?', 1_300), saying(70, 'Goodbye.', 100, 2)];
  expect(shown(events, 100)).toEqual(['bot: Goodbye. |']);
});

test('a sound that nothing was understood of does not date what the caller says later', () => {
  const sound = (ms: number) => at(ms, { type: 'speech_started', speaker: 'caller' } as TimelineEntry);
  const interim = (ms: number, text: string) => at(ms, { type: 'interim_transcript', text });
  const since = (events: readonly TimelineEvent[]) => liveLinesOf(events).map((line) => line.at - T0);
  expect(since([sound(1_000), sound(20_000), interim(20_400, 'Two')])).toEqual([20_000]);
  expect(since([sound(1_000), interim(1_400, 'Two'), sound(3_000), interim(3_400, 'Two loaves')])).toEqual([1_000]);
});
