import { describeBrokenOff } from '../broken-off-routing.js';
import { CASES, telnyxRouting } from './routed-account.js';

// One of each kind: an application of our own, and an application of somebody else's, in place.
describeBrokenOff(
  telnyxRouting,
  [1, 4].flatMap((at) => CASES.slice(at, at + 1)),
  ['answer'],
);
