import { checkRandomCalls } from './random-calls.js';

test('100,000 random sequences of events: each call ends once and leaves nothing open', () => {
  checkRandomCalls(100_000);
}, 120_000);
