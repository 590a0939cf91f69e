import type { PlaceCallRequest } from '../../src/providers/carrier.js';

/** A call to be placed, from a number that the account has. */
export const PLACE: PlaceCallRequest = {
  from: '+12025550100',
  to: '+12025550101',
  answerUrl: 'https://a.dev/answer?body=%7B%7D&x=1',
  ringUrl: 'https://a.dev/ring?call_id=1',
  hangupUrl: 'https://a.dev/hangup',
  machineUrl: 'https://a.dev/machine',
  machineDetection: 'off',
  ringTimeoutS: 45,
  timeLimitS: 900,
};
