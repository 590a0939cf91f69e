import { describeGoingOn, describeKilled } from '../broken-off-routing.js';
import { CASES, plivoRouting } from './routed-account.js';

describeKilled(plivoRouting, CASES.slice(1, 2));
describeGoingOn(plivoRouting, CASES.slice(1, 2), ['answer']);
