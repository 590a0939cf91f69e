import { errorText } from '../../src/base/error-text.js';
import { VoicebotError } from '../../src/base/errors.js';

const refused = new Error('connect ECONNREFUSED 127.0.0.1:9');

test.each<[string, unknown, string]>([
  ['an error', new Error('no ledger'), 'no ledger'],
  ['an error without words', new TypeError(), 'TypeError'],
  ['what is no error', 'no ledger', 'no ledger'],
  ['a cause', new Error('fetch failed', { cause: refused }), `fetch failed (caused by ${refused.message})`],
  ['a cause of a class of its own', new Error('a', { cause: new RangeError('b\nc') }), 'a (caused by RangeError: b)'],
  ['the first of several', new AggregateError([refused, new Error('b')], 'all'), `all (caused by ${refused.message})`],
  [
    'the cause of one without words',
    new Error('a', { cause: new AggregateError([refused]) }),
    `a (caused by ${refused.message})`,
  ],
  [
    'a cause that is told already',
    new Error(`no ledger: ${refused.message}`, { cause: refused }),
    `no ledger: ${refused.message}`,
  ],
  ['a cause without words', new Error('a', { cause: new Error() }), 'a'],
  ['one of ours', new VoicebotError('VB_INTERNAL', 'x', { cause: refused }), 'The runner failed: x'],
])('%s', (_, thrown, words) => {
  expect(errorText(thrown)).toBe(words);
});

test('an error that is its own cause has an end', () => {
  const error = new Error('');
  error.cause = error;
  expect(errorText(error)).toBe('Error');
});
