import type { TimelineEvent } from '../../../../src/call/timeline.js';
import { RepeatedFailure } from '../../../../src/runner/calls/life/repeated-failure.js';

const NO_NAME = { error: 'TypeError: no name', file: 'bot.ts', line: 7, column: 22 };
const LONG_AGO = 0;
const said: TimelineEvent = { at: Date.now(), source: 'bot', type: 'said', speaker: 'caller', text: 'hello' };

test('two bots that fail at one place before the caller has said anything fail alike', () => {
  const failures = new RepeatedFailure();
  expect(failures.failed(NO_NAME, LONG_AGO, [])).toBe(false);
  expect(failures.failed({ ...NO_NAME }, LONG_AGO, [])).toBe(true);
});

test('what comes at once is alike whatever the caller has said', () => {
  const failures = new RepeatedFailure();
  failures.failed(NO_NAME, Date.now(), [said]);
  expect(failures.failed(NO_NAME, Date.now(), [said])).toBe(true);
});

test.each([
  ['elsewhere', { ...NO_NAME, line: 8 }, []],
  ['for another cause', { ...NO_NAME, error: 'TypeError: no menu' }, []],
  ['after the caller has said something', NO_NAME, [said]],
])('a bot that fails %s does not fail alike', (_how, exception, events) => {
  const failures = new RepeatedFailure();
  failures.failed(NO_NAME, LONG_AGO, []);
  expect(failures.failed(exception, LONG_AGO, events)).toBe(false);
});
