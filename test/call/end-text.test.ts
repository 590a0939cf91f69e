import { END_REASONS } from '../../src/call/call.js';
import { endWords } from '../../src/call/end-text.js';

test.each(END_REASONS)('%s is told in words, for both directions', (reason) => {
  for (const direction of ['inbound', 'outbound'] as const) {
    expect(endWords(reason, direction)).toMatch(/^[a-z][a-z ,-]+$/);
  }
});

test('who was called is no caller', () => {
  expect(endWords('caller_hung_up')).toBe('the caller hung up');
  expect(endWords('caller_hung_up', 'outbound')).toBe('the person called hung up');
});
