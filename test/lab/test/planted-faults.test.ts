import type { TimelineEvent } from '../../../src/call/timeline.js';
import type { FaultOptions } from '../../../src/lab/scenario/scenario-options.js';
import { PlantedFaults } from '../../../src/lab/test/planted-faults.js';
import { scenarioOf } from './results.js';

const END = 'the call had ended (bot_ended)';

beforeEach(() => jest.useFakeTimers({ now: 1_000_000 }));
afterEach(() => jest.useRealTimers());

function planted(faults: readonly FaultOptions[], hasBot = true) {
  const done: string[] = [];
  const over = new AbortController();
  const one = new PlantedFaults(scenarioOf({ name: 'a', faults }).faults, {
    killBot: () => {
      done.push('kill');
      return hasBot;
    },
    breakTunnel: (ms) => done.push(`tunnel ${ms}`),
    breakApi: (ms) => done.push(`api ${ms}`),
  });
  one.start(over.signal);
  return { one, done, over };
}

const saying = (text: string): TimelineEvent => ({ type: 'saying', text, startsAt: 0, at: 0, source: 'bot' });

test('each comes at its time or with its words, once', () => {
  const { one, done } = planted([
    { killBot: true, during: 'welcome' },
    { breakTunnel: '2s', after: '1s' },
    { breakApi: '3s', during: 'welcome' },
  ]);
  jest.advanceTimersByTime(900);
  expect(done).toEqual([]);
  one.note(saying('Welcome.'));
  jest.advanceTimersByTime(5_000);
  expect(done).toEqual(['kill', 'api 3000', 'tunnel 2000']);
  expect(one.killedAt).toEqual([1_000_920]);
  expect(one.unfired(END, 6_000)).toEqual([]);
});

test('one that never came is a failure, and so is a kill without a bot', () => {
  const { one } = planted([
    { killBot: true, during: 'never said' },
    { breakApi: '3s', after: '50s' },
  ]);
  jest.advanceTimersByTime(5_000);
  expect(one.unfired(END, 5_000)).toEqual([
    {
      field: 'faults[0].killBot',
      expected: 'during "never said"',
      happened: `it never came: the bot did not say that; ${END}`,
      atMs: 5_000,
    },
    { field: 'faults[1].breakApi', expected: 'after 50 s', happened: `it never came: ${END}`, atMs: 5_000 },
  ]);
  const botless = planted([{ killBot: true, after: '1s' }], false);
  jest.advanceTimersByTime(2_000);
  expect(botless.one.killedAt).toEqual([]);
  expect(botless.one.unfired(END, 2_000)).toMatchObject([{ expected: 'a bot that is killed' }]);
});

test('nothing breaks once the call is over', () => {
  const { done, over } = planted([{ killBot: true, after: '1s' }]);
  over.abort();
  jest.advanceTimersByTime(5_000);
  expect(done).toEqual([]);
});
