import type { EndReason } from '../../../../src/call/call.js';
import type { StreamOutcome } from '../../../../src/runner/bots/messages.js';
import type { CallEvent, EventType } from '../../../../src/runner/calls/life/call-events.js';
import { LEGAL_EVENTS } from '../../../../src/runner/calls/life/legal-events.js';
import type { PhaseName } from '../../../../src/runner/calls/life/phase.js';
import { callIn, carrierCall, EVENTS, LifeUnderTest, OPERATOR, roomCall, WAYS } from './call-lives.js';
import { checkRandomCalls } from './random-calls.js';

const streamOver = (outcome: Extract<CallEvent, { type: 'stream_over' }>['outcome'], bot = 1): CallEvent => ({
  type: 'stream_over',
  bot,
  outcome,
});
const timer = (name: Extract<CallEvent, { type: 'timer_ran_out' }>['name']): CallEvent => ({
  type: 'timer_ran_out',
  name,
});
const news = (type: 'ringing' | 'connected' | 'transferring' | 'transfer_failed', bot = 1): CallEvent => ({
  type: 'room_event',
  bot,
  news: { type },
});
const over = (reason: EndReason): CallEvent => ({ type: 'room_event', bot: 1, news: { type: 'over', reason } });

/** Every arrow of the two drawings in `phase.ts`. */
const ARROWS: Array<[from: string, to: PhaseName, ...events: CallEvent[]]> = [
  ['dialling', 'ringing', EVENTS.rang],
  ['dialling', 'waiting_for_stream', EVENTS.answer_asked],
  ['dialling', 'ended', EVENTS.not_placed],
  ['dialling', 'ended', EVENTS.placed, timer('dial_news'), EVENTS.dialled_looked_up],
  ['ringing', 'waiting_for_stream', EVENTS.answer_asked],
  ['waiting_for_stream', 'starting', EVENTS.stream_connected],
  ['starting', 'talking', EVENTS.bot_reading],
  ['starting', 'between_streams', EVENTS.stream_closed],
  ['starting', 'ending', timer('entry')],
  ['starting', 'ending', streamOver('bot_ended')],
  ['talking', 'between_streams', EVENTS.stream_over],
  ['talking', 'between_streams', streamOver('stream_lost')],
  ['talking', 'between_streams', streamOver('bot_crashed')],
  ['talking', 'ending', streamOver('bot_ended')],
  ['talking', 'transferring', EVENTS.transfer_wanted, EVENTS.transfer_checked, EVENTS.transfer_agreed],
  ['talking', 'starting', EVENTS.stream_connected],
  ['between_streams', 'waiting_for_stream', EVENTS.resume_asked],
  ['between_streams', 'starting', EVENTS.stream_connected],
  ['between_streams', 'ended', timer('last_word')],
  ['transferring', 'returning', EVENTS.transfer_ended],
  ['transferring', 'waiting_for_stream', { ...EVENTS.bot_done, outcome: 'lost' }, EVENTS.transfer_ended],
  ['transferring', 'ending', { ...EVENTS.transfer_ended, outcome: 'completed' }],
  ['transferring', 'ending', { ...EVENTS.transfer_ended, outcome: 'caller_left' }],
  ['transferring', 'ending', EVENTS.bot_done],
  ['transferring', 'ended', EVENTS.destination_looked_up],
  ['returning', 'starting', EVENTS.stream_connected],
  ['returning', 'waiting_for_stream', EVENTS.bot_done],
  ['ending', 'ended', EVENTS.provider_says_over],
  ['ending', 'ended', timer('last_word')],
  ['opening_room', 'starting', EVENTS.room_opened],
  ['opening_room', 'ended', EVENTS.room_failed],
  ['starting in a room', 'joined', EVENTS.room_event],
  ['starting in a room', 'ended', timer('entry')],
  ['joined', 'talking', news('connected')],
  ['joined', 'starting', { ...EVENTS.bot_done, outcome: 'threw' }],
  ['joined', 'ended', timer('connect'), timer('goodbye')],
  ['talking in a room', 'transferring', news('transferring')],
  ['talking in a room', 'starting', { ...EVENTS.bot_done, outcome: 'lost' }],
  ['talking in a room', 'ended', over('caller_hung_up'), EVENTS.bot_done],
  ['transferring in a room', 'talking', news('transfer_failed')],
  ['transferring in a room', 'starting', { ...EVENTS.bot_done, outcome: 'hung' }],
];

test.each(ARROWS)('a call that is %s becomes %s (arrow %#)', (from, to, ...events) => {
  expect(callIn(from).happen(...events).phase.is).toBe(to);
});

describe.each(Object.keys(WAYS))('a call that is %s', (way) => {
  const { media } = callIn(way).life.terms;
  const { is } = callIn(way).phase;
  const types = Object.keys(EVENTS) as EventType[];
  const isLegalHere = (type: EventType) =>
    LEGAL_EVENTS[type].in.includes(is) && (LEGAL_EVENTS[type].media ?? media) === media;

  test('is changed by no event that means nothing then, which is logged, and a document asked for is a hang-up', () => {
    for (const type of types.filter((name) => !isLegalHere(name))) {
      const under = callIn(way);
      const before = under.life;
      under.happen(EVENTS[type]);
      expect(under.life).toBe(before);
      const asks = 'request' in EVENTS[type] && !type.startsWith('target_') && !type.startsWith('consult');
      expect(under.done('answer').map(({ document }) => document.is)).toEqual(asks ? ['hangup'] : []);
      expect(under.effects.filter((effect) => effect.do !== 'answer')).toMatchObject([
        { do: 'log', level: 'debug', fields: { event: type, phase: is } },
      ]);
    }
  });

  test('ends when its provider says so, unless it has ended', () => {
    const under = callIn(way).happen(EVENTS.provider_says_over);
    expect(under.phase.is).toBe('ended');
    expect(under.done('end')).toHaveLength(is === 'ended' ? 0 : 1);
  });

  test('does not heed a timer that was not set', () => {
    const under = callIn(way);
    const before = under.life;
    const { timers } = before.facts;
    for (const name of ['goodbye', 'outcome', 'answer'] as const) if (!timers.includes(name)) under.happen(timer(name));
    expect(under.effects.filter(({ do: kind }) => kind !== 'log')).toEqual([]);
    expect(under.phase).toEqual(before.phase);
  });
});

test('a bot that has been replaced ends nothing while another one starts', () => {
  const under = callIn('starting');
  const before = under.life;
  under.happen(streamOver('bot_ended', 7), streamOver('bot_crashed', 7));
  expect(under.life).toEqual(before);
  expect(under.effects).toEqual([]);
});

describe('a request for the next document', () => {
  test('that comes before the end of its stream is known waits for that', () => {
    const under = callIn('talking').happen(EVENTS.resume_asked);
    expect(under.done('answer')).toEqual([]);
    under.happen(streamOver('bot_crashed'));
    expect(under.done('answer')).toEqual([{ do: 'answer', request: 2, document: { is: 'stream', streamNo: 2 } }]);
    expect(under.life.facts).toMatchObject({ attempt: 2, timers: ['length', 'last_word'] });
  });

  test('is answered after 2 s all the same, by another bot', () => {
    const under = callIn('talking').happen(EVENTS.resume_asked);
    expect(under.done('set_timer')).toEqual([{ do: 'set_timer', name: 'outcome', ms: 2_000 }]);
    under.happen(timer('outcome'));
    expect(under.phase.is).toBe('talking'); // the carrier may have come by mistake
    expect(under.done('answer')).toMatchObject([{ document: { streamNo: 2 } }]);
    under.happen(EVENTS.stream_connected);
    expect(under.done('abandon_bot')).toEqual([{ do: 'abandon_bot', bot: 1 }]);
  });

  test('and its twin lead to one stream', () => {
    const under = callIn('talking').happen(EVENTS.resume_asked, { ...EVENTS.resume_asked, request: 5 });
    under.happen(streamOver('far_end'));
    const document = { is: 'stream', streamNo: 2 };
    expect(under.done('answer')).toEqual([
      { do: 'answer', request: 2, document },
      { do: 'answer', request: 5, document },
    ]);
    expect(under.life.facts.attempt).toBe(2);
  });

  test('is a hang-up when the call ends meanwhile', () => {
    const under = callIn('talking').happen(EVENTS.resume_asked, EVENTS.provider_says_over);
    expect(under.done('answer')).toEqual([{ do: 'answer', request: 2, document: { is: 'hangup' } }]);
  });
});

describe('a call uses up three bots at most', () => {
  test('that are started beside one another', () => {
    const under = callIn('starting').happen(
      timer('beside'),
      { type: 'bot_assigned', entry: 1, bot: 2 },
      timer('beside'),
    );
    under.happen({ type: 'bot_assigned', entry: 1, bot: 3 }, timer('beside'));
    expect(under.done('assign_bot')).toHaveLength(2);
    expect(under.done('serve_bot').map(({ attempt }) => attempt)).toEqual([2, 3]);
  });

  test('that die on their way, and the caller hears the recorded line', () => {
    const under = callIn('starting');
    for (const bot of [2, 3]) {
      under.happen(streamOver('bot_crashed', bot - 1), { type: 'bot_assigned', entry: 1, bot });
    }
    under.happen(streamOver('bot_crashed', 3), EVENTS.resume_asked);
    expect(under.done('end_stream')).toEqual([{ do: 'end_stream', entry: 1 }]);
    expect(under.done('answer')).toEqual([{ do: 'answer', request: 2, document: { is: 'apology' } }]);
    expect(under.life.facts).toMatchObject({ attempt: 3, decided: 'bot_crashed' });
  });

  test('that die while they talk', () => {
    const under = callIn('talking');
    for (const bot of [2, 3]) {
      under.happen(streamOver('bot_crashed', bot - 1), { ...EVENTS.resume_asked, streamNo: bot - 1 });
      under.happen(EVENTS.stream_connected, { type: 'bot_assigned', entry: bot, bot }, { type: 'bot_reading', bot });
    }
    under.happen(streamOver('bot_timeout', 3), { ...EVENTS.resume_asked, request: 9, streamNo: 3 });
    expect(under.latest).toContainEqual({ do: 'answer', request: 9, document: { is: 'apology' } });
    expect(under.life.facts.decided).toBe('bot_timeout');
  });

  test('in a room', () => {
    const under = callIn('talking in a room');
    for (const bot of [2, 3, 4]) {
      under.happen({ type: 'bot_done', bot: bot - 1, outcome: 'lost' }, { type: 'bot_assigned', entry: bot, bot });
      under.happen({ ...EVENTS.room_event, bot });
    }
    expect(under.phase).toEqual({ is: 'ended', reason: 'bot_crashed' });
    expect(under.done('serve_bot').map(({ attempt }) => attempt)).toEqual([2, 3]);
  });
});

test('a carrier that does not connect its stream gets the same document three times, and then the recorded line', () => {
  const under = callIn('waiting_for_stream');
  for (let request = 1; request <= 4; request += 1) {
    under.now += 1_000;
    under.happen({ ...EVENTS.resume_asked, request });
  }
  expect(under.done('answer').map(({ document }) => document.is)).toEqual(['stream', 'stream', 'stream', 'apology']);
  expect(under.life.facts.decided).toBe('telephony_error');
});

test('a call that comes when no bot can be loaded hears the recorded line, and why is logged', () => {
  const under = new LifeUnderTest(carrierCall()).happen({ ...EVENTS.answer_asked, botProblem: 'none' });
  expect(under.done('answer')).toMatchObject([{ document: { is: 'apology' } }]);
  expect(under.done('log')).toMatchObject([{ level: 'error', fields: { error: 'none' } }]);
});

describe('a stream that is connected', () => {
  test('answers those who asked what comes after the one before', () => {
    const under = callIn('talking').happen(EVENTS.resume_asked, EVENTS.stream_connected);
    expect(under.done('answer')).toEqual([{ do: 'answer', request: 2, document: { is: 'stream', streamNo: 1 } }]);
    expect(under.done('abandon_bot')).toEqual([{ do: 'abandon_bot', bot: 1 }]);
  });

  test('breaks off the one that waits for a bot', () => {
    const under = callIn('starting').happen(EVENTS.stream_connected);
    expect(under.done('drop_stream')).toEqual([{ do: 'drop_stream', entry: 1 }]);
    expect(under.done('abandon_bot')).toEqual([{ do: 'abandon_bot', bot: 1 }]);
  });
});

test.each([
  [false, 2_000, 30_000],
  [true, 500, 3_000],
])('a call that its bot has ended is ended at the carrier too (behind a tunnel: %s)', (isTunnelled, graceMs, ms) => {
  const under = new LifeUnderTest(carrierCall({ isTunnelled }));
  under.happen(EVENTS.answer_asked, EVENTS.stream_connected, EVENTS.bot_assigned, EVENTS.bot_reading);
  under.happen(streamOver('bot_ended'));
  expect(under.latest).toContainEqual({ do: 'hang_up', graceMs });
  expect(under.latest).toContainEqual({ do: 'set_timer', name: 'last_word', ms });
});

describe('a transfer whose document the carrier fetches before it has answered the request', () => {
  const followed = () =>
    callIn('talking').happen(EVENTS.transfer_wanted, EVENTS.transfer_checked, EVENTS.transfer_document_asked);

  test('is accepted by that', () => {
    const under = followed();
    expect(under.phase).toMatchObject({ is: 'transferring', no: 1, step: 'accepted', bot: 1, hasStream: true });
    expect(under.done('answer')).toEqual([{ do: 'answer', request: 3, document: { is: 'dial', to: OPERATOR, no: 1 } }]);
    expect(under.done('tell_bot')).toEqual([{ do: 'tell_bot', bot: 1, message: { type: 'transfer_answer' } }]);
  });

  test('goes on when the request is told to have failed', () => {
    const under = followed().happen(EVENTS.transfer_refused);
    expect(under.phase.is).toBe('transferring');
    expect(under.done('tell_bot')).toHaveLength(1);
  });

  test('takes the caller from a bot that has replaced the one that asked', () => {
    const under = callIn('talking').happen(EVENTS.transfer_wanted, EVENTS.transfer_checked, streamOver('bot_crashed'));
    under.happen({ ...EVENTS.bot_done, outcome: 'lost' }, EVENTS.resume_asked, EVENTS.stream_connected);
    under.happen({ type: 'bot_assigned', entry: 2, bot: 2 }, { type: 'bot_reading', bot: 2 });
    under.happen(EVENTS.transfer_document_asked);
    expect(under.phase).toMatchObject({ is: 'transferring', bot: undefined, hasStream: false });
    expect(under.done('abandon_bot')).toEqual([{ do: 'abandon_bot', bot: 2 }]);
  });
});

describe('a transfer whose carrier closes the stream before it answers the request', () => {
  const closed = (isTunnelled = false, outcome: StreamOutcome = 'far_end') => {
    const under = new LifeUnderTest(carrierCall({ isTunnelled }));
    under.happen(EVENTS.answer_asked, EVENTS.stream_connected, EVENTS.bot_assigned, EVENTS.bot_reading);
    under.happen(EVENTS.transfer_wanted, EVENTS.transfer_checked);
    under.effects.length = 0;
    return under.happen(streamOver(outcome));
  };
  const agreement = { do: 'tell_bot', bot: 1, message: { type: 'transfer_answer' } };
  /** In any order: what the carrier says of a transfer that it takes. */
  const ORDERS = [
    [EVENTS.transfer_agreed, EVENTS.transfer_document_asked],
    [EVENTS.transfer_document_asked, EVENTS.transfer_agreed],
    [EVENTS.transfer_document_asked, EVENTS.transfer_refused],
    [EVENTS.transfer_agreed, EVENTS.destination_answered],
  ];

  test.each([
    [false, 'far_end'],
    [true, 'far_end'],
    [true, 'stream_lost'],
  ] as const)('goes on, and asks the carrier for nothing else (behind a tunnel: %s, %s)', (isTunnelled, outcome) => {
    for (const order of ORDERS) {
      const under = closed(isTunnelled, outcome).happen(...order);
      expect(under.phase).toMatchObject({ is: 'transferring', no: 1, bot: 1, hasStream: false });
      expect(under.done('tell_bot')[0]).toEqual(agreement);
      expect([...under.done('recover'), ...under.done('hang_up'), ...under.done('assign_bot')]).toEqual([]);
      expect(under.life.facts.timers).not.toContain('last_word');
    }
  });

  test('gives its caller back to the same bot', () => {
    for (const order of ORDERS.slice(0, 3)) {
      const under = closed().happen(...order, EVENTS.transfer_ended);
      expect(under.phase).toMatchObject({ is: 'returning', bot: 1 });
      under.happen(EVENTS.stream_connected);
      expect(under.done('serve_bot')).toMatchObject([{ bot: 1, attempt: 1, comeback: { status: 'busy' } }]);
    }
  });

  test('and that is refused then goes on as any call that has lost its stream', () => {
    const under = closed(true);
    expect(under.done('recover')).toEqual([]);
    under.happen(EVENTS.transfer_refused);
    expect(under.done('tell_bot')).toMatchObject([{ bot: 1, message: { problem: { code: 'VB_TRANSFER_FAILED' } } }]);
    expect(under.done('recover')).toHaveLength(1);
    expect(closed().happen(EVENTS.transfer_refused, timer('last_word')).phase).toEqual({
      is: 'ended',
      reason: 'caller_hung_up',
    });
  });

  test('because the caller has hung up is over when the carrier says so, and its bot learns it', () => {
    const under = closed().happen(EVENTS.provider_says_over);
    expect(under.phase).toEqual({ is: 'ended', reason: 'caller_hung_up' });
    expect(under.done('tell_bot')).toEqual([{ do: 'tell_bot', bot: 1, message: { type: 'call_over' } }]);
  });

  test('and comes for what follows the stream is given another bot', () => {
    const under = closed().happen(EVENTS.resume_asked, EVENTS.transfer_agreed);
    expect(under.phase).toMatchObject({ is: 'waiting_for_stream' });
    expect(under.done('tell_bot')).toMatchObject([{ bot: 1, message: { problem: { code: 'VB_TRANSFER_FAILED' } } }]);
  });

  test('is carried out although its bot is gone meanwhile, and its caller gets another one back', () => {
    const under = closed().happen({ ...EVENTS.bot_done, outcome: 'lost' }, EVENTS.transfer_agreed);
    expect(under.phase).toMatchObject({ is: 'transferring', bot: undefined });
    under.happen(EVENTS.transfer_document_asked, EVENTS.transfer_ended);
    expect(under.phase).toMatchObject({ is: 'waiting_for_stream' });
  });
});

test('a stream that the carrier closes before it is asked for the transfer is lost, and nobody is transferred', () => {
  const under = callIn('talking').happen(EVENTS.transfer_wanted, streamOver('far_end'), EVENTS.transfer_checked);
  expect(under.phase).toMatchObject({ is: 'between_streams' });
  expect(under.done('ask_transfer')).toEqual([]);
  expect(under.done('tell_bot')).toMatchObject([{ bot: 1, message: { problem: { code: 'VB_TRANSFER_FAILED' } } }]);
});

describe('without a tunnel, a call whose stream is over', () => {
  test.each(['bot_crashed', 'bot_timeout', 'far_end'] as const)(
    'as %s may be connected again, and is fetched when the carrier has done nothing for 2 s',
    (outcome) => {
      const under = callIn('talking').happen(streamOver(outcome));
      expect(under.done('renew_pass')).toHaveLength(1);
      expect(under.done('recover')).toEqual([{ do: 'recover', graceMs: 2_000, hadStream: true }]);
      under.happen(EVENTS.stream_connected);
      expect(under.phase).toMatchObject({ is: 'starting', attempt: 2 });
      expect(under.done('stop_recovering')).toHaveLength(1);
    },
  );

  test('since its bot has ended it is neither', () => {
    const under = callIn('talking').happen(streamOver('bot_ended'));
    expect([...under.done('renew_pass'), ...under.done('recover')]).toEqual([]);
  });

  test('because its runner is gone may be connected again at the next one', () => {
    const under = callIn('talking').happen(EVENTS.runner_lost);
    expect(under.done('renew_pass')).toHaveLength(1);
    expect(under.done('recover')).toMatchObject([{ graceMs: 2_000 }]);
  });
});

test('who has answered is waited for no longer', () => {
  const transferred = callIn('transferring').happen(EVENTS.destination_answered);
  expect(transferred.done('clear_timer')).toEqual([{ do: 'clear_timer', name: 'transfer_news' }]);
  const connected = callIn('joined').happen(news('connected'));
  expect(connected.done('clear_timer')).toEqual([{ do: 'clear_timer', name: 'connect' }]);
});

describe('why a call ends', () => {
  test('is its limit although the destination answers after that', () => {
    const under = callIn('transferring').happen(timer('length'), EVENTS.destination_answered, timer('goodbye'));
    expect(under.phase).toEqual({ is: 'ended', reason: 'limit_reached' });
  });

  test('is its limit, and the caller is hung up, although the destination is gone before the goodbye is over', () => {
    const under = callIn('transferring').happen(timer('length'), EVENTS.destination_answered);
    under.happen({ ...EVENTS.destination_looked_up, step: 'answered', isCheck: true });
    expect(under.phase).toEqual({ is: 'ended', reason: 'limit_reached' });
    expect(under.done('hang_up')).toEqual([{ do: 'hang_up', graceMs: 0 }]);
  });

  test('is the transfer although the runner stops meanwhile', () => {
    const under = callIn('transferring').happen(EVENTS.runner_stops, EVENTS.destination_answered, EVENTS.runner_stops);
    under.happen(EVENTS.runner_leaves);
    expect(under.phase).toEqual({ is: 'ended', reason: 'transferred' });
    expect(under.done('hang_up')).toEqual([]);
  });

  test('is one bot for one lost stream, though that is told as over only when the next document has been given', () => {
    const under = callIn('talking').happen(EVENTS.resume_asked, timer('outcome'), streamOver('far_end'));
    under.happen(EVENTS.stream_connected, { ...EVENTS.bot_assigned, entry: 2, bot: 2 });
    expect(under.done('serve_bot')).toMatchObject([{ bot: 2, attempt: 2 }]);
  });

  test('is audio that the only bot on its way could not read', () => {
    const under = callIn('starting').happen(EVENTS.bot_cannot_read, streamOver('bot_crashed'), EVENTS.resume_asked);
    expect([...under.done('assign_bot'), ...under.done('serve_bot')]).toEqual([]);
    expect(under.done('answer')).toMatchObject([{ document: { is: 'apology' } }]);
  });

  test('is not audio that one of two bots on their way could not read', () => {
    const under = callIn('starting').happen(
      timer('beside'),
      { ...EVENTS.bot_assigned, bot: 2 },
      EVENTS.bot_cannot_read,
    );
    under.happen(streamOver('bot_crashed'), { ...EVENTS.bot_reading, bot: 2 }, EVENTS.provider_says_over);
    expect(under.phase).toEqual({ is: 'ended', reason: 'caller_hung_up' });
  });

  test('is the transfer although the bot could not read a file meanwhile', () => {
    const under = callIn('transferring').happen(EVENTS.bot_cannot_read, EVENTS.transfer_document_asked);
    expect(under.done('answer')).not.toMatchObject([{ document: { is: 'apology' } }]);
  });

  test('is audio that the bot could not read: the caller hears the recorded line, and no other bot', () => {
    const under = callIn('talking').happen(EVENTS.bot_cannot_read, streamOver('bot_crashed'), EVENTS.resume_asked);
    expect([...under.done('serve_bot'), ...under.done('renew_pass')]).toEqual([]);
    expect(under.done('answer')).toMatchObject([{ document: { is: 'apology' } }]);
    expect(under.happen(EVENTS.provider_says_over).phase).toEqual({ is: 'ended', reason: 'audio_unreadable' });
  });

  test('is what its bot has ended it for, and not what the carrier says after', () => {
    const under = callIn('talking').happen(EVENTS.bot_ends_for, streamOver('bot_ended'), EVENTS.provider_says_over);
    expect(under.phase).toEqual({ is: 'ended', reason: 'bot_ended' });
  });

  test.each([
    ['caller_hung_up', 'voicemail'],
    ['no_answer', 'no_answer'],
  ] as const)('is, after a machine answered, for %s: %s', (reason, expected) => {
    const under = callIn('talking').happen(EVENTS.machine_detected, { type: 'provider_says_over', reason });
    expect(under.phase).toEqual({ is: 'ended', reason: expected });
  });

  test.each([EVENTS.bot_done, timer('goodbye'), EVENTS.runner_leaves])(
    'is the transfer that the bot in the room has seen, whatever was decided ($type)',
    (last) => {
      const under = callIn('talking in a room').happen(news('transferring'), timer('length'), EVENTS.runner_stops);
      under.happen(over('transferred'), last);
      expect(under.phase).toEqual({ is: 'ended', reason: 'transferred' });
      expect(under.done('leave_room')).toHaveLength(1);
      expect(under.done('close_room')).toEqual([]);
    },
  );

  test.each([
    'caller_hung_up',
    'bot_ended',
    'busy',
    'no_answer',
    'rejected',
    'provider_error',
    'telephony_error',
    'voicemail',
    'screened',
    'room_closed',
  ] as const)('is what the bot in the room has said first, whatever becomes of it: %s', (reason) => {
    for (const way of ['joined', 'talking in a room'] as const) {
      for (const outcome of ['returned', 'threw', 'lost', 'hung'] as const) {
        const under = callIn(way).happen(over(reason), over('bot_ended'), { ...EVENTS.bot_done, outcome });
        expect(under.phase).toEqual({ is: 'ended', reason });
        expect(under.done('assign_bot')).toEqual([]);
        expect(under.done('close_room')).toHaveLength(1);
      }
    }
  });

  test('is that of the last call out of its room', () => {
    const dialled: CallEvent = { type: 'room_event', bot: 1, news: { type: 'dialled', sessionId: 'session-2' } };
    const under = callIn('joined').happen(over('busy'), dialled, news('connected'), over('caller_hung_up'));
    expect(under.happen(EVENTS.bot_done).phase).toEqual({ is: 'ended', reason: 'caller_hung_up' });
  });

  test('is its limit although the bot says something else after that, and stays', () => {
    const under = callIn('talking in a room').happen(timer('length'), over('bot_ended'), timer('goodbye'));
    expect(under.phase).toEqual({ is: 'ended', reason: 'limit_reached' });
  });

  test.each([
    ['bot_ended', 'ending', 'bot_ended'],
    ['bot_crashed', 'between_streams', 'bot_crashed'],
    ['bot_timeout', 'between_streams', 'bot_timeout'],
    ['far_end', 'between_streams', 'caller_hung_up'],
  ] as const)('is, after a stream that ended as %s and no word of the carrier for 30 s: %#', (outcome, is, reason) => {
    const under = callIn('talking').happen(streamOver(outcome));
    expect(under.phase.is).toBe(is);
    expect(under.done('set_timer')).toContainEqual({ do: 'set_timer', name: 'last_word', ms: 30_000 });
    expect(under.happen(timer('last_word')).phase).toEqual({ is: 'ended', reason });
  });

  test('is a fault of the telephony when its stream does not come for 30 s', () => {
    const first = new LifeUnderTest(carrierCall()).happen(EVENTS.answer_asked);
    const later = callIn('talking').happen(streamOver('bot_crashed'), EVENTS.resume_asked);
    for (const under of [first, later]) {
      expect(under.done('set_timer')).toContainEqual({ do: 'set_timer', name: 'last_word', ms: 30_000 });
      expect(under.happen(timer('last_word')).phase).toEqual({ is: 'ended', reason: 'telephony_error' });
    }
    expect(callIn('talking').life.facts.timers).not.toContain('last_word');
  });
});

describe('a call in a room', () => {
  test.each([
    ['was not fetched', roomCall(), 'connect', 45_000],
    ['was not called', roomCall({ isDialled: true }), 'answer', 60_000],
  ] as const)('whose other party %s ends as not connected, after a goodbye', (_, call, name, ms) => {
    const under = new LifeUnderTest(call).happen(EVENTS.room_opened, EVENTS.bot_assigned, EVENTS.room_event);
    expect(under.done('set_timer')).toContainEqual({ do: 'set_timer', name, ms });
    under.happen(timer(name));
    expect(under.done('tell_bot')).toEqual([{ do: 'tell_bot', bot: 1, message: { type: 'end' } }]);
    under.happen(timer('goodbye'));
    expect(under.phase).toEqual({ is: 'ended', reason: 'not_connected' });
    expect(under.done('close_room')).toHaveLength(1);
  });

  test.each([
    ['was forwarded', roomCall(), { type: 'forwarded' }, 'connect', 15_000, 'not_connected'],
    ['has a line', roomCall({ isDialled: true }), { type: 'dialled', sessionId: '1' }, 'answer', 60_000, 'no_answer'],
    ['hung up', roomCall(), { type: 'over', reason: 'caller_hung_up' }, 'connect', 45_000, 'caller_hung_up'],
    ['was busy', roomCall({ isDialled: true }), { type: 'over', reason: 'busy' }, 'answer', 60_000, 'busy'],
  ] as const)('whose other party %s and is not connected ends for that', (_, call, said, name, ms, reason) => {
    const under = new LifeUnderTest(call).happen(EVENTS.room_opened, EVENTS.bot_assigned, EVENTS.room_event);
    under.happen({ type: 'room_event', bot: 1, news: said });
    expect(under.done('set_timer').findLast((set) => set.name === name)?.ms).toBe(ms);
    expect(under.happen(timer(name), EVENTS.bot_done).phase).toEqual({ is: 'ended', reason });
  });

  test('rings for as long as is set, and has no such time once it is answered, even if it is told to ring after that', () => {
    const dialled: CallEvent = { type: 'room_event', bot: 1, news: { type: 'dialled', sessionId: '1' } };
    const under = new LifeUnderTest(roomCall({ isDialled: true }));
    under.happen(EVENTS.room_opened, EVENTS.bot_assigned, EVENTS.room_event, dialled, news('ringing'));
    expect(under.latest).toContainEqual({ do: 'set_timer', name: 'answer', ms: 30_000 });
    under.happen(news('connected'));
    expect(under.latest).toContainEqual({ do: 'clear_timer', name: 'answer' });
    expect(under.happen(news('ringing')).latest).toEqual([]);
  });

  test('is not said to ring because its bot calls another party', () => {
    expect(callIn('talking in a room').happen(news('ringing')).effects).toEqual([]);
  });

  test('ends when its bot is not let into the room, which is gone', () => {
    const under = callIn('starting in a room').happen(over('room_closed'));
    expect(under.phase).toEqual({ is: 'ended', reason: 'room_closed' });
    expect(under.done('assign_bot')).toEqual([]);
  });

  test('that is silent has one goodbye, however often its bot says so', () => {
    const silent: CallEvent = { type: 'room_event', bot: 1, news: { type: 'silent' } };
    const under = callIn('joined').happen(silent, silent, timer('connect'));
    expect(under.done('set_timer')).toEqual([{ do: 'set_timer', name: 'goodbye', ms: 5_000 }]);
  });

  test('whose caller hears a destination ring with a bot that has taken over is not taken for one that was not connected', () => {
    const under = callIn('transferring in a room').happen({ ...EVENTS.bot_done, outcome: 'lost' });
    under.happen({ type: 'bot_assigned', entry: 2, bot: 2 }, { ...EVENTS.room_event, bot: 2 }, news('transferring', 2));
    expect(under.life.facts.timers).not.toContain('connect');
  });

  test('has five numbers checked beside the one it was started for', () => {
    const call = roomCall({ isDialled: true, phoneNumber: '+12025550142' });
    const under = new LifeUnderTest(call).happen(EVENTS.room_opened, EVENTS.bot_assigned, EVENTS.room_event);
    under.happen({ type: 'target_checked', bot: 1, request: 1, to: '+12025550142' });
    for (let request = 2; request <= 7; request += 1)
      under.happen({ type: 'target_checked', bot: 1, request, to: OPERATOR });
    const problems = under.done('tell_bot').map(({ message }) => 'problem' in message && message.problem?.code);
    expect(problems).toEqual([...Array(6).fill(false), 'VB_DIAL_LIMIT']);
  });
});

test('a decision is the same for the same call, event and time, and nobody can change it', () => {
  const first = new LifeUnderTest(carrierCall(), 5).happen(EVENTS.answer_asked);
  const second = new LifeUnderTest(carrierCall(), 5).happen(EVENTS.answer_asked);
  expect(first.life).toEqual(second.life);
  expect(first.effects).toEqual(second.effects);
  expect([first.life, first.life.phase, first.life.facts, first.latest].every(Object.isFrozen)).toBe(true);
});

test('2,000 random sequences of events: each call ends once and leaves nothing open', () => {
  checkRandomCalls(2_000);
});
