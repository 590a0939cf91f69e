import type { CampaignOutcome } from '../../../src/call/campaign-progress.js';
import { isSetAside, parseRetryRules, pauseBeforeRetry } from '../../../src/runner/campaigns/retry-rules.js';

const pauseAfter = (rules: string, ...outcomes: CampaignOutcome[]) =>
  pauseBeforeRetry(parseRetryRules(rules), outcomes);

test('reads outcomes, pauses and times', () => {
  expect(parseRetryRules('busy:5m, no_answer:1h:3,failed:30s,uncertain:2d')).toEqual({
    busy: { pauseMs: 300_000, times: 1 },
    no_answer: { pauseMs: 3_600_000, times: 3 },
    failed: { pauseMs: 30_000, times: 1 },
    uncertain: { pauseMs: 172_800_000, times: 1 },
  });
});

test.each([
  ['busy', /outcome:pause/],
  ['busy:5', /outcome:pause/],
  ['engaged:5m', /"engaged" is no outcome; these are: .*busy.*uncertain/],
  ['busy:5m,busy:1h', /busy is there twice/],
  ['busy:0s', /between 1s and 30d/],
  ['busy:31d', /between 1s and 30d/],
  ['busy:5m:0', /between 1 and 20 times/],
  ['busy:5m:21', /between 1 and 20 times/],
])('refuses %s', (text, problem) => {
  expect(() => parseRetryRules(text)).toThrow(problem);
});

test('each outcome has its own pause, and its own times', () => {
  const rules = 'busy:5m,no_answer:1h:2';
  expect(pauseAfter(rules, 'busy')).toBe(300_000);
  expect(pauseAfter(rules, 'busy', 'no_answer')).toBe(3_600_000);
  expect(pauseAfter(rules, 'busy', 'no_answer', 'no_answer')).toBe(3_600_000);
  expect(pauseAfter(rules, 'busy', 'no_answer', 'busy')).toBeUndefined();
  expect(pauseAfter(rules, 'no_answer', 'no_answer', 'no_answer')).toBeUndefined();
});

test('an outcome without a rule ends the row', () => {
  expect(pauseAfter('busy:5m', 'bot_ended')).toBeUndefined();
  expect(pauseAfter('busy:5m', 'uncertain')).toBeUndefined();
});

test('a row whose bot has crashed three times is set aside whatever the rules say', () => {
  expect(pauseAfter('bot_crashed:1m:20,no_bot:1m:20', 'bot_crashed', 'no_bot')).toBe(60_000);
  expect(pauseAfter('bot_crashed:1m:20,no_bot:1m:20', 'bot_crashed', 'no_bot', 'bot_crashed')).toBeUndefined();
  expect(isSetAside(['bot_crashed', 'busy', 'no_bot', 'bot_crashed'])).toBe(true);
});
