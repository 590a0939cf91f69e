import { describeGoingOn, describeKilled } from '../broken-off-routing.js';
import { CASES, plivoRouting } from './routed-account.js';

// All that is not in the quick tier.
describeKilled(plivoRouting, CASES.toSpliced(1, 1));
describeGoingOn(plivoRouting, CASES.slice(0, 1), ['request', 'answer']);
describeGoingOn(plivoRouting, CASES.slice(2, 3), ['answer']);
