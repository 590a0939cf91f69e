import { changesOf, differenceOf, isSameLine } from '../../../src/lab/replay/call-difference.js';
import { type ComparedCall, comparedCall } from '../../../src/lab/replay/compared-call.js';
import type { CalledFunction } from '../../../src/lab/scenario/called-functions.js';
import { ANSWERED_AT, botSays, callerPresses, callerSays, callOf } from './recorded-call.js';

const CALL = [
  ...botSays(300, 3_000, 'Hello.'),
  ...callerSays(5_000, 6_000, 'Are you open?'),
  ...botSays(7_000, 8_000, 'Yes.'),
];

const facts = (changes: Partial<ComparedCall> = {}): ComparedCall => ({
  ...comparedCall(callOf(CALL, 9_000)),
  ...changes,
});

const hours = (input: object, output?: unknown, isError = false): CalledFunction => ({
  name: 'opening_hours',
  input,
  at: 0,
  returned: output === undefined ? undefined : { output, isError, errorType: isError ? 'Error' : undefined },
});

const changed = (now: ComparedCall, recorded = facts()) =>
  differenceOf(recorded, now, [])
    .sections.filter(({ differs }) => differs)
    .map(({ field, edits }) => [
      field,
      edits.filter(({ is }) => is !== 'same').map(({ is, text }) => `${is}: ${text}`),
    ]);

test('the same call is not different, whatever its capitals and punctuation', () => {
  const lines = facts().lines.map((line) => ({ ...line, text: `${line.text.toUpperCase()}!` }));
  expect(changed(facts({ lines }))).toEqual([]);
});

test('what was typed in the recorded call is the same as what its replay speaks', () => {
  const greeting = [...botSays(300, 1_000, 'Hello.'), ...botSays(1_200, 3_000, 'How can I help?')];
  const spoken = callerSays(5_000, 6_000, 'Are you open?');
  const typed = spoken.map(([ms, entry]): (typeof spoken)[number] => [
    ms,
    entry.type === 'said' ? { ...entry, startedAt: ANSWERED_AT + 600, typed: true } : entry,
  ]);
  const [recorded, now] = [typed, spoken].map((said) => comparedCall(callOf([...greeting, ...said], 9_000)));
  expect(changed(now as ComparedCall, recorded)).toEqual([]);
});

test('each line, function, key, transfer and end that differs is told, and what is common is not', () => {
  const other = callOf([...CALL, callerPresses(8_500, '1')], 9_000, { endReason: 'bot_ended' });
  const now = {
    ...comparedCall(other),
    lines: facts().lines.map((line) => (line.text === 'Yes.' ? { ...line, text: 'No.' } : line)),
    tools: [hours({ day: 'Monday' })],
    transfers: [{ to: '+12025550102', outcome: 'busy' }],
  };
  expect(changed(now)).toEqual([
    ['transcript', ['recorded: bot     Yes.', 'now: bot     No.']],
    ['tools', ['now: opening_hours({"day":"Monday"})']],
    ['keys', ['now: the caller pressed 1']],
    ['transfer', ['now: to +12025550102: busy']],
    ['end', ['recorded: caller_hung_up', 'now: bot_ended']],
  ]);
});

test('a function that gives something else, or fails now, is a difference; one that had not returned is none', () => {
  const [sunday, closed] = [{ day: 'Sunday' }, { open: false }];
  const between = (one: CalledFunction, other: CalledFunction) =>
    changed(facts({ tools: [other] }), facts({ tools: [one] }));
  expect(between(hours(sunday, closed), hours(sunday, { open: false }))).toEqual([]);
  expect(between(hours(sunday, closed), hours(sunday))).toEqual([]);
  expect(between(hours(sunday, closed), hours(sunday, { open: true }))).toEqual([
    [
      'tools',
      [
        'recorded: opening_hours({"day":"Sunday"}) = {"open":false}',
        'now: opening_hours({"day":"Sunday"}) = {"open":true}',
      ],
    ],
  ]);
  expect(between(hours(sunday, 'x'), hours(sunday, 'x', true))).toMatchObject([
    ['tools', [expect.any(String), expect.stringMatching(/failed: x$/)]],
  ]);
});

test('another prompt, and functions that the model knew otherwise, are told and are no difference', () => {
  const asked = (prompt: string, functions: Record<string, string>) => facts({ asked: { prompt, functions } });
  const recorded = asked('a1', { hours: 'b1', price: 'c1', gone: 'd1' });
  expect(changesOf(recorded, recorded)).toEqual([]);
  expect(changesOf(recorded, facts())).toEqual([]);
  expect(changesOf(recorded, asked('a2', { hours: 'b2', price: 'c1', added: 'e1' }))).toEqual([
    'The system prompt is another one than in the recorded call.',
    'Functions with another schema or description than in the recorded call: hours.',
    'Functions that the model has now and had not in the recorded call: added.',
    'Functions that the model had in the recorded call and has not now: gone.',
  ]);
  expect(changed(asked('a2', {}), recorded)).toEqual([]);
});

test('times differ only far beyond what a busy machine does, and between services of the same kind', () => {
  expect(facts()).toMatchObject({ firstWordMs: 300, answerMs: 1_000 });
  expect(changed(facts({ answerMs: 2_900 }))).toEqual([]);
  expect(changed(facts({ answerMs: 4_000 }))).toEqual([
    ['latency', ['recorded: answers, median 1.00 s', 'now: answers, median 4.00 s']],
  ]);
  expect(changed(facts({ answerMs: 4_000, hasStandIns: true }))).toEqual([]);
});

test('an interrupted line is the same though it is cut a few words earlier or later', () => {
  const line = (text: string, unheard?: string) =>
    ({ speaker: 'bot', text, startMs: 0, endMs: 0, ...(unheard && { unheard, wasInterrupted: true }) }) as const;
  const recorded = line('We are closed on', 'Sunday and on all other days of the week.');
  expect(isSameLine(recorded, line('We are closed', 'on Sunday and on all other days of the week.'))).toBe(true);
  expect(isSameLine(recorded, line('We', 'are closed on'))).toBe(true);
  expect(isSameLine(recorded, line('We are closed on Sunday and on all other days of the week.'))).toBe(false);
  expect(isSameLine(recorded, line('We are open', 'on Sunday.'))).toBe(false);
});

test('questions without an answer and steps that were not done are differences', () => {
  const problems = [
    { field: 'model', text: 'no answer' },
    { field: 'call', text: 'no end' },
  ] as const;
  const { differs, sections } = differenceOf(facts(), facts(), problems);
  expect([differs, sections.filter((one) => one.differs).map(({ field }) => field)]).toEqual([true, ['model', 'call']]);
});
