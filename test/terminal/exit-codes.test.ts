import { EXIT, exitCodeOf } from '../../src/terminal/exit-codes.js';
import { StoppedBySignal } from '../../src/terminal/signals.js';

test.each([
  ['VB_REQUEST_INVALID', 2],
  ['VB_BODY_TOO_LARGE', 2],
  ['VB_REQUEST_CONFLICT', 2],
  ['VB_FILE_EXISTS', 2],
  ['VB_CONFIG_INVALID', 3],
  ['VB_NUMBER_UNKNOWN', 3],
  ['VB_CREDENTIALS_MISSING', 3],
  ['VB_CREDENTIALS_REFUSED', 4],
  ['VB_UNAUTHORISED', 4],
  ['VB_CARRIER_UNREACHABLE', 5],
  ['VB_CARRIER_REQUEST_FAILED', 5],
  ['VB_ROOMS_REQUEST_FAILED', 5],
  ['VB_ROOMS_UNREACHABLE', 5],
  ['VB_ROOM_JOIN_FAILED', 5],
  ['VB_RUNNER_STOPPING', 5],
  ['VB_RUNNER_NOT_FOUND', 5],
  ['VB_TUNNEL_FAILED', 5],
  ['VB_REGISTRATION_FAILED', 5],
  ['VB_RESTORE_FAILED', 5],
  ['VB_PORT_IN_USE', 6],
  ['VB_NUMBER_HELD', 6],
  ['VB_BOT_LOAD_FAILED', 7],
  ['VB_CALL_FAILED', 8],
  ['VB_CALL_UNCERTAIN', 8],
  ['VB_TARGET_REFUSED', 8],
  ['VB_DIAL_LIMIT', 8],
  ['VB_STREAM_CLOSED', EXIT.unexpected],
] as const)('%s exits with %i', (code, exitCode) => {
  expect(exitCodeOf(code)).toBe(exitCode);
});

test('a signal exits with 128 plus its number', () => {
  expect(new StoppedBySignal('SIGINT').exitCode).toBe(130);
  expect(new StoppedBySignal('SIGTERM').exitCode).toBe(143);
  expect(new StoppedBySignal('SIGHUP').exitCode).toBe(129);
});
