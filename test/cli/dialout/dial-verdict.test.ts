import { END_REASONS } from '../../../src/call/call.js';
import { dialFailureOf } from '../../../src/cli/dialout/dial-out.js';
import { CALL } from '../fake-runner.js';

const ended = { ...CALL, state: 'ended', endedAt: 3_000 } as const;

test.each([
  ['busy', 'the line was busy'],
  ['no_answer', 'the callee did not answer'],
  ['rejected', 'the call was declined'],
  ['voicemail', 'a machine answered'],
  ['screened', 'a screening assistant answered, and the person did not come on'],
  ['telephony_error', 'the carrier or the room provider could not complete the call'],
  ['not_connected', 'the bot joined its room and never connected the call'],
  ['provider_error', 'a speech or model service of the bot failed'],
  ['bot_crashed', 'every bot of this call failed'],
  ['runner_stopped', 'the runner was stopped'],
  ['caller_hung_up', 'it ended before anybody answered'],
] as const)('a call that ended with %s unanswered did not succeed: %s', (endReason, sentence) => {
  expect(dialFailureOf({ ...ended, endReason })).toMatchObject({
    code: 'VB_CALL_FAILED',
    message: `The call did not succeed: ${sentence}`,
  });
});

test('an answered call succeeded, unless a machine answered, it broke or the runner was stopped', () => {
  const failed = END_REASONS.filter((endReason) => dialFailureOf({ ...ended, answeredAt: 2_000, endReason }));
  expect(failed.toSorted()).toEqual([
    'audio_unreadable',
    'bot_crashed',
    'bot_timeout',
    'no_bot',
    'not_connected',
    'provider_error',
    'room_closed',
    'runner_stopped',
    'screened',
    'telephony_error',
    'tunnel_lost',
    'voicemail',
  ]);
});

test('no call that was not answered succeeded', () => {
  for (const endReason of END_REASONS) expect(dialFailureOf({ ...ended, endReason })).toBeDefined();
  expect(dialFailureOf(ended)).toBeDefined();
});

test('an answered call that reached a limit succeeded', () => {
  expect(dialFailureOf({ ...ended, answeredAt: 2_000, endReason: 'limit_reached' })).toBeUndefined();
});
