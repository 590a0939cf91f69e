import { expectEndedAtOnce, ServedCalls } from './served-calls.js';

let served: ServedCalls;
beforeAll(() => {
  served = new ServedCalls();
});
afterEach(() => served.end(), 30_000);
afterAll(() => served.remove());

test(
  'SIGINT with no call: exit 130 at once, and nothing is left',
  () => expectEndedAtOnce(served, 'SIGINT', 130),
  60_000,
);
