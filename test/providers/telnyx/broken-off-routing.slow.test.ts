import { describeGoingOn, describeKilled } from '../broken-off-routing.js';
import { CASES, telnyxRouting } from './routed-account.js';

describeKilled(telnyxRouting, CASES);
describeGoingOn(telnyxRouting, CASES.slice(0, 1), ['request', 'answer']);
