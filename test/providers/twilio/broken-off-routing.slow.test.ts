import { describeGoingOn, describeKilled } from '../broken-off-routing.js';
import { CASES, twilioRouting } from './routed-account.js';

describeKilled(twilioRouting, CASES);
describeGoingOn(twilioRouting, CASES.slice(0, 1), ['request', 'answer']);
