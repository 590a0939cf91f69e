import { inspect } from 'node:util';
import { LastWords } from '../../../src/runner/bots/bot-death.js';

/** What Node has printed of an error that no code has caught. */
function lastLineOf(error: Error): string | undefined {
  const words = new LastWords();
  for (const line of ['/home/ada/bot.js:3', '', ...inspect(error).split('\n'), '', 'Node.js v20.20.2'])
    words.printed(line);
  return words.deathBy('code 1').lastLine;
}

test.each([
  ['an error alone', new Error('no ledger'), 'Error: no ledger'],
  ['a cause', new Error('no balance', { cause: new Error('no ledger') }), 'Error: no balance (caused by no ledger)'],
  [
    'the first of several causes',
    new AggregateError([new TypeError('no ledger'), new Error('b')], 'all failed'),
    'AggregateError: all failed (caused by TypeError: no ledger)',
  ],
  [
    'the first cause of several, one below the other',
    new Error('a', { cause: new Error('b', { cause: new Error('c') }) }),
    'Error: a (caused by b)',
  ],
])('the last words of a process have %s', (_, error, words) => {
  expect(lastLineOf(error)).toBe(words);
});

test('of a promise that was rejected with no error the reason is told, and not what Node says of it', () => {
  const words = new LastWords();
  words.printed(
    '[UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "no ledger".] {',
  );
  words.printed("  code: 'ERR_UNHANDLED_REJECTION'");
  words.printed('}');
  expect(words.deathBy('code 1').lastLine).toBe('unhandled rejection: no ledger');
});
