import { describeBrokenOff } from '../broken-off-routing.js';
import { CASES, plivoRouting } from './routed-account.js';

// One of each kind: an application of our own, and an application of somebody else's, in place.
describeBrokenOff(
  plivoRouting,
  [1, 5].flatMap((at) => CASES.slice(at, at + 1)),
  ['answer'],
);
