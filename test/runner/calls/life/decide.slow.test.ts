import { checkRandomCalls } from './random-calls.js';

test('20,000 random sequences of events: each call ends once and leaves nothing open', () => {
  checkRandomCalls(20_000);
}, 60_000);
