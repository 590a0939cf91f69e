import { Socket } from 'node:net';
import { asCallId } from '../../../src/call/call-id.js';
import { BotCall, type BotCallProcess } from '../../../src/runner/bots/bot-call.js';
import type { FromBot, MessageToBot, ServeMessage, ServeRoomMessage } from '../../../src/runner/bots/messages.js';

const CALL = {
  id: 'call-1',
  direction: 'inbound',
  from: '+12025550142',
  isWithheld: false,
  to: '+12025550100',
  attempt: 1,
} as const;
const SERVE: ServeMessage = {
  type: 'serve',
  call: CALL,
  providerCallId: 'call-1',
  carrier: 'plivo',
  body: {},
  query: {},
  silenceMs: 0,
  limitMs: 3_600_000,
};
const SERVE_ROOM: ServeRoomMessage = {
  type: 'serve_room',
  call: CALL,
  room_url: 'http://127.0.0.1/rooms/room-1',
  token: 'token-1',
  body: {},
  past: { isForwarded: false, dialout: undefined },
  silenceMs: 0,
  ringMs: 45_000,
  limitMs: 3_600_000,
};
const EVENTS: Record<FromBot['type'], true> = {
  socket_received: true,
  reading: true,
  stream_over: true,
  ends_for: true,
  unreadable: true,
  misconfigured: true,
  failed: true,
  transfer: true,
  consult: true,
  end_leg: true,
  handover: true,
  do_not_call: true,
  do_not_call_told: true,
  notice_heard: true,
  notices_forgotten: true,
  recording_removed: true,
  silent: true,
  room_news: true,
  check_target: true,
  noted: true,
  call_done: true,
};

/** The process of one bot, which keeps what it is told. */
class HandProcess implements BotCallProcess {
  readonly told: MessageToBot[] = [];
  readonly sockets: Socket[] = [];
  begun = 0;
  abandoned = 0;

  begin(): void {
    this.begun += 1;
  }
  send(message: MessageToBot, socket?: Socket): void {
    this.told.push(message);
    if (socket) this.sockets.push(socket);
  }
  abandon(): void {
    this.abandoned += 1;
  }
}

let process: HandProcess;
let bot: BotCall;
/** What the bot has been heard to say. */
let heard: FromBot[];
beforeEach(() => {
  process = new HandProcess();
  bot = new BotCall('call-1', process);
  heard = [];
  for (const type of Object.keys(EVENTS)) bot.on(type as 'socket_received', (message: FromBot) => heard.push(message));
});

const says = (...messages: FromBot[]) => {
  for (const message of messages) bot.receive(message);
};

test('what a bot says is emitted as it was said', () => {
  bot.serve(SERVE);
  const messages: FromBot[] = [
    { type: 'reading' },
    { type: 'socket_received' },
    { type: 'transfer', to: '+12025550101' },
    { type: 'check_target', requestId: 1, to: '+12025550101' },
    { type: 'consult', requestId: 1, to: '+12025550101', ringSeconds: 30 },
    { type: 'end_leg', legId: 'out_1' },
    { type: 'handover', handover: { to: '+12025550101', legId: 'out_1', phase: 'ringing' } },
    { type: 'room_news', news: { type: 'connected' } },
    { type: 'do_not_call', requestId: 3, how: 'said' },
    { type: 'do_not_call_told', isHeard: true },
    { type: 'silent' },
    {
      type: 'notice_heard',
      notice: 'disclosure',
      heard: { text: 'A machine speaks.', from: 1, to: 2, evidence: 'sent' },
    },
    { type: 'notices_forgotten' },
    { type: 'recording_removed' },
    { type: 'consult', requestId: 1, to: '+12025550101', ringSeconds: 30 },
    { type: 'end_leg', legId: asCallId('out_leg') },
    { type: 'handover' },
    { type: 'noted', events: [{ at: 1, source: 'bot', type: 'caller_joined' }] },
    { type: 'ends_for', reason: 'voicemail' },
    { type: 'failed', exception: { error: 'TypeError: no ledger' } },
    { type: 'misconfigured' },
    { type: 'unreadable', error: { code: 'VB_WAV_INVALID', message: 'no data' } },
    { type: 'stream_over', outcome: 'bot_ended' },
    { type: 'call_done', outcome: 'returned' },
  ];
  says(...messages);
  expect(heard).toEqual(messages);
  expect(new Set(heard.map(({ type }) => type))).toEqual(new Set(Object.keys(EVENTS)));
});

test('what a bot is told goes to its process with the identifier of its call', () => {
  bot.serve(SERVE);
  bot.send({ type: 'end' });
  expect(process.told).toEqual([
    { ...SERVE, streamNo: 1, callId: 'call-1' },
    { type: 'end', callId: 'call-1' },
  ]);
});

test.each(['before it has begun', 'after it has settled'])(
  'a bot is told nothing, and is not abandoned, %s',
  (when) => {
    if (when.startsWith('after')) {
      bot.serve(SERVE);
      says({ type: 'call_done', outcome: 'returned' });
    }
    const told = process.told.length;
    bot.send({ type: 'end' });
    bot.abandon();
    expect(process.told).toHaveLength(told);
    expect(process.abandoned).toBe(0);
  },
);

test('a bot settles once, and says nothing after', () => {
  bot.serve(SERVE);
  expect(bot.isOver).toBe(false);
  says({ type: 'call_done', outcome: 'threw' }, { type: 'call_done', outcome: 'lost' }, { type: 'silent' });
  expect(bot.isOver).toBe(true);
  expect(heard).toEqual([
    { type: 'stream_over', outcome: 'bot_ended' },
    { type: 'call_done', outcome: 'threw' },
  ]);
});

test('only the first end of a stream counts, and a bot that begins to read after it is too late', () => {
  bot.serve(SERVE);
  says(
    { type: 'stream_over', outcome: 'bot_timeout' },
    { type: 'stream_over', outcome: 'far_end' },
    { type: 'reading' },
  );
  expect(heard).toEqual([{ type: 'stream_over', outcome: 'bot_timeout' }]);
});

test('the end of a stream that is told only when the caller is back says nothing of the next one', () => {
  bot.serve(SERVE);
  bot.serve({ ...SERVE, comeback: { status: 'busy', detail: 'busy' } });
  expect(process.told).toMatchObject([{ streamNo: 1 }, { streamNo: 2 }]);
  says({ type: 'stream_over', outcome: 'transferring', streamNo: 1 });
  expect(heard).toEqual([]);
  says({ type: 'stream_over', outcome: 'far_end', streamNo: 2 });
  expect(heard).toEqual([{ type: 'stream_over', outcome: 'far_end', streamNo: 2 }]);
});

test('a bot that gets its caller back has a stream again', () => {
  bot.serve(SERVE);
  says({ type: 'reading' }, { type: 'stream_over', outcome: 'transferring' });
  bot.serve({ ...SERVE, comeback: { status: 'busy', detail: 'busy' } });
  says({ type: 'reading' }, { type: 'stream_over', outcome: 'far_end' });
  expect(heard.slice(2)).toEqual([{ type: 'reading' }, { type: 'stream_over', outcome: 'far_end' }]);
  expect(process.begun).toBe(2);
});

test('a bot in a room has no stream that could end', () => {
  bot.serve(SERVE_ROOM);
  says({ type: 'stream_over', outcome: 'bot_crashed' }, { type: 'call_done', outcome: 'lost' });
  expect(heard).toEqual([{ type: 'call_done', outcome: 'lost' }]);
});

describe('the socket of a stream', () => {
  const released = () => ({ socket: new Socket(), head: Buffer.from('media') });

  test('goes to the process with what came on it, and is kept until it is there', () => {
    bot.serve(SERVE);
    const stream = released();
    bot.give(stream);
    expect(process.told.at(-1)).toEqual({
      type: 'stream',
      callId: 'call-1',
      head: Buffer.from('media').toString('base64'),
    });
    expect(process.sockets).toEqual([stream.socket]);
    expect(stream.socket.destroyed).toBe(false);
    says({ type: 'socket_received' });
    expect(stream.socket.destroyed).toBe(true);
  });

  test('is closed when its bot settles before it is there', () => {
    bot.serve(SERVE);
    const stream = released();
    bot.give(stream);
    says({ type: 'call_done', outcome: 'lost' });
    expect(stream.socket.destroyed).toBe(true);
  });
});

describe('a bot talks to somebody', () => {
  test('from when it is given its stream until that is over', () => {
    bot.serve(SERVE);
    says({ type: 'reading' });
    expect(bot.isTalking).toBe(false);
    bot.give({ socket: new Socket(), head: Buffer.alloc(0) });
    expect(bot.isTalking).toBe(true);
    says({ type: 'stream_over', outcome: 'far_end' });
    expect(bot.isTalking).toBe(false);
  });

  test('from when it is in its room until it has settled', () => {
    bot.serve(SERVE_ROOM);
    says({ type: 'room_news', news: { type: 'joined' } });
    expect(bot.isTalking).toBe(true);
    says({ type: 'call_done', outcome: 'returned' });
    expect(bot.isTalking).toBe(false);
  });
});
