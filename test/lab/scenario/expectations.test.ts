import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';
import type { EndReason } from '../../../src/call/call.js';
import type { ExpectOptions } from '../../../src/lab/scenario/scenario-options.js';
import { sine } from '../../base/audio/signals.js';
import { at, audioOf, missed, said, storyOf } from './stories.js';

const TALK = storyOf({
  events: [
    said(300, 'bot', 'Welcome to the bakery.'),
    said(4_000, 'caller', 'Are you open on Sunday?'),
    said(6_000, 'bot', 'We are closed on Sunday. Anything', 'else I can do?'),
  ],
});

test.each<ExpectOptions>([
  {},
  { heard: 'welcome' },
  { heard: ['the bakery', 'closed', 'sunday'] },
  { heard: ['bakery we are'] },
  { notHeard: ['open', 'anything else'] },
  { understood: ['open', /sunday\?$/i] },
  { end: ['caller_hung_up', 'bot_ended'] },
])('of what was said holds: %j', (expected) => {
  expect(missed(expected, TALK)).toEqual([]);
});

const HEARD = 'the caller heard "Welcome to the bakery." "We are closed on Sunday. Anything"';

test.each<[ExpectOptions, string]>([
  [{ heard: 'open' }, `heard: "open"; ${HEARD}`],
  [{ heard: ['closed', 'welcome'] }, `heard: "welcome"; ${HEARD}`],
  [{ heard: ['sunday', 'sunday'] }, `heard: "sunday"; ${HEARD}`],
  [{ heard: 'anything else' }, `heard: "anything else"; ${HEARD}, and not "else I can do?"`],
  [
    { notHeard: ['open', '/clos/'] },
    'notHeard: not /clos/; the caller heard "We are closed on Sunday. Anything" @ 6000',
  ],
  [{ understood: 'monday' }, 'understood: "monday"; the bot understood "Are you open on Sunday?"'],
])('of what was said does not hold: %j', (expected, failure) => {
  expect(missed(expected, TALK)).toEqual([failure]);
});

test('of a silent bot nothing was heard', () => {
  expect(missed({ heard: 'a', understood: 'b' }, storyOf())).toEqual([
    'heard: "a"; the caller heard nothing',
    'understood: "b"; the bot understood nothing',
  ]);
});

describe('sound', () => {
  const melody = Int16Array.from([...sine(500, 8_000, 1_600), ...sine(700, 8_000, 1_600), ...sine(600, 8_000, 1_600)]);
  const bot = new Int16Array(40_000);
  bot.set(decodeMulaw(encodeMulaw(melody)), 9_000);

  test('is heard wherever it is', () => {
    const story = storyOf({ audio: { bot, caller: new Int16Array(40_000) } });
    expect(missed({ sound: 'a.wav' }, story, () => melody)).toEqual([]);
    expect(missed({ sound: 'a.wav' }, story, () => sine(640, 8_000, 4_000))).toEqual([
      'sound: a.wav; the caller did not hear it',
    ]);
  });

  test('without audio nobody heard it', () => {
    expect(missed({ sound: 'a.wav' }, storyOf(), () => melody)).toHaveLength(1);
  });
});

test('keys of both sides are compared as they were pressed', () => {
  const events = (['1', '2'] as const).flatMap((key) => [
    at(1_000, { type: 'keys', direction: 'in', keys: key }),
    at(1_000, { type: 'keys', direction: 'out', keys: '#' }),
  ]);
  const story = storyOf({ events });
  expect(missed({ keysReceived: '12', keys: '##' }, story)).toEqual([]);
  expect(missed({ keysReceived: '1', keys: '#' }, story)).toEqual([
    'keys: #; the bot pressed ##',
    'keysReceived: 1; the bot received 12',
  ]);
  expect(missed({ keys: '1', keysReceived: '' }, storyOf())).toEqual(['keys: 1; the bot pressed none']);
});

describe('transfer', () => {
  const asked = at(3_000, { type: 'transfer_asked', to: '+12025550101' });
  const over = at(9_000, { type: 'transfer_over', to: '+12025550101', status: 'busy' });
  const to = '+12025550101';

  test('holds by destination, outcome, or both', () => {
    const busy = storyOf({ events: [asked, over] });
    for (const transfer of [{}, { to }, { outcome: 'busy' }, { to, outcome: 'busy' }] as const)
      expect(missed({ transfer }, busy)).toEqual([]);
    expect(
      missed({ transfer: { outcome: 'answered' }, end: 'transferred' }, storyOf({ events: [asked] }, 'transferred')),
    ).toEqual([]);
    expect(missed({ transfer: 'none' }, storyOf())).toEqual([]);
  });

  test.each<[ExpectOptions, string, (typeof asked)[]]>([
    [{ transfer: { to } }, `transfer: to ${to}; there was no transfer`, []],
    [{ transfer: {} }, 'transfer: a transfer; there was no transfer', []],
    [
      { transfer: { to: '+12025550102', outcome: 'busy' } },
      `transfer: to +12025550102, busy; the caller was transferred to ${to}: busy @ 3000`,
      [asked, over],
    ],
    [
      { transfer: { outcome: 'answered' } },
      `transfer: answered; the caller was transferred to ${to}: busy @ 3000`,
      [asked, over],
    ],
    [
      { transfer: { outcome: 'answered' } },
      `transfer: answered; the caller was transferred to ${to}, and the outcome is not known @ 3000`,
      [asked],
    ],
    [{ transfer: 'none' }, `transfer: none; the caller was transferred to ${to}: busy @ 3000`, [asked, over]],
  ])('does not hold: %j', (expected, failure, events) => {
    expect(missed(expected, storyOf({ events }))).toEqual([failure]);
  });
});

describe('end', () => {
  test.each<EndReason>([
    'bot_ended',
    'caller_hung_up',
    'transferred',
    'busy',
    'no_answer',
    'voicemail',
    'screened',
    'limit_reached',
  ])('%s is an end as calls have it', (reason) => {
    expect(missed({}, storyOf({}, reason))).toEqual([]);
  });

  test.each<EndReason>(['bot_crashed', 'bot_timeout', 'no_bot', 'not_connected', 'telephony_error', 'tunnel_lost'])(
    '%s is one only where it is expected',
    (reason) => {
      expect(missed({ end: reason }, storyOf({}, reason))).toEqual([]);
      expect(missed({}, storyOf({}, reason))).toEqual([
        `end: an end as calls have it; the call ended: ${reason} @ 10000`,
      ]);
    },
  );

  test('another one than expected, and one that nobody knows', () => {
    expect(missed({ end: ['busy', 'no_answer'] }, storyOf())).toEqual([
      'end: busy or no_answer; the call ended: bot_ended @ 10000',
    ]);
    expect(missed({}, storyOf({ record: undefined }))).toEqual([
      'end: an end as calls have it; the runner has not told how the call ended @ 10000',
    ]);
  });
});

describe('times', () => {
  // The caller speaks from 3 to 4 s and, over the bot, from 6 to 7 s.
  const audio = {
    bot: audioOf(10_000, [500, 2_000], [4_600, 6_400]),
    caller: audioOf(10_000, [3_000, 4_000], [6_000, 7_000]),
  };
  const story = storyOf({
    audio,
    events: [at(6_350, { type: 'speech_stopped', speaker: 'bot', heardMs: 1_800, wasInterrupted: true })],
  });

  test('of a bot that was not interrupted, but had come to its end, nothing is measured', () => {
    const ended = at(6_350, { type: 'speech_stopped', speaker: 'bot', heardMs: 1_800, wasInterrupted: false });
    const before = at(2_000, { type: 'speech_stopped', speaker: 'bot', heardMs: 1_500, wasInterrupted: true });
    expect(missed({ stopsWithin: '400ms' }, storyOf({ audio, events: [before, ended] }))).toEqual([
      'stopsWithin: 0.40 s; nothing was measured: the bot had come to its end when the caller talked over it',
    ]);
  });

  test('of a bot that held its speech are measured, whenever the interruption follows', () => {
    const held = at(9_000, { type: 'speech_held', ms: 2_600, resumed: false });
    const stopped = at(9_000, { type: 'speech_stopped', speaker: 'bot', heardMs: 1_800, wasInterrupted: true });
    expect(missed({ stopsWithin: '400ms' }, storyOf({ audio, events: [held, stopped] }))).toEqual([]);
    expect(missed({ stopsWithin: '400ms' }, storyOf({ audio, events: [stopped] }))).toHaveLength(1);
  });

  test('hold', () => {
    const expected = { firstWordWithin: '500ms', stopsWithin: '400ms', silentAtMost: '3s', endsWithin: '10s' } as const;
    expect(missed(expected, story)).toEqual([]);
  });

  test('do not hold, with when', () => {
    const expected = {
      firstWordWithin: '480ms',
      stopsWithin: '380ms',
      silentAtMost: '2.9s',
      endsWithin: '9s',
    } as const;
    expect(missed(expected, story)).toEqual([
      'firstWordWithin: 0.48 s; the bot was heard after 0.50 s',
      'stopsWithin: 0.38 s; the bot went on for 0.40 s @ 6000',
      'silentAtMost: 2.90 s; neither side was heard for 3.00 s @ 7000',
      'endsWithin: 9.00 s; the call took 10.00 s',
    ]);
  });

  test('a bot that says nothing is late', () => {
    expect(
      missed({ firstWordWithin: '1s' }, storyOf({ audio: { bot: audioOf(1_000), caller: audioOf(1_000) } })),
    ).toEqual(['firstWordWithin: 1.00 s; the bot was not heard']);
  });
});

test('a measure that measured nothing does not hold', () => {
  const expected = { stopsWithin: '1s', silentAtMost: '5s', nothingTwice: true, contextAsHeard: true } as const;
  const none = 'nothing was measured: ';
  expect(missed(expected, storyOf())).toEqual([
    `stopsWithin: 1.00 s; ${none}the caller has not talked over the bot`,
    `silentAtMost: 5.00 s; ${none}there is no sound of this call`,
    `nothingTwice: no sentence twice; ${none}the bot said nothing`,
    `contextAsHeard: only what was heard; ${none}no model was asked`,
  ]);
  expect(missed({ endsWithin: '5s', end: 'busy' }, storyOf({ answeredAt: undefined, lengthMs: 0 }, 'busy'))).toEqual([
    `endsWithin: 5.00 s; ${none}the call was not answered`,
  ]);
});

test('where silence meets all that is expected, a bot that is not heard fails; where something else is, it need not be heard', () => {
  const silent = storyOf({ audio: { bot: audioOf(3_000), caller: audioOf(3_000, [500, 900]) } });
  expect(missed({}, silent)).toEqual([
    'expect: that the bot is heard, where all else is met by silence; it was silent',
  ]);
  const short = { ...silent, lengthMs: 900 };
  expect(missed({ notHeard: 'a', nowhere: '4711', transfer: 'none', endsWithin: '9s' }, short)).toHaveLength(1);
  expect(missed({ end: ['bot_ended', 'caller_hung_up'] }, silent)).toHaveLength(1);
  expect(missed({}, storyOf({ audio: { bot: audioOf(3_000, [500, 900]), caller: audioOf(3_000) } }))).toEqual([]);
});

describe('nothingTwice', () => {
  const twice = (...lines: string[]) =>
    missed({ nothingTwice: true }, storyOf({ events: lines.map((text, no) => said(1_000 * no, 'bot', text)) }));

  test('a sentence is said again, whatever its end and its capitals', () => {
    expect(twice('Hello. How can I help you?', 'One moment.', 'how can I help you')).toEqual([
      'nothingTwice: no sentence twice; the bot said "how can I help you" after 0.00 s and again @ 2000',
    ]);
  });

  test('short ones may be, and what differs', () => {
    expect(twice('Yes. Thank you.', 'Yes. Thank you.', 'We open at ten.', 'We open at nine.')).toEqual([]);
  });
});

describe('contextAsHeard', () => {
  const story = (assistant: string) =>
    storyOf({
      events: [said(0, 'bot', 'Welcome to the'), said(4_000, 'bot', 'bakery. Closed today.', 'Come tomorrow.')],
      questions: [
        {
          at: 1_007_000,
          no: 1,
          replaces: false,
          tools: [],
          messages: [
            { role: 'system', text: 'Be nice.' },
            { role: 'user', text: 'Who is there?' },
            { role: 'assistant', text: assistant },
          ],
        },
      ],
    });

  test('the context has what was heard', () => {
    expect(missed({ contextAsHeard: true }, story('Welcome to the bakery. Closed today …'))).toEqual([]);
  });

  test('the context has what nobody heard', () => {
    expect(missed({ contextAsHeard: true }, story('Closed today. Come tomorrow.'))).toEqual([
      'contextAsHeard: only what was heard; the model\'s context says that the bot said "Come tomorrow"; ' +
        'the caller heard "Welcome to the" "bakery. Closed today." @ 7000',
    ]);
  });
});

test('a bot that broke comes first, then its functions, then the faults of the call, and every expectation that does not hold is told', () => {
  const fault = { field: 'caller[1].hear', expected: '"bye"', happened: 'not heard within 15.00 s', atMs: 9_000 };
  const events = [at(4_000, { type: 'bot_done', bot: 1, outcome: 'lost' })];
  expect(missed({ heard: 'a', end: 'busy', tools: ['a'] }, storyOf({ faults: [fault], events }))).toEqual([
    'bot: that no bot fails; its process ended by itself @ 4000',
    'caller[1].hear: "bye"; not heard within 15.00 s @ 9000',
    'heard: "a"; the caller heard nothing',
    'tools: a; the model called none',
    'end: busy; the call ended: bot_ended @ 10000',
  ]);
});

test('a recorded line counts as heard in its place, and may come twice', () => {
  const line = (ms: number) =>
    at(ms + 1_000, {
      type: 'line_played',
      line: 'hold',
      text: 'One moment, please.',
      startedAt: at(ms, { type: 'caller_joined' }).at,
    });
  const story = storyOf({
    events: [said(0, 'bot', 'Hello.'), line(3_000), line(6_000), said(8_000, 'bot', 'It is five.')],
  });
  expect(missed({ heard: ['hello', 'one moment', 'five'], nothingTwice: true }, story)).toEqual([]);
  expect(missed({ notHeard: 'one moment' }, story)).toHaveLength(1);
});

test('a call that was not answered shows nothing unless something is expected of it, such as its end', () => {
  const story = storyOf({ answeredAt: undefined, lengthMs: 0 }, 'busy');
  expect(missed({}, story)).toEqual(['expect: something, such as how the call ends; the call was not answered']);
  expect(missed({ notHeard: 'hello' }, story)).toHaveLength(1);
  expect(missed({ end: 'busy' }, story)).toEqual([]);
});

test('what a lost bot was saying counts as heard, as far as it was, and as said', () => {
  const saying = (ms: number, text: string) =>
    at(ms, { type: 'saying', text, startsAt: at(ms, { type: 'caller_joined' }).at });
  const events = [
    saying(500, 'Welcome to Swift Parcel.'),
    saying(3_000, 'How can I help you today?'),
    at(3_700, { type: 'bot_done', bot: 1, outcome: 'lost' }),
    said(4_600, 'bot', 'Welcome to Swift Parcel.'),
  ];
  const story = storyOf({ events, killedAt: [at(3_690, { type: 'caller_joined' }).at] });
  expect(missed({ heard: ['Welcome to Swift', 'How can', 'Welcome to Swift'] }, story)).toEqual([]);
  expect(missed({ heard: 'today' }, story)).toEqual([
    'heard: "today"; the caller heard "Welcome to Swift Parcel. How can I" "Welcome to Swift Parcel.", and not "help you today?"',
  ]);
  expect(missed({ notHeard: 'how can' }, story)).toHaveLength(1);
  expect(missed({ nothingTwice: true }, story)).toHaveLength(1);
});
