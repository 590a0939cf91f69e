import { describeBrokenOff } from '../broken-off-routing.js';
import { CASES, telnyxRouting } from './routed-account.js';

jest.setTimeout(120_000);

describeBrokenOff(telnyxRouting, CASES, ['request', 'answer']);
