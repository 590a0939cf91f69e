import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { deferred } from '../../src/base/async/deferred.js';
import { VoicebotError } from '../../src/base/errors.js';
import { type LogFields, silentLogger } from '../../src/base/logger.js';
import { plivo } from '../../src/providers/plivo/provider.js';
import { HangupJournal } from '../../src/runner/calls/debts/hangup-journal.js';
import {
  ACCOUNT,
  BOT,
  CALL,
  CallsUnderTest,
  COLLEAGUE,
  dialOf,
  HandBot,
  OPERATOR,
  settled,
  streamOf,
} from './call-races-harness.js';
import { HandApi } from './hand-api.js';
import { AUTH_ID, AUTH_TOKEN } from './hand-carrier.js';
import { RunnerUnderTest } from './runner-under-test.js';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const passing = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const HANG_UP = [{ do: 'hangup' }];
const RECORDED_LINE = [{ do: 'play', url: 'https://bot.example.com/prompts/apology.wav' }, { do: 'hangup' }];

/** The call goes on with its bot, long after everything that might end it by mistake. */
async function goesOn({ record, client }: { record: () => unknown; client: { ended: string[] } }, attempt = 1) {
  await passing(120_000);
  expect(record()).toMatchObject({ state: 'connected', attempt });
  expect(client.ended).toEqual([]);
}
const ofCall = (under: CallsUnderTest) => ({ record: () => under.record(), client: under.client });

describe('a call whose stream waits for a bot', () => {
  test('goes on when a copy of the request for its first document comes meanwhile', async () => {
    using under = new CallsUnderTest();
    const steps = under.answer();
    const connection = under.connect(steps);
    expect(under.answer()).toEqual(steps);
    connection.hand(new HandBot());
    await goesOn(ofCall(under));
  });

  test('goes on with its newer connection when no bot was there for the older one', async () => {
    using under = new CallsUnderTest();
    const steps = under.answer();
    const older = under.connect(steps);
    const newer = under.connect(steps);
    await older.fail();
    newer.hand(new HandBot());
    await goesOn(ofCall(under));
  });

  test('is told at once that there is no bot, and ends after half a minute at the latest', async () => {
    using under = new CallsUnderTest();
    const steps = under.answer();
    const connection = under.connect(steps);
    await connection.fail();
    expect(connection.stream.did).toEqual(['end']);
    expect(await under.follow(steps)).toEqual(RECORDED_LINE);
    await passing(30_000);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'no_bot' });
    expect(under.client.ended).toEqual([CALL]);
  });
});

describe('a bot that dies while its transfer rings', () => {
  const killed = async (under: CallsUnderTest) => {
    const bot = await under.serve(under.answer());
    const dial = await under.transfer(await under.letGo(bot));
    await under.crash(bot);
    return dial;
  };

  test('leaves its caller to the destination that answers', async () => {
    using under = new CallsUnderTest();
    const dial = await killed(under);
    under.answered(dial);
    expect(under.dialled(dial, 'completed')).toEqual(HANG_UP);
    under.hangup();
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'transferred', attempt: 1 });
  });

  test('has the next one told that nobody answered, and only the next', async () => {
    using under = new CallsUnderTest();
    const steps = under.dialled(await killed(under), 'busy');
    const second = await under.serve(steps);
    const failedTransfer = { toEndPoint: OPERATOR, status: 'busy', detail: 'busy' };
    expect(second.served).toMatchObject([{ call: { attempt: 2 }, failedTransfer }]);
    await under.crash(second);
    const third = await under.serve(await under.follow(steps));
    expect(third.served[0]).not.toHaveProperty('failedTransfer');
  });
});

describe('bots that are started for a call one after the other', () => {
  test('are at most three, 3 s apart, and the first one that listens has it', async () => {
    using under = new CallsUnderTest();
    const { stream } = under.connect(under.answer(), 'queued');
    const first = under.start();
    await passing(3_000);
    const second = under.start();
    expect(second.served[0]).toMatchObject({ call: { attempt: 2 } });
    await passing(3_000);
    const third = under.start();
    await passing(2_000);
    expect(under.wanted).toBe(0);
    under.reads(first);
    expect([first, second, third].map(({ abandoned }) => abandoned)).toEqual([0, 1, 1]);
    under.reads(second); // it was on its way
    expect(stream.did).toEqual(['tone', 'release']);
    await goesOn(ofCall(under));
  });

  test('have 9 s in all, also when the one before has died while it talked', async () => {
    using under = new CallsUnderTest();
    const steps = under.answer();
    await under.crash(await under.serve(steps));
    await passing(1_000); // the carrier takes its time
    const { stream } = under.connect(await under.follow(steps), 'queued');
    under.start();
    await passing(7_999);
    expect(stream.did).toEqual(['tone']);
    await passing(1);
    expect(stream.did).toEqual(['tone', 'end']);
  });

  test('are not waited for when the carrier closes the stream', async () => {
    using under = new CallsUnderTest();
    const { stream } = under.connect(under.answer(), 'queued');
    const bot = under.start();
    stream.emit('closed');
    expect(bot.abandoned).toBe(1);
    await passing(32_000);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'caller_hung_up' });
  });
});

describe('a call whose stream has died without being closed', () => {
  test('is asked for at the carrier at once, and goes on with another bot', async () => {
    using under = new CallsUnderTest();
    const steps = under.answer();
    under.streamOver(await under.serve(steps), 'stream_lost');
    await passing(1);
    expect(under.client.transfers).toEqual([expect.stringMatching(/\/resume\?stream_no=1&call_id=/)]);
    await under.serve(await under.follow(steps), new HandBot());
    await goesOn(ofCall(under), 2);
  });

  test('is ended 8 s later when the carrier does not come', async () => {
    using under = new CallsUnderTest();
    under.streamOver(await under.serve(under.answer()), 'stream_lost');
    await passing(7_999);
    expect(under.client.ended).toEqual([]);
    await passing(1);
    expect(under.client.ended).toEqual([CALL]);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'telephony_error' });
  });

  test('is over when the carrier does not know it any more', async () => {
    using under = new CallsUnderTest();
    under.client.gone.add(CALL);
    under.streamOver(await under.serve(under.answer()), 'stream_lost');
    await passing(1);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'caller_hung_up' });
  });
});

describe('a transfer that the carrier takes too late', () => {
  /** The carrier answers when the test says so. */
  function holdAnswer(under: CallsUnderTest): () => Promise<void> {
    let answer = () => {};
    under.client.takeTransfer = () => new Promise((resolve) => (answer = resolve));
    return () => {
      answer();
      return settled();
    };
  }

  test.each([
    ['lost its stream', 'VB_TRANSFER_FAILED'],
    ['crashed', undefined],
  ])(
    'after its bot has %s leaves the caller with the next bot, and to another one when the carrier follows it',
    async (loss, told) => {
      using under = new CallsUnderTest();
      const first = under.answer();
      const take = holdAnswer(under);
      const bot = await under.serve(first);
      await under.ask(bot);
      if (loss === 'crashed') await under.crash(bot);
      else under.streamOver(bot, 'bot_crashed');
      const second = await under.serve(await under.follow(first));
      await take();
      expect(bot.transferProblem).toBe(told);
      await goesOn(ofCall(under), 2);

      under.streamOver(second, 'far_end'); // the carrier follows the transfer nevertheless
      const address = under.client.transfers[0] ?? '';
      const steps = await under.transfer(address);
      await under.serve(steps);
      const copy = under.transfer(address);
      await passing(3_000);
      expect(await copy).toEqual(steps);
      await goesOn(ofCall(under), 3);
    },
  );

  test('after its bot was told that it failed leaves the caller with that bot', async () => {
    using under = new CallsUnderTest();
    under.client.takeTransfer = (signal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const bot = await under.serve(under.answer());
    await under.ask(bot);
    await passing(24_999);
    expect(bot.told).toEqual([]);
    await passing(1); // the bot itself waits 30 s
    expect(bot.transferProblem).toBe('VB_TRANSFER_FAILED');
    await goesOn(ofCall(under));

    under.streamOver(bot, 'far_end'); // the carrier had taken it
    await under.serve(await under.transfer(under.client.transfers[0] ?? ''));
    await goesOn(ofCall(under), 2);
  });

  test('after its bot has ended the call dials nobody', async () => {
    using under = new CallsUnderTest();
    const take = holdAnswer(under);
    const bot = await under.serve(under.answer());
    await under.ask(bot);
    under.streamOver(bot, 'bot_ended');
    await take();
    under.botDone(bot);
    expect(await under.transfer(under.client.transfers[0] ?? '')).toEqual(HANG_UP);
  });
});

describe('a transfer to the operator whose number is not set', () => {
  test.each([
    ['on a real account says so in its outcome and its log lines', '', true],
    ['is like any other where the number is set', OPERATOR, false],
  ])('%s', async (_what, operatorNumber, isTold) => {
    const logged: string[] = [];
    const write = (message: string, fields?: LogFields) => void logged.push(`${message} ${JSON.stringify(fields)}`);
    const logger = { ...silentLogger, info: write, warn: write };
    using under = new CallsUnderTest({ operatorNumber, logger });
    const bot = await under.serve(under.answer());
    const dial = await under.transfer(await under.letGo(bot));
    await under.serve(under.dialled(dial, 'no_answer'), bot);
    const { detail = '' } = bot.served.at(-1)?.comeback ?? {};
    const reason =
      'no_answer: OPERATOR_NUMBER is not set to a real number, and +12025550101 is unassigned outside the sandbox';
    expect(detail).toBe(isTold ? reason : 'no_answer');
    const told = logged.filter((line) => line.includes('OPERATOR_NUMBER')).map((line) => line.split(' {')[0]);
    expect(told).toEqual(isTold ? ['transfer to an unassigned number', 'transfer failed'] : []);
  });
});

describe('a copy that comes late', () => {
  /** A first transfer that found the line busy; its bot is back with the caller. */
  async function returned(under: CallsUnderTest) {
    const first = under.answer();
    const bot = await under.serve(first);
    const address = await under.letGo(bot);
    const dial = await under.transfer(address);
    const steps = under.dialled(dial, 'busy');
    await under.serve(steps, bot);
    expect(bot.served.at(-1)?.comeback).toEqual({ status: 'busy', detail: 'busy' });
    expect(bot.served.at(-1)).not.toHaveProperty('failedTransfer'); // it is told once
    return { bot, address, dial, steps };
  }

  test.each([
    [
      'the outcome',
      (under: CallsUnderTest, { dial }: Awaited<ReturnType<typeof returned>>) => under.dialled(dial, 'busy'),
    ],
    ['the answer', (under: CallsUnderTest, { dial }: Awaited<ReturnType<typeof returned>>) => under.answered(dial)],
    [
      'the request',
      (under: CallsUnderTest, { address }: Awaited<ReturnType<typeof returned>>) => under.transfer(address),
    ],
  ])('of %s of an earlier transfer does not touch the one that goes on', async (_, comeAgain) => {
    using under = new CallsUnderTest();
    const earlier = await returned(under);
    const { bot } = earlier;
    const address = await under.letGo(bot, COLLEAGUE);
    void comeAgain(under, earlier);
    await passing(3_000);
    const dial = await under.transfer(address);
    expect(dialOf(dial).to).toBe(COLLEAGUE);
    void comeAgain(under, earlier);
    await passing(3_000);
    expect(bot.told).not.toContainEqual(expect.objectContaining({ type: 'transfer_over' }));
    under.answered(dial);
    const outcome = { status: 'answered', data: { toEndPoint: COLLEAGUE, sessionId: 'leg-1' } };
    expect(bot.told).toContainEqual({ type: 'transfer_over', callId: CALL, outcome });
    under.botDone(bot);
    await passing(120_000);
    expect(under.client.ended).toEqual([]);
    expect(under.dialled(dial, 'completed')).toEqual(HANG_UP);
    under.hangup();
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'transferred' });
  });

  test.each([
    [
      'the outcome',
      (under: CallsUnderTest, { dial }: Awaited<ReturnType<typeof returned>>) => under.dialled(dial, 'busy'),
    ],
    [
      'the request',
      (under: CallsUnderTest, { address }: Awaited<ReturnType<typeof returned>>) => under.transfer(address),
    ],
  ])('of %s of a transfer leaves the returned caller with the bot', async (_, comeAgain) => {
    using under = new CallsUnderTest();
    const earlier = await returned(under);
    const steps = comeAgain(under, earlier);
    await passing(3_000);
    expect(await steps).toEqual(earlier.steps);
    await goesOn(ofCall(under));
  });

  test('of the request for the next document leaves the stream of the third bot alone', async () => {
    using under = new CallsUnderTest();
    const first = under.answer();
    await under.crash(await under.serve(first));
    const second = await under.follow(first);
    await under.crash(await under.serve(second));
    const third = await under.follow(second);
    await under.serve(third);
    for (const older of [first, second]) {
      const copy = under.follow(older);
      await passing(3_000);
      expect(await copy).toEqual(third);
    }
    await goesOn(ofCall(under), 3);
  });

  test.each(['the request', 'the outcome'])(
    'of %s of a transfer never opens a call again that is over',
    async (which) => {
      using under = new CallsUnderTest();
      const bot = await under.serve(under.answer());
      const address = await under.letGo(bot);
      const dial = await under.transfer(address);
      under.hangup();
      expect(under.registry.liveCount).toBe(0);
      const steps = which === 'the request' ? await under.transfer(address) : under.dialled(dial, 'caller_left');
      expect(steps).toEqual(HANG_UP);
      expect(under.registry.liveCount).toBe(0);
    },
  );
});

describe('a caller who talks to the destination', () => {
  test.each(['the first document', 'the next document', 'the transfer'])(
    'is left alone when a copy of the request for %s comes',
    async (which) => {
      using under = new CallsUnderTest();
      const first = under.answer();
      const bot = await under.serve(first);
      const earlier = await under.letGo(bot);
      const busy = await under.transfer(earlier);
      await under.serve(under.dialled(busy, 'busy'), bot);
      const address = await under.letGo(bot, COLLEAGUE);
      const dial = await under.transfer(address);
      under.answered(dial);
      under.botDone(bot);
      const copies: Record<string, () => unknown> = {
        'the first document': () => under.answer(),
        'the next document': () => under.follow(first),
        'the transfer': () => under.transfer(address),
      };
      await copies[which]?.();
      await passing(600_000);
      expect(under.client.ended).toEqual([]);
      expect(under.record()).toMatchObject({ state: 'transferring' });
    },
  );
});

describe('a transfer of which nothing is heard', () => {
  /** The caller hears the destination ring. */
  async function ringing(under: CallsUnderTest) {
    const bot = await under.serve(under.answer());
    const dial = await under.transfer(await under.letGo(bot));
    return { bot, dial };
  }

  test('cuts nobody off while the carrier knows the destination’s call', async () => {
    using under = new CallsUnderTest();
    const asked: object[] = [];
    under.client.findCalls = async (numbers) => {
      asked.push(numbers);
      return ['leg-1'];
    };
    await ringing(under);
    await passing(49_999);
    expect(asked).toEqual([]);
    await passing(1);
    expect(asked).toEqual([{ from: BOT, to: OPERATOR }]);
    await passing(600_000);
    expect(asked).toHaveLength(13);
    expect(under.client.ended).toEqual([]);
    expect(under.record()).toMatchObject({ state: 'transferring' });
  });

  test('cuts nobody off while the carrier cannot be asked', async () => {
    using under = new CallsUnderTest();
    under.client.findCalls = () => Promise.reject(new Error('not now'));
    await ringing(under);
    await passing(600_000);
    expect(under.client.ended).toEqual([]);
  });

  test('ends the call when the carrier does not know the destination’s', async () => {
    using under = new CallsUnderTest();
    const { bot } = await ringing(under);
    await passing(49_999);
    expect(under.client.ended).toEqual([]);
    await passing(1);
    expect(under.client.ended).toEqual([CALL]);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'telephony_error' });
    expect(bot.told.at(-1)).toEqual({ type: 'call_over', callId: CALL });
  });

  test('goes on when the news comes while the carrier is asked', async () => {
    using under = new CallsUnderTest();
    let answer = (_: readonly string[]) => {};
    under.client.findCalls = () => new Promise((resolve) => (answer = resolve));
    const { dial } = await ringing(under);
    await passing(50_000);
    under.answered(dial);
    answer([]);
    await passing(600_000);
    expect(under.client.ended).toEqual([]);
  });
});

describe('a caller who is being transferred', () => {
  test('and leaves after the answer has left, though nobody says that the call is over', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    const dial = await under.transfer(await under.letGo(bot));
    under.answered(dial);
    expect(under.dialled(dial, 'caller_left')).toEqual(HANG_UP);
    await passing(30_000);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'caller_hung_up' });
    expect(under.supervisor.busyCount).toBe(0);
  });

  test('and comes back to a bot that does not take the stream gets another bot', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    const steps = under.dialled(await under.transfer(await under.letGo(bot)), 'busy');
    await under.serve(steps, bot);
    under.streamOver(bot, 'bot_crashed');
    under.botDone(bot);
    const next = await under.serve(await under.follow(steps));
    expect(next.served[0]).toMatchObject({ call: { attempt: 2 } });
    expect(next.served[0]).not.toHaveProperty('comeback');
    await goesOn(ofCall(under), 2);
  });
});

describe('a runner that stops', () => {
  test('leaves a caller alone whose destination answers after it is to stop', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    const dial = await under.transfer(await under.letGo(bot));
    under.supervisor.stopCalls();
    under.answered(dial);
    under.botDone(bot);
    expect(under.supervisor.busyCount).toBe(0);
    under.supervisor.endAll('runner_stopped');
    await passing(120_000);
    expect(under.client.ended).toEqual([]);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'transferred' });
  });

  test('says so when the last caller was transferred whose bot was gone already', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    const dial = await under.transfer(await under.letGo(bot));
    under.botDone(bot, 'lost');
    let busy = under.supervisor.busyCount;
    under.registry.on('change', () => {
      busy = under.supervisor.busyCount;
    });
    expect(busy).toBe(1);
    under.answered(dial);
    expect(busy).toBe(0);
  });

  test('ends a caller whose destination has not answered', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    await under.transfer(await under.letGo(bot));
    under.supervisor.stopCalls();
    under.supervisor.endAll('runner_stopped');
    await settled();
    expect(under.client.ended).toEqual([CALL]);
  });

  test('places no call that was being checked', async () => {
    using under = new CallsUnderTest();
    let check = () => {};
    under.checkTarget = (to) => new Promise((resolve) => (check = () => resolve(to)));
    const dialling = under.dialer.dial({ phoneNumber: OPERATOR, body: {}, parameters: {} });
    under.supervisor.drain();
    check();
    await expect(dialling).rejects.toMatchObject({ code: 'VB_RUNNER_STOPPING' });
    expect(under.client.placed).toEqual([]);
    expect(under.registry.liveCount).toBe(0);
  });

  test('dials no number that was put on the do-not-call list of the cluster while the other runners were told of the call', async () => {
    using under = new CallsUnderTest();
    under.doNotCall.check = async () => {
      throw new VoicebotError('VB_DO_NOT_CALL', 'another runner has put it there');
    };
    await expect(under.dialer.dial({ phoneNumber: OPERATOR, body: {}, parameters: {} })).rejects.toMatchObject({
      code: 'VB_DO_NOT_CALL',
    });
    expect(under.client.placed).toEqual([]);
    expect(under.registry.liveCount).toBe(0);
  });

  test('transfers no caller to a number that was put on the do-not-call list while the bot let go of them', async () => {
    using under = new CallsUnderTest();
    const bot = await under.serve(under.answer());
    let looks = 0;
    under.checkTarget = async (to) => {
      looks += 1;
      if (looks > 1) throw new VoicebotError('VB_DO_NOT_CALL', 'they have asked for it meanwhile');
      return to;
    };
    await under.letGo(bot);
    await settled();
    expect(looks).toBe(2);
    expect(under.client.transfers.filter((address) => address.includes('/transfer'))).toEqual([]);
  });

  test('dials nobody when it is stopped while the limits are asked, and leaves their place free', async () => {
    using under = new CallsUnderTest();
    const gate = deferred();
    const slot = { release: jest.fn(), undo: jest.fn() };
    under.limits.admit = () => gate.promise.then(() => slot);
    const dialling = under.dialer.dial({ phoneNumber: OPERATOR, body: {}, parameters: {} });
    await settled();
    under.supervisor.drain();
    gate.resolve();
    await expect(dialling).rejects.toMatchObject({ code: 'VB_RUNNER_STOPPING' });
    expect(under.client.placed).toEqual([]);
    expect(under.registry.liveCount).toBe(0);
    expect(slot.undo).toHaveBeenCalledTimes(1);
  });

  test('ends a call that the carrier takes when it has stopped', async () => {
    using under = new CallsUnderTest();
    let take = () => {};
    under.client.placeCall = () => new Promise((resolve) => (take = () => resolve({ providerCallId: 'request-1' })));
    const dialling = under.dialer.dial({ phoneNumber: OPERATOR, body: {}, parameters: {} });
    await settled();
    under.supervisor.endAll('runner_stopped');
    take();
    await expect(dialling).rejects.toMatchObject({ code: 'VB_RUNNER_STOPPING' });
    await settled();
    expect(under.client.ended).toEqual(['request-1']);
    expect(under.registry.liveCount).toBe(0);
  });
});

describe('a dialled call', () => {
  const outbound = { direction: 'outbound', from: BOT, to: OPERATOR } as const;
  const named = { ...outbound, providerCallId: 'call-9', requestId: 'request-1' };

  async function dialled(under: CallsUnderTest) {
    const { callId: id } = await under.dialer.dial({ phoneNumber: OPERATOR, body: {}, parameters: {} });
    const address = under.client.placed[0] ?? '';
    return { id, news: (more: object = {}) => under.news({ ...named, ...more }, address) };
  }

  test('that the carrier names otherwise than its request is one call, ended by its own name', async () => {
    using under = new CallsUnderTest();
    const { id, news } = await dialled(under);
    expect(under.record(id)).toMatchObject({ providerCallId: 'request-1' });
    under.calls.ring(news({ event: 'ring' }));
    expect(under.record(id)).toMatchObject({ state: 'ringing', providerCallId: 'call-9' });
    const bot = await under.serve(under.calls.answer(news({ event: 'answer' })));
    expect(bot.served[0]).toMatchObject({ call: { id }, providerCallId: 'call-9' });
    expect(under.client.ended).toEqual([]);
    under.streamOver(bot, 'bot_ended');
    await passing(2_000);
    expect(under.client.ended).toEqual(['call-9']);
    under.calls.hangup(news({ event: 'hangup' }));
    expect(under.record(id)).toMatchObject({ state: 'ended', endReason: 'bot_ended' });
  });

  test('that is owed by the name of its request is settled by the end of the call', async () => {
    using under = new CallsUnderTest();
    under.client.hangUp = async (callId) => {
      under.client.ended.push(callId);
      throw new Error('not now');
    };
    const { id, news } = await dialled(under);
    const call = under.driver.ofProvider('request-1');
    if (!call) throw new Error('no call');
    under.driver.abandon(call, 'no_answer');
    await settled();
    under.calls.hangup(news({ event: 'hangup' }));
    await passing(120_000);
    expect(under.client.ended).toEqual(['request-1']);
    expect(under.record(id)).toMatchObject({ endReason: 'no_answer' });
  });

  test('whose answer got lost is never taken for another call between the same numbers', async () => {
    using under = new CallsUnderTest();
    under.client.findCalls = async () => ['somebody-elses'];
    under.client.placeCall = ({ answerUrl }) => {
      under.client.placed.push(answerUrl);
      return Promise.reject(new VoicebotError('VB_CALL_UNCERTAIN'));
    };
    const { id, news } = await dialled(under);
    expect(under.record(id)?.providerCallId).toBeUndefined();
    under.calls.ring(news({ event: 'ring' }));
    expect(under.record(id)).toMatchObject({ state: 'ringing', providerCallId: 'call-9' });
    under.supervisor.endAll('runner_stopped');
    await passing(120_000);
    expect(under.client.ended).toEqual(['call-9']);
  });

  test('whose answer got lost and of which nothing more is heard ends nobody else’s', async () => {
    using under = new CallsUnderTest();
    let live = ['somebody-elses'];
    under.client.findCalls = async () => live;
    under.client.placeCall = () => Promise.reject(new VoicebotError('VB_CALL_UNCERTAIN'));
    const { id } = await under.dialer
      .dial({ phoneNumber: OPERATOR, body: {}, parameters: {} })
      .then(({ callId }) => ({ id: callId }));
    await passing(90_000);
    expect(under.record(id)).toMatchObject({ state: 'dialling' });
    live = [];
    await passing(90_000);
    expect(under.record(id)).toMatchObject({ state: 'ended', endReason: 'no_answer' });
    expect(under.client.ended).toEqual([]);
  });

  test('that an earlier runner has placed may ring, and is taken up with its answer', async () => {
    using earlier = new CallsUnderTest();
    const { id, news } = await dialled(earlier);
    using under = new CallsUnderTest();
    under.calls.ring(news({ event: 'ring' }));
    await settled();
    expect(under.client.ended).toEqual([]);
    expect(under.record(id)).toBeUndefined();
    const bot = await under.serve(under.calls.answer(news({ event: 'answer' })));
    expect(bot.served[0]).toMatchObject({ call: { id, direction: 'outbound' } });
  });

  test('whose answer would have too long an address is refused before anything is dialled', async () => {
    using under = new CallsUnderTest();
    const dial = (length: number) =>
      under.dialer.dial({ phoneNumber: OPERATOR, body: {}, parameters: { note: 'x'.repeat(length) } });
    await expect(dial(16 * 1_024)).rejects.toMatchObject({ code: 'VB_BODY_TOO_LARGE' });
    expect(under.client.placed).toEqual([]);
    expect(under.registry.liveCount).toBe(0);
    await dial(15 * 1_024);
    expect(under.client.placed).toHaveLength(1);
  });

  test('that was over before it rings is ended, and stays what it was', async () => {
    using under = new CallsUnderTest();
    const { id, news } = await dialled(under);
    under.calls.hangup(news({ event: 'hangup', hangup: { reason: 'busy', cause: '', source: '', durationMs: 0 } }));
    under.calls.ring(news({ event: 'ring' }));
    await settled();
    expect(under.client.ended).toEqual(['call-9']);
    expect(under.record(id)).toMatchObject({ state: 'ended', endReason: 'busy' });
    expect(under.registry.liveCount).toBe(0);
  });
});

test('a call that an earlier runner has transferred is neither dialled again nor lost', async () => {
  using earlier = new CallsUnderTest();
  const address = await earlier.letGo(await earlier.serve(earlier.answer()));
  using under = new CallsUnderTest();
  const dial = await under.transfer(address);
  expect(dialOf(dial).to).toBe(OPERATOR);
  expect(await under.transfer(address)).toEqual(dial);
  const steps = under.dialled(dial, 'busy');
  expect(streamOf(steps).url).toMatch(/^wss:/);
  const bot = await under.serve(steps);
  expect(bot.served[0]).not.toHaveProperty('comeback');
  await goesOn(ofCall(under), 3);
});

describe('over real sockets', () => {
  let served: RunnerUnderTest;
  beforeAll(async () => {
    served = await RunnerUnderTest.start();
  });
  afterAll(() => served[Symbol.asyncDispose]());
  beforeEach(() => {
    jest.useRealTimers();
    served.api.requests.all.length = 0;
  });

  test('the longest address of an answer that a request can make is served', async () => {
    const body = { text: 'x'.repeat(8_192 - '{"text":""}'.length) };
    const query = `?${new URLSearchParams(Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`p${n}`, 'x'.repeat(250)])))}`;
    const call = await served.carrier.dial(served.api, { phone_number: OPERATOR, body }, query);
    expect(call.address('answer_url').length).toBeGreaterThan(15_000);
    expect((await call.answer()).verbs).toEqual(['Stream', 'Redirect']);
    await call.hangup();
  });

  test.each([
    ['talks', 'Call', 'ended'],
    ['is queued or rings', 'Request', 'ended'],
    ['is over', 'nothing', 'already_ended'],
  ])('a call that %s is ended where the carrier knows it', async (_, known, outcome) => {
    await using api = await HandApi.start();
    api.respond = ({ path }) =>
      path.startsWith(known) ? { status: 204 } : { status: 404, body: { error: 'not found' } };
    const client = await plivo.createRestClient({ authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: api.url });
    expect(await client.hangUp('call-1')).toBe(outcome);
    await client.close();
    const paths = api.requests.all.map(({ method, path }) => `${method} ${path}`);
    expect(paths).toEqual(['DELETE Call/call-1/', 'DELETE Request/call-1/'].slice(0, known === 'Call' ? 1 : 2));
  });

  test.each(['POST /start', 'GET /health', 'GET /ws'])(
    '%s that wants to go on in HTTP/2 is told what to do',
    async (line) => {
      const socket = connect(served.runner.port, '127.0.0.1');
      const headers = [
        'Host: localhost',
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABk',
      ];
      socket.write(`${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\nContent-Length: 2\r\n\r\n{}`);
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).toMatch(/\r\n\r\nSend this request as HTTP\/1\.1, without an Upgrade header\.\n$/);
    },
  );
});

describe('what an earlier runner still owes', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'voicebot-journal-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test('is taken over after a minute even when its process seems to live', () => {
    const journal = new HangupJournal(directory, ACCOUNT);
    journal.add(CALL);
    const file = join(directory, 'hangups', `${CALL}.json`);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid: process.ppid }));
    jest.advanceTimersByTime(60_000);
    expect(journal.orphans()).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(journal.orphans()).toEqual([CALL]);
  });
});
