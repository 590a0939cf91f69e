import type { CallStory } from '../../../src/lab/scenario/call-story.js';
import { secretsFound } from '../../../src/lab/scenario/nowhere.js';
import { at, missed, said, storyOf } from './stories.js';

const places = (change: Partial<CallStory>, secret = '4711') =>
  secretsFound([secret], storyOf(change)).map(({ happened }) => happened);
const keys = (...all: readonly string[]) =>
  all.map((one, no) => at(1_000 + 100 * no, { type: 'keys', direction: 'in', keys: one }));

test('a secret that nobody has written down holds', () => {
  const events = [said(0, 'bot', 'Your PIN, please.'), ...keys('•', '•', '•', '•'), said(4_000, 'bot', 'It is 47112.')];
  expect(
    places({ events, log: ['{"level":30,"msg":"call 47110"}'], files: [{ name: 'call.json', text: '{}' }] }),
  ).toEqual([]);
  expect(missed({ nowhere: ['4711', '0815'] }, storyOf({ events }))).toEqual([]);
});

const question = {
  no: 1,
  replaces: false,
  tools: [],
  at: 1_002_000,
  messages: [{ role: 'user' as const, text: 'my PIN is 4711' }],
};
test.each<[string, Partial<CallStory>]>([
  ['the log of the runner: {"msg":"pin 4711"}', { log: ['{"msg":"pin 4711"}'] }],
  ['what the bot has written: pin=4711', { events: [at(2_000, { type: 'output', line: 'pin=4711' })] }],
  ['the transcript (bot): Your PIN 4-7-1-1.', { events: [said(0, 'bot', 'Your PIN 4-7-1-1.', '')] }],
  ['the transcript (bot): You entered 4, 7, 1, 1.', { events: [said(0, 'bot', 'You entered 4, 7, 1, 1.', '')] }],
  [
    'what the bot has written: ["4","7","1","1"]',
    { events: [at(2_000, { type: 'output', line: '["4","7","1","1"]' })] },
  ],
  [
    'what the bot has written: keys 14711',
    { events: [at(2_000, { type: 'output', line: 'keys 14711' })], pressed: '1*14711#' },
  ],
  [
    'what the bot has written, a digit a line: 24711',
    {
      events: ['2', '4', '7', '1', '1'].map((key, no) =>
        at(2_000 + no, { type: 'output', line: `key ${key} after ${200 + no} ms` }),
      ),
    },
  ],
  [
    'an event (tool_called), a digit a line: 4711',
    {
      events: ['4', '7', '1', '1'].map((key, no) =>
        at(2_000 + no, { type: 'tool_called', call: 'a', name: 'key', input: { key } }),
      ),
    },
  ],
  ['the transcript (caller): 4 7 1 1', { events: [said(0, 'caller', '4 7 1 1')] }],
  ['the keys of the caller', { events: keys('4', '7', '1', '1') }],
  ['the keys of the caller', { events: keys('1', '4', '7', '1', '1', '9') }],
  [
    'an event (tool_called): …l":"0","name":"balance","input":{"pin":"4711"}}',
    { events: [at(2_000, { type: 'tool_called', call: '0', name: 'balance', input: { pin: '4711' } })] },
  ],
  ['a request to the model (user): my PIN is 4711', { questions: [question] }],
  ["transcript.json of the call's folder: …", { files: [{ name: 'transcript.json', text: `${' '.repeat(200)}4711` }] }],
])('one that stands in %s is found there', (place, change) => {
  expect(places(change)).toEqual([expect.stringContaining(`it stands in ${place}`)]);
});

test('the first place is told with its time, and the others by name', () => {
  const events = [said(1_000, 'caller', 'it is 4711'), at(5_000, { type: 'output', line: 'pin 4711' })];
  expect(missed({ nowhere: '4711' }, storyOf({ events, log: ['4711'] }))).toEqual([
    'nowhere: "4711" nowhere; it stands in the log of the runner: 4711; also in what the bot has written, the transcript (caller)',
  ]);
  expect(missed({ nowhere: '4711' }, storyOf({ events: events.slice(1) }))).toEqual([
    'nowhere: "4711" nowhere; it stands in what the bot has written: pin 4711 @ 5000',
  ]);
});

test('a digit a line is a count where the secret is one, and nothing where the lines differ', () => {
  const lines = (...all: readonly string[]) => all.map((line, no) => at(2_000 + no, { type: 'output', line }));
  expect(places({ events: lines('turn 1', 'turn 2', 'turn 3', 'turn 4') }, '1234')).toEqual([]);
  expect(places({ events: lines('call 1', 'call 1', 'call 1') }, '111')).toEqual([]);
  expect(places({ events: lines('turn 4', 'step 7', 'turn 1', 'step 1') })).toEqual([]);
  expect(places({ events: lines('after 0.4 s', 'after 0.7 s', 'after 0.1 s', 'after 1.1 s') })).toEqual([]);
});

test('many keys are looked through at once', () => {
  const pressed = '4711'.repeat(1_000);
  expect(places({ log: [`keys ${pressed}`, 'id 12345678901'], pressed })).toHaveLength(1);
});

test('digits of a long secret are found whatever marks stand between them', () => {
  for (const text of ['739,182', '739.182', '739-182', '7 3 9 1 8 2'])
    expect(places({ log: [text] }, '739182')).toHaveLength(1);
});

test('a longer number has a short secret by chance, a long one never does', () => {
  const log = ['{"id":"acc-747111234"}'];
  expect(places({ log, pressed: '4711' })).toEqual([]);
  expect(places({ log }, '471112')).toHaveLength(1);
});

test('the digits of an amount are not those of a secret', () => {
  expect(places({ log: ['47.11 euros', '4,711', '4711.5'.replace('4711', '471')] })).toEqual([]);
});

test('words are found whatever their capitals, and characters of expressions as they are', () => {
  expect(places({ log: ['Name: ADA LOVELACE'] }, 'ada lovelace')).toHaveLength(1);
  expect(places({ log: ['axb'] }, 'a.b')).toEqual([]);
});

test('times, lengths and identifiers are no secrets, what functions are given is', () => {
  const stopped = at(2_000, { type: 'speech_stopped', speaker: 'bot', heardMs: 4711 });
  const files = [
    { name: 'events.ndjson', text: '{"at":4711,"ms":[4711, 4711],"id":"a0b14711-1111-4711-9111-00004711aaaa"}' },
  ];
  expect(places({ events: [stopped], files })).toEqual([]);
  const called = at(2_000, { type: 'tool_called', call: '0', name: 'balance', input: { pin: 4711 } });
  expect(places({ events: [called] })).toHaveLength(1);
});
