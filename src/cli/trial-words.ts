import type { RoomTrial } from '../runner/calls/trial-room.js';

/** Of an account whose rooms no call may go out of. */
export const NO_DIALOUT = {
  message: 'the account may not dial out, so calls to numbers and transfers to them fail',
  fix: 'Have dial-out enabled for this account, which needs a plan that includes it',
};

/** That a trial room was joined, for people. */
export function joinedLine({ joinMs, isHeard }: RoomTrial): string {
  const heard = isHeard
    ? 'heard and was heard'
    : 'it has a place for one participant only, so whether sound comes through could not be tried';
  return `joined a trial room in ${(joinMs / 1_000).toFixed(1)} s: ${heard}`;
}
