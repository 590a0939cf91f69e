import { asCallId } from '../../../src/call/call-id.js';
import type { TimelineEntry, TimelineEvent } from '../../../src/call/timeline.js';
import { botCoverage, percentOf, testCoverage } from '../../../src/lab/coverage/coverage.js';
import { coverageEvent, coverageLines } from '../../../src/lab/coverage/coverage-lines.js';
import { coverageSection } from '../../../src/lab/coverage/coverage-section.js';
import { receivedKeys } from '../../../src/lab/scenario/received-keys.js';

const SOURCE = `call.say('Hello. You are number ' + n + ' of many. Bye, Ada!');
call.say(unknown());
if (key === '1') call.transfer('+12025550101');
const tools = { tools: { look_up: {}, end_call: endCall() } };`;

const events = (...entries: TimelineEntry[]): TimelineEvent[] =>
  entries.map((entry, at) => ({ ...entry, at, source: 'bot' }) as TimelineEvent);
const over = (endReason: 'bot_ended' | 'transferred'): TimelineEntry => ({
  type: 'record',
  record: {
    id: asCallId('c'),
    providerCallId: 'c',
    direction: 'inbound',
    from: '1',
    to: '2',
    state: 'ended',
    attempt: 1,
    startedAt: 0,
    endReason,
  },
});

const coverageOf = (...calls: TimelineEvent[][]) =>
  botCoverage(
    '/p/bot.ts',
    new Map([['/p/bot.ts', SOURCE]]),
    calls.map((all) => ({ events: all, receivedKeys: receivedKeys(all, '') })),
  );
const touchedBy = (...calls: TimelineEvent[][]) =>
  coverageOf(...calls)
    .items.filter(({ isTouched }) => isTouched)
    .map(({ kind, name }) => `${kind} ${name}`);

test('a call that does nothing touches nothing', () => {
  expect(touchedBy([])).toEqual([]);
  expect(touchedBy()).toEqual([]);
});

test('a sentence is touched when the bot has said all that is fixed of it, in order, in one call', () => {
  const saying = (text: string): TimelineEntry => ({ type: 'saying', text, startsAt: 0 });
  expect(touchedBy(events(saying('hello'), saying('You are number seven of'), saying('many!')))).toEqual([
    'sentence Hello.',
    'sentence You are number…of many.',
  ]);
  expect(touchedBy(events(saying('of many, you are number')))).toEqual([]);
  expect(touchedBy(events(saying('Goodbye Ada')))).toEqual([]);
  expect(touchedBy(events(saying('You are number 7')), events(saying('of many')))).toEqual([]);
  expect(touchedBy(events({ type: 'said', speaker: 'bot', text: 'bye Ada' }))).toEqual(['sentence Bye, Ada!']);
  expect(touchedBy(events({ type: 'said', speaker: 'caller', text: 'bye Ada' }))).toEqual([]);
});

test('functions, keys, transfers and ends are touched by what the calls tell', () => {
  expect(touchedBy(events({ type: 'tool_called', call: '1', name: 'look_up', input: {} }))).toEqual([
    'function look_up',
  ]);
  expect(touchedBy(events({ type: 'keys', direction: 'in', keys: '1' }))).toEqual(['key 1']);
  expect(touchedBy(events({ type: 'keys', direction: 'out', keys: '1' }))).toEqual([]);
  expect(touchedBy(events({ type: 'transfer_over', to: '+1', status: 'answered' }, over('transferred')))).toEqual([
    'transfer answered',
    'end transferred',
  ]);
  expect(touchedBy(events({ type: 'transfer_over', to: '+1', status: 'busy' }, over('bot_ended')))).toEqual([
    'transfer not answered',
    'end bot_ended',
  ]);
});

test('a function that only the model is told of counts too', () => {
  const asked = {
    type: 'model_asked',
    turn: 1,
    response: 1,
    model: 'm',
    provider: 'p',
    functions: { made: 'ab' },
  } as const;
  const { items } = coverageOf(events(asked));
  expect(items.filter(({ kind }) => kind === 'function').map(({ name, line }) => [name, line])).toEqual([
    ['look_up', 4],
    ['end_call', 4],
    ['made', undefined],
  ]);
});

test('is told by bot, with each untouched thing and where it is, and what is no literal', () => {
  const coverage = testCoverage([coverageOf(events({ type: 'tool_called', call: '1', name: 'look_up', input: {} }))]);
  const shown = (file: string) => file.replace('/p/', '');
  const lines = coverageLines(coverage, shown);
  expect(lines[0]).toBe('bot.ts  9 %: 1 of 2 functions, 0 of 2 transfers, 0 of 3 sentences, 0 of 1 keys, 0 of 3 ends');
  expect(lines).toContain('  no scenario touches  sentence "You are number…of many."  bot.ts:1');
  expect(lines).toContain('  no scenario touches  key 1  bot.ts:3');
  expect(lines).toContain('  no scenario touches  end caller_hung_up');
  expect(lines.slice(-2)).toEqual([
    '  1 text is no literal and is not counted: bot.ts:2',
    'Scenarios touch 9 % of what the bots have: 1 of 11',
  ]);
  expect(coverageEvent(coverage)).toMatchObject({
    percent: 9,
    touched: 1,
    of: 11,
    bots: [{ bot: '/p/bot.ts', kinds: { function: { touched: 1, of: 2 } }, unread: [{ file: '/p/bot.ts', line: 2 }] }],
  });
  const page = coverageSection(coverage, () => '<b>.ts').text;
  expect(page).toContain('&lt;b&gt;.ts:3');
  expect(page).not.toContain('<b>');
});

test('where keys are masked and not known, that is said while a key is untouched', () => {
  const coverage = testCoverage([coverageOf(events({ type: 'keys', direction: 'in', keys: '•' }))]);
  expect(coverageLines(coverage, (file) => file)).toContain(
    '  keys in 1 call are masked and not known: they touch no key',
  );
  expect(coverageEvent(coverage).bots[0]).toMatchObject({ maskedCalls: 1 });
  expect(coverageSection(coverage, (file) => file).text).toContain('are masked and not known');
  const known = coverageOf(
    events({ type: 'keys', direction: 'in', keys: '1' }),
    events({ type: 'keys', direction: 'in', keys: '•' }),
  );
  expect(coverageLines(testCoverage([known]), (file) => file).join()).not.toContain('masked');
});

test('is rounded down, and all of nothing', () => {
  expect(percentOf(199, 200)).toBe(99);
  expect(percentOf(0, 0)).toBe(100);
  expect(testCoverage([])).toMatchObject({ percent: 100, of: 0 });
});
