import type { CallEvent } from '../../../../src/runner/calls/life/call-events.js';
import { callIn, EVENTS, type LifeUnderTest, OPERATOR } from './call-lives.js';

const RINGING = { to: OPERATOR, legId: '', phase: 'ringing' } as const;

/** The bot transfers its caller warm, and it comes to nothing. */
function transferWarm(call: LifeUnderTest): LifeUnderTest {
  const told = (handover: Extract<CallEvent, { type: 'handover_told' }>['handover']): CallEvent => ({
    type: 'handover_told',
    bot: 1,
    handover,
  });
  return call.happen(told(RINGING), EVENTS.consult_wanted, told(undefined));
}

const refusals = (call: LifeUnderTest) =>
  call.done('tell_bot').flatMap(({ message }) => ('problem' in message && message.problem ? [message.problem] : []));

test.each(['talking', 'talking in a room'])(
  'a call that is %s is transferred five times, and who is consulted does not count',
  (way) => {
    const call = callIn(way);
    for (let time = 1; time <= 5; time += 1) transferWarm(call).happen(EVENTS.consult_wanted);
    expect({ calls: call.done('consult').length, refusals: refusals(call) }).toEqual({ calls: 10, refusals: [] });
    transferWarm(call);
    expect({ calls: call.done('consult').length, refusals: refusals(call) }).toEqual({
      calls: 10,
      refusals: [expect.objectContaining({ code: 'VB_TRANSFER_FAILED', message: expect.stringContaining('5 times') })],
    });
    call.happen(EVENTS.consult_wanted);
    expect(call.done('consult')).toHaveLength(11);
  },
);

test('warm transfers count among the cold ones', () => {
  const call = callIn('talking');
  for (let time = 1; time <= 5; time += 1) transferWarm(call);
  call.happen(EVENTS.transfer_wanted);
  expect({ checked: call.done('check_transfer'), refusals: refusals(call) }).toEqual({
    checked: [],
    refusals: [expect.objectContaining({ code: 'VB_TRANSFER_FAILED' })],
  });
});

test('what an earlier bot has had dialled is taken on, and does not count', () => {
  const call = callIn('talking');
  for (let time = 1; time <= 6; time += 1)
    call.happen({ type: 'handover_told', bot: 1, handover: RINGING }, { ...EVENTS.consult_wanted, legId: 'leg-1' });
  expect(refusals(call)).toEqual([]);
});

test.each(['talking', 'transferring', 'returning', 'talking in a room'])(
  'the bot of a call that is %s learns that one whom it consults is over',
  (way) => {
    const call = callIn(way).happen(EVENTS.leg_over);
    expect(call.done('tell_bot')).toEqual([
      expect.objectContaining({ bot: 1, message: { type: 'leg_lost', legId: 'leg-1', reason: 'busy' } }),
    ]);
  },
);

test('the carrier is not asked for a transfer while a warm one goes on, or the caller is joined with another', () => {
  for (const phase of ['ringing', 'bridged'] as const) {
    const call = callIn('talking');
    call.happen({ type: 'handover_told', bot: 1, handover: { ...RINGING, phase } }, EVENTS.transfer_wanted);
    expect({ checked: call.done('check_transfer'), refusals: refusals(call) }).toEqual({
      checked: [],
      refusals: [expect.objectContaining({ code: 'VB_TRANSFER_FAILED' })],
    });
    call.happen({ type: 'handover_told', bot: 1, handover: undefined }, EVENTS.transfer_wanted);
    expect(call.done('check_transfer')).toHaveLength(1);
  }
});
