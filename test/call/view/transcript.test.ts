import type { SaidItem, TranscriptItem } from '../../../src/call/view/transcript.js';
import { transcriptOf } from '../../../src/call/view/transcript.js';
import { madeCall } from './made-call.js';

const { record, events } = madeCall();
const items = transcriptOf(events);
const said = (part: string) =>
  items.find((item): item is SaidItem => item.kind === 'said' && item.text.includes(part)) as SaidItem;
const only = <Kind extends TranscriptItem['kind']>(kind: Kind) =>
  items.filter((item): item is Extract<TranscriptItem, { kind: Kind }> => item.kind === kind);

test('words stand where they were said: the caller from the start of the speech, though they are known only after it', () => {
  expect(said('Sunday, and')).toMatchObject({
    speaker: 'caller',
    at: record.startedAt + 4_900,
    endedAt: record.startedAt + 7_700,
  });
  expect(said('from eight')).toMatchObject({
    speaker: 'bot',
    at: record.startedAt + 8_660,
    endedAt: record.startedAt + 13_100,
  });
  expect(items.map(({ at }) => at)).toEqual(items.map(({ at }) => at).toSorted((a, b) => a - b));
});

test('the first words of an answer say how long the caller waited', () => {
  expect(only('said').map(({ waitedMs }) => waitedMs)).toEqual([
    undefined,
    undefined,
    960,
    undefined,
    1_690,
    undefined,
    880,
    undefined,
    undefined,
    undefined,
    2_260,
  ]);
});

test('what the caller did not hear is kept apart', () => {
  expect(said('two loaves of rye')).toMatchObject({
    wasInterrupted: true,
    text: 'Gladly. I have put two loaves of rye bread aside',
    unheard: expect.stringMatching(/^for you/),
  });
});

test('tools and transfers have their results, and none while they are at work', () => {
  expect(only('tool')).toMatchObject([{ name: 'openingHours', ms: 124, isError: false, output: { closes: '13:00' } }]);
  expect(only('transfer')).toMatchObject([{ to: '+12025550199', status: 'no_answer' }]);
  const [open] = transcriptOf(events.filter(({ type }) => type === 'transfer_asked' || type === 'caller_joined')).slice(
    1,
  );
  expect(open).toEqual({ kind: 'transfer', at: expect.any(Number), to: '+12025550199' });
});

const press = (ms: number, keys: string, direction: 'in' | 'out' = 'in') =>
  ({ type: 'keys', at: ms, source: 'bot', direction, keys }) as const;

test('keys that follow each other stand together, by direction', () => {
  const pressed = transcriptOf([press(0, '1'), press(500, '2'), press(9_000, '3'), press(9_100, '4', 'out')]);
  expect(pressed).toMatchObject([{ keys: '12' }, { keys: '3' }, { keys: '4', direction: 'out' }]);
});

test('keys before and after the bot begins to speak stand apart: the later ones may have interrupted it', () => {
  const pressed = transcriptOf([
    press(0, '1'),
    { type: 'speech_started', at: 200, source: 'bot', speaker: 'bot' },
    press(2_000, '2'),
    press(2_500, '3'),
    { type: 'said', at: 2_600, source: 'bot', speaker: 'bot', text: 'It is', wasInterrupted: true, startedAt: 200 },
  ]);
  expect(pressed).toMatchObject([{ keys: '1' }, { text: 'It is' }, { keys: '23' }]);
});

test('events that came out of order, and kinds that nobody knows, do no harm', () => {
  const odd = { type: 'of_the_future', at: 5, source: 'bot' } as never;
  expect(transcriptOf([odd, ...events.toReversed()])).toEqual(items);
});

test('a warning of what code of the bot has thrown has its place and its code, the second of the same the place alone', () => {
  const warned = (at: number, message = 'no such menu') =>
    ({ type: 'warning', at, source: 'bot', bot: 1, message }) as const;
  const exception = { error: 'TypeError: no such menu', file: 'bot.ts', line: 9, frame: ['> 9 | menu();'] };
  const threw = (at: number) =>
    ({ type: 'output', at, source: 'runner', line: 'pipeline: a handler failed', exception }) as const;
  const notes = transcriptOf([warned(100), threw(103), warned(5_000), threw(4_998), warned(9_000, 'the line is bad')]);
  const { frame: _, ...bare } = exception;
  expect(notes).toEqual([
    { kind: 'note', at: 100, tone: 'bad', text: exception.error, exception },
    { kind: 'note', at: 5_000, tone: 'bad', text: exception.error, exception: bare },
    { kind: 'note', at: 9_000, tone: 'bad', text: 'the line is bad' },
  ]);
  const [vendor] = transcriptOf([
    warned(100, 'timeout'),
    { ...threw(103), exception: { error: 'Error: db: timeout' } },
  ]);
  expect(vendor).toEqual({ kind: 'note', at: 100, tone: 'bad', text: 'timeout' });
});

const sound = (ms: number, is: 'started' | 'stopped') =>
  ({ type: `speech_${is}`, at: ms, source: 'bot', speaker: 'caller' }) as const;
const understood = (ms: number, text: string) =>
  ({ type: 'said', at: ms, source: 'bot', speaker: 'caller', text }) as const;

test('a typed sentence stands where it was typed, as typed, whatever was heard before', () => {
  const typed = { ...understood(7_500, 'Hello?'), startedAt: 6_000, typed: true } as const;
  const events = [sound(600, 'started'), sound(5_900, 'stopped'), press(1_000, '1'), sound(6_100, 'started'), typed];
  expect(transcriptOf(events)).toMatchObject([{ keys: '1' }, { at: 6_000, text: 'Hello?', isTyped: true }]);
});

test('words do not go back to an earlier sound of the caller that nothing was understood of', () => {
  const cough = [sound(600, 'started'), sound(900, 'stopped')];
  const words = [sound(8_000, 'started'), sound(9_000, 'stopped'), understood(9_300, 'Hello?')];
  expect(transcriptOf([...cough, ...words])).toMatchObject([{ at: 8_000, text: 'Hello?' }]);
  const inPieces = [sound(7_500, 'started'), sound(7_800, 'stopped'), ...words];
  expect(transcriptOf(inPieces)).toMatchObject([{ at: 7_500, endedAt: 9_000 }]);
});

test('the apology that the runner has the provider play is told', () => {
  const document = '<Response><Play>https://bot.example.com/prompts/apology.wav</Play><Hangup/></Response>';
  const answer = { type: 'document', at: 5, source: 'runner', path: '/resume', document } as const;
  const hangup = { ...answer, at: 6, path: '/hangup' };
  expect(transcriptOf([answer, hangup])).toEqual([{ kind: 'note', at: 5, tone: 'quiet', text: 'The apology plays' }]);
});
