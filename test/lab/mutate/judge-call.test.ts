import { judgeCall } from '../../../src/lab/mutate/run-mutants.js';
import type { Failure } from '../../../src/lab/scenario/call-story.js';
import { CLOSED } from '../test/results.js';

const REACHED = { failures: [], isReached: true, isCutOff: false };
const MISSED = { ...REACHED, isReached: false };
const failure = (kind: Failure['kind'], field: string): Failure => ({
  kind,
  field,
  expected: 'x',
  happened: 'it was not',
});

test('a call that fails where the mutation has made it another one has noticed it, and one that passes has not', () => {
  expect(judgeCall({ ...REACHED, failures: [CLOSED] })).toEqual({ is: 'noticed', failure: CLOSED });
  expect(judgeCall(REACHED)).toEqual({ is: 'unnoticed' });
  expect(judgeCall(MISSED)).toEqual({ is: 'not_reached' });
});

test('a bot that breaks is noticed, whether it has come to note the mutation or not', () => {
  const broke = failure('broke', 'bot');
  expect(judgeCall({ ...MISSED, failures: [broke] })).toEqual({ is: 'noticed', failure: broke });
});

test.each([
  ['the bot never had the call', { ...MISSED, failures: [failure('never_started', 'end')] }, 'end: it was not'],
  ['there was no call', { ...REACHED, failures: [failure(undefined, 'call')] }, 'call: it was not'],
  [
    'there was no second call',
    { ...REACHED, failures: [failure(undefined, 'then[0].call')] },
    'then.0..call: it was not',
  ],
  [
    'a later call of the scenario had no bot',
    { ...REACHED, failures: [failure('never_started', 'then[0].end')] },
    /then/,
  ],
  ['it failed before the mutation', { ...MISSED, failures: [CLOSED] }, /^heard: /],
  ['its telephone was lost', { ...REACHED, failures: [CLOSED], isCutOff: true }, /network/],
])('nothing is known of the mutant where %s', (_, call, why) => {
  expect(judgeCall(call)).toEqual({ is: 'not_tried', why: expect.stringMatching(why) });
});
