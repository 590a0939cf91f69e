import { describeBrokenOff } from '../broken-off-routing.js';
import { CASES, plivoRouting } from './routed-account.js';

// All that is not in the quick tier.
describeBrokenOff(plivoRouting, CASES, ['request']);
describeBrokenOff(
  plivoRouting,
  [0, 2, 3].flatMap((at) => CASES.slice(at, at + 1)),
  ['answer'],
);
