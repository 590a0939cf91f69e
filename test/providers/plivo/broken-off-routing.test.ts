import { describeBrokenOff } from '../broken-off-routing.js';
import { CASES, plivoRouting } from './routed-account.js';

describeBrokenOff(plivoRouting, CASES.slice(1, 2), ['answer']);
