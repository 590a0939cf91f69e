import { differenceOf, isSameLine } from '../../../src/lab/replay/call-difference.js';
import { type ComparedCall, comparedCall } from '../../../src/lab/replay/compared-call.js';
import { botSays, callerPresses, callerSays, callOf } from './recorded-call.js';

const CALL = [
  ...botSays(300, 3_000, 'Hello.'),
  ...callerSays(5_000, 6_000, 'Are you open?'),
  ...botSays(7_000, 8_000, 'Yes.'),
];

const facts = (changes: Partial<ComparedCall> = {}): ComparedCall => ({
  ...comparedCall(callOf(CALL, 9_000)),
  ...changes,
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

test('each line, function, key, transfer and end that differs is told, and what is common is not', () => {
  const other = callOf([...CALL, callerPresses(8_500, '1')], 9_000, { endReason: 'bot_ended' });
  const now = {
    ...comparedCall(other),
    lines: facts().lines.map((line) => (line.text === 'Yes.' ? { ...line, text: 'No.' } : line)),
    tools: [{ name: 'opening_hours', input: { day: 'Monday' } }],
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
