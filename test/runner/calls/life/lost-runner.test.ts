import { asCallId } from '../../../../src/call/call-id.js';
import type { CallEvent } from '../../../../src/runner/calls/life/call-events.js';
import type { CallLife } from '../../../../src/runner/calls/life/phase.js';
import { packLife, unpackLife } from '../../../../src/runner/calls/life/portable-life.js';
import { EVENTS, LifeUnderTest, WAYS } from './call-lives.js';

/** A call of another runner, as it arrives here: through JSON. */
function moved(name: string): LifeUnderTest {
  const { call, events } = WAYS[name] ?? { call: undefined, events: [] };
  if (!call) throw new Error(`no way to ${name}`);
  const before = new LifeUnderTest(call).happen(...events);
  const timers = Object.fromEntries(before.life.facts.timers.map((timer) => [timer, 1]));
  const { life } = unpackLife(JSON.parse(JSON.stringify(packLife(before.life, timers))));
  return new LifeUnderTest(life, 1_000);
}

describe('a call that comes from another runner is read', () => {
  const packed = (name: string) => {
    const { call, events } = WAYS[name] ?? { call: undefined, events: [] };
    if (!call) throw new Error(`no way to ${name}`);
    const { life } = new LifeUnderTest(call).happen(...events);
    return packLife(life, Object.fromEntries(life.facts.timers.map((timer) => [timer, 1])));
  };
  const changed = (change: (call: Record<string, Record<string, unknown>>) => void) => {
    const copy = JSON.parse(JSON.stringify(packed('talking')));
    change(copy.life);
    return copy;
  };

  test.each(Object.keys(WAYS))('when it is %s, with all that is known of it', (name) => {
    const sent = packed(name);
    const { life, timers } = unpackLife(JSON.parse(JSON.stringify(sent)));
    const known = ({ stream, phase, ...rest }: CallLife) => ({ ...rest, stream, phase: { ...phase, resumedAt: 0 } });
    expect(known(life)).toEqual(known(sent.life));
    expect(timers).toEqual(sent.timers);
  });

  test.each<[what: string, value: unknown, fields: string]>([
    ['nothing at all', undefined, 'all of it'],
    [
      'a phase that is not known here',
      changed((life) => void Object.assign(life.phase ?? {}, { is: 'singing' })),
      'life.phase.is',
    ],
    ['a field less', changed((life) => void delete life.facts?.attempt), 'life.facts.attempt'],
    [
      'another form',
      changed((life) => void Object.assign(life.terms ?? {}, { lengthMs: 'secret' })),
      'life.terms.lengthMs',
    ],
  ])('and refused with %s, by the names of the fields', (_what, value, fields) => {
    expect(() => unpackLife(value)).toThrow(
      expect.objectContaining({
        code: 'VB_CLUSTER_UNSUITABLE',
        message: expect.stringMatching(new RegExp(`: ${fields}$`)),
      }),
    );
    expect(() => unpackLife(value)).not.toThrow(/secret|singing/);
  });
});

const LOST: CallEvent = EVENTS.runner_lost;

describe('a call whose runner is gone', () => {
  test.each(['starting', 'talking'])('that was %s gets another bot when the carrier comes', (name) => {
    const under = moved(name).happen(LOST, EVENTS.resume_asked);
    expect(under.phase.is).toBe('waiting_for_stream');
    expect(under.life.facts.attempt).toBe(2);
    expect(under.done('answer').at(-1)?.document).toMatchObject({ is: 'stream', streamNo: 2 });
  });

  test.each(['dialling', 'ringing', 'waiting_for_stream'])('that was %s goes on as it was', (name) => {
    const under = moved(name);
    const { phase, facts } = under.life;
    under.happen(LOST);
    expect(under.phase).toEqual(phase);
    expect(under.life.facts.attempt).toBe(facts.attempt);
  });

  test('whose caller hangs up meanwhile ended so: its bot may have gone on', () => {
    expect(moved('talking').happen(LOST, EVENTS.provider_says_over).phase).toMatchObject({ reason: 'caller_hung_up' });
    const crashed = moved('talking').happen({ type: 'stream_over', bot: 1, outcome: 'bot_crashed' });
    expect(crashed.happen(EVENTS.provider_says_over).phase).toMatchObject({ reason: 'bot_crashed' });
  });

  test('that was between two streams gets another bot all the same', () => {
    const under = moved('between_streams').happen(LOST, EVENTS.resume_asked);
    expect(under.phase.is).toBe('waiting_for_stream');
  });

  test('whose bot waited for what becomes of its transfer gets another bot when nobody has answered', () => {
    const under = moved('transferring').happen(LOST, EVENTS.transfer_ended);
    expect(under.phase.is).toBe('waiting_for_stream');
    expect(under.life.facts.attempt).toBe(2);
    expect(under.life.stream.failedTransfer).toMatchObject({ status: 'busy' });
  });

  test('whose bot waited for its caller to come back is streamed to another bot', () => {
    expect(moved('returning').happen(LOST).phase.is).toBe('waiting_for_stream');
  });

  test('that was about to end ends', () => {
    const under = moved('ending').happen(LOST, EVENTS.resume_asked);
    expect(under.done('answer').at(-1)?.document).toEqual({ is: 'hangup' });
  });

  test.each(['starting in a room', 'joined', 'talking in a room', 'transferring in a room'])(
    'that was %s gets another bot in the same room at once',
    (name) => {
      const under = moved(name).happen(LOST);
      expect(under.phase).toMatchObject({ is: 'starting', attempt: 2 });
      expect(under.done('assign_bot')).toHaveLength(1);
      expect(under.done('close_room')).toEqual([]);
    },
  );

  test('whose third runner is gone ends in a room, and hears the recorded line on a stream', () => {
    const room = moved('talking in a room');
    for (let attempt = 1; attempt <= 3; attempt += 1) room.happen(LOST);
    expect(room.phase).toMatchObject({ is: 'ended', reason: 'bot_crashed' });
    const stream = moved('talking');
    stream.life = { ...stream.life, facts: { ...stream.life.facts, attempt: 3 } };
    stream.happen(LOST, EVENTS.resume_asked);
    expect(stream.done('answer').at(-1)?.document).toEqual({ is: 'apology' });
  });
});

test('what a bot hands over, and what a call is linked with, travel with the call', () => {
  const handover = {
    to: '+12025550106',
    legId: 'out_1',
    phase: 'briefing',
    warm: { brief: 'It is Ada.', accept: 'key', key: '1' },
  } as const;
  const { call, events } = WAYS.talking as (typeof WAYS)[string];
  const { life } = new LifeUnderTest(call).happen(...events, { type: 'handover_told', bot: 1, handover });
  const linked = { ...life, terms: { ...life.terms, linkedTo: asCallId('call-0') } };
  const read = unpackLife(JSON.parse(JSON.stringify(packLife(linked, {})))).life;
  expect(read.facts.handover).toEqual(handover);
  expect(read.terms.linkedTo).toBe('call-0');
});
