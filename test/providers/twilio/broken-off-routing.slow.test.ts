import { describeBrokenOff } from '../broken-off-routing.js';
import { CASES, twilioRouting } from './routed-account.js';

describeBrokenOff(twilioRouting, CASES, ['request', 'answer']);
