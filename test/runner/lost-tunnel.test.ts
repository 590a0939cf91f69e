import type { AnswerStep } from '../../src/providers/carrier.js';
import { CALL, CallsUnderTest, COLLEAGUE, HandBot, settled, streamOf } from './call-races-harness.js';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
  for (const under of made.splice(0)) under[Symbol.dispose]();
});

const made: CallsUnderTest[] = [];

function newCalls(isTunnelled = true): CallsUnderTest {
  const under = new CallsUnderTest({ isTunnelled });
  made.push(under);
  return under;
}

const BEFORE = 'https://bot.example.com';
const AFTER = 'https://other.example.com';
/** The address that the carrier is given to come for the next document of the first stream. */
const resumedAt = (base: string) => expect.stringContaining(`${base}/resume?stream_no=1&call_id=`);
const passing = async (ms: number) => {
  await jest.advanceTimersByTimeAsync(ms);
  await settled();
};
const passOf = (steps: AnswerStep[]) => streamOf(steps).parameters.token;

/** A call behind a tunnel, with its bot and the document that it has from us. */
async function talking() {
  const under = newCalls();
  const steps = under.answer();
  return { under, steps, bot: await under.serve(steps) };
}

/** The carrier comes to an address it was given for what follows a stream. */
const come = (under: CallsUnderTest, address: string) => under.resume(address);

describe('a document', () => {
  test('keeps the caller on the line after the stream, behind a tunnel', async () => {
    const under = newCalls();
    expect(streamOf(under.answer()).hold).toEqual({ quietS: 1, text: 'One moment, please.', waitS: 20 });
  });

  test('does not without a tunnel', async () => {
    const under = newCalls(false);
    expect(streamOf(under.answer())).not.toHaveProperty('hold');
  });
});

describe('a stream that ended although nobody ended the call', () => {
  test('has the carrier come for another one after a moment, once', async () => {
    const { under, bot } = await talking();
    under.streamOver(bot, 'far_end');
    await passing(299);
    expect(under.client.transfers).toEqual([]);
    await passing(1);
    expect(under.client.transfers).toEqual([resumedAt(BEFORE)]);
    const steps = await come(under, `${BEFORE}/resume?stream_no=1`);
    const second = await under.serve(steps);
    expect(second.served[0]?.call).toMatchObject({ attempt: 1, reconnects: 1 });
    await passing(120_000);
    expect(under.client.transfers).toHaveLength(1);
    expect(under.record()).toMatchObject({ state: 'connected', attempt: 1, reconnects: 1 });
    expect(under.client.ended).toEqual([]);
  });

  test('is nobody asked about when the caller has hung up, as the carrier says', async () => {
    const { under, bot } = await talking();
    under.streamOver(bot, 'far_end');
    const hangup = { reason: 'caller_hung_up', cause: '4000', source: 'Caller', durationMs: 1_000 } as const;
    under.calls.hangup(under.news({ event: 'hangup', hangup }));
    await passing(60_000);
    expect(under.client.transfers).toEqual([]);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'caller_hung_up' });
  });

  test('was the end of the call when the carrier does not know it any more', async () => {
    const { under, bot } = await talking();
    under.client.gone.add(CALL);
    under.streamOver(bot, 'far_end');
    await passing(300);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'caller_hung_up' });
    await passing(60_000);
    expect(under.client.transfers).toHaveLength(1);
    expect(under.client.ended).toEqual([]);
  });

  test('is asked about after two seconds without a tunnel, and ends when the carrier does not come', async () => {
    const under = newCalls(false);
    under.streamOver(await under.serve(under.answer()), 'far_end');
    await passing(1_999);
    expect(under.client.transfers).toEqual([]);
    await passing(1);
    expect(under.client.transfers).toEqual([resumedAt(BEFORE)]);
    await passing(30_000);
    expect(under.record()).toMatchObject({ endReason: 'caller_hung_up' });
  });

  test('is asked about again when the request failed, or the carrier did not come', async () => {
    const { under, bot } = await talking();
    under.client.takeTransfer = async () => {
      if (under.client.transfers.length === 1) throw new Error('out of order');
    };
    under.streamOver(bot, 'far_end');
    await passing(300);
    await passing(1_000);
    expect(under.client.transfers).toHaveLength(2);
    await passing(5_000);
    expect(under.client.transfers).toHaveLength(3);
    await under.serve(await come(under, `${BEFORE}/resume?stream_no=1`));
    await passing(60_000);
    expect(under.client.transfers).toHaveLength(3);
  });

  test('ends the call when the carrier agrees and never comes', async () => {
    const { under, bot } = await talking();
    under.streamOver(bot, 'far_end');
    await passing(30_300);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'telephony_error' });
    expect(under.client.ended).toEqual([CALL]);
  });

  test('uses up bots when it happens again and again', async () => {
    const { under, bot, steps } = await talking();
    let last = { bot, steps };
    const next = async () => {
      under.streamOver(last.bot, 'far_end');
      const following = await under.follow(last.steps);
      if (following[0]?.do !== 'stream') return following;
      last = { steps: following, bot: await under.serve(following) };
      return undefined;
    };
    for (let loss = 1; loss <= 10; loss += 1) await next();
    expect(under.record()).toMatchObject({ attempt: 1, reconnects: 10 });
    await next();
    await next();
    expect(under.record()).toMatchObject({ attempt: 3, reconnects: 10 });
    expect((await next())?.[0]).toMatchObject({ do: 'play' });
  });

  test.each(['bot_crashed', 'bot_timeout'] as const)('because of the bot (%s) is followed at once', async (outcome) => {
    const { under, bot, steps } = await talking();
    under.streamOver(bot, outcome);
    await passing(0);
    expect(under.client.transfers).toHaveLength(1);
    const second = await under.serve(await under.follow(steps));
    expect(second.served[0]?.call).toMatchObject({ attempt: 2 });
    expect(second.served[0]?.call).not.toHaveProperty('reconnects');
  });
});

describe('while the tunnel is gone', () => {
  test('nobody is asked for anything; then the carrier is given the new address', async () => {
    const { under, bot } = await talking();
    under.reach.lost();
    under.streamOver(bot, 'far_end');
    await passing(15_000);
    expect(under.client.transfers).toEqual([]);
    under.reach.back(AFTER);
    await passing(0);
    expect(under.client.transfers).toEqual([resumedAt(AFTER)]);
    const steps = await come(under, `${AFTER}/resume?stream_no=1`);
    expect(streamOf(steps).url).toBe('wss://other.example.com/ws');
    await under.serve(steps);
    expect(under.record()).toMatchObject({ state: 'connected', attempt: 1, reconnects: 1 });
  });

  test('a caller who has hung up meanwhile has hung up', async () => {
    const { under, bot } = await talking();
    under.reach.lost();
    under.streamOver(bot, 'far_end');
    await passing(15_000);
    under.client.gone.add(CALL);
    under.reach.back(AFTER);
    await passing(0);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'caller_hung_up' });
  });

  test('a call that could wait no longer was lost with the tunnel', async () => {
    const { under, bot } = await talking();
    under.reach.lost();
    under.streamOver(bot, 'far_end');
    await passing(25_000);
    under.client.gone.add(CALL);
    under.reach.back(AFTER);
    await passing(0);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'tunnel_lost' });
  });

  test('a call ends for good at the latest after 30 s, and once', async () => {
    const { under, bot } = await talking();
    under.reach.lost();
    under.streamOver(bot, 'far_end');
    await passing(29_999);
    expect(under.record()).toMatchObject({ state: 'connected' });
    await passing(1);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'tunnel_lost' });
    under.reach.back(AFTER);
    await passing(60_000);
    expect(under.client.transfers).toEqual([]);
    expect(under.client.ended).toEqual([CALL]);
  });

  test('a caller who waits for the first stream is served when it is back, with a new pass', async () => {
    const under = newCalls();
    const first = under.answer();
    under.reach.lost();
    await passing(20_000);
    under.reach.back(AFTER);
    await passing(0);
    expect(under.client.transfers).toEqual([resumedAt(AFTER)]);
    const steps = await come(under, `${AFTER}/resume?stream_no=1`);
    expect(passOf(steps)).not.toBe(passOf(first));
    await passing(15_000); // the first pass has expired
    await under.serve(steps);
    expect(under.record()).toMatchObject({ state: 'connected', attempt: 1 });
  });

  test('nobody waits for a carrier that was about to come', async () => {
    const under = newCalls();
    under.answer();
    await passing(1_000);
    under.reach.lost();
    await passing(0);
    under.reach.back(AFTER);
    await passing(0);
    expect(under.client.transfers).toEqual([resumedAt(AFTER)]);
  });

  test('hang-ups go on', async () => {
    const { under, bot } = await talking();
    under.reach.lost();
    under.streamOver(bot, 'bot_ended');
    await passing(500);
    expect(under.client.ended).toEqual([CALL]);
    await passing(2_500);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'bot_ended' });
    expect(under.client.transfers).toEqual([]);
  });
});

test('a carrier that does not connect a stream is asked to come again', async () => {
  const under = newCalls();
  under.answer();
  await passing(4_999);
  expect(under.client.transfers).toEqual([]);
  await passing(1);
  expect(under.client.transfers).toEqual([resumedAt(BEFORE)]);
});

test('a call whose first stream is not there yet does not end because the carrier cannot transfer it yet', async () => {
  const under = newCalls();
  const steps = under.answer();
  under.client.gone.add(CALL);
  await passing(10_000);
  expect(under.client.transfers).toHaveLength(2);
  await under.serve(steps);
  await passing(60_000);
  expect(under.record()).toMatchObject({ state: 'connected' });
});

test('a stream that no bot took is followed at once', async () => {
  const under = newCalls();
  const connection = under.connect(under.answer());
  await connection.fail();
  await passing(0);
  expect(under.client.transfers).toHaveLength(1);
});

test('the address after the hold leads on although the runner has asked in vain', async () => {
  const { under, bot, steps } = await talking();
  under.client.takeTransfer = () => Promise.reject(new Error('out of order'));
  under.streamOver(bot, 'far_end');
  await passing(22_500);
  await under.serve(await under.follow(steps));
  await passing(60_000);
  expect(under.record()).toMatchObject({ state: 'connected', attempt: 1, reconnects: 1 });
});

test('a carrier that comes twice gets the same stream twice, and one bot', async () => {
  const { under, bot, steps } = await talking();
  under.streamOver(bot, 'far_end');
  await passing(300);
  const asked = await come(under, `${BEFORE}/resume?stream_no=1`);
  expect(await under.follow(steps)).toEqual(asked);
  const second = await under.serve(asked);
  await come(under, `${BEFORE}/resume?stream_no=1`);
  await passing(60_000);
  expect(second.served).toHaveLength(1);
  expect(under.record()).toMatchObject({ state: 'connected', reconnects: 1 });
});

describe('a transfer', () => {
  /** The carrier has agreed, the bot has let go, and the tunnel goes and comes back. */
  async function interrupted(meanwhile: (under: CallsUnderTest) => void | Promise<void> = () => {}) {
    const { under, bot } = await talking();
    const address = await under.letGo(bot);
    under.reach.lost();
    await meanwhile(under);
    const before = under.client.transfers.length;
    under.reach.back(AFTER);
    await passing(0);
    return { under, bot, address, asked: under.client.transfers.slice(before) };
  }

  test('goes on when the destination is being called', async () => {
    const { under, asked } = await interrupted(({ client }) => {
      client.findCalls = async () => ['leg-1'];
    });
    expect(asked).toEqual([]);
    expect(under.record()).toMatchObject({ state: 'transferring' });
    expect(under.client.ended).toEqual([]);
  });

  test('whose document was not fetched brings the caller back to the bot', async () => {
    const { under, bot, asked } = await interrupted();
    expect(asked).toEqual([resumedAt(AFTER)]);
    await under.serve(await come(under, `${AFTER}/resume?stream_no=1`), bot);
    expect(bot.served[1]).toMatchObject({ comeback: { status: 'failed' }, call: { attempt: 1 } });
    expect(under.record()).toMatchObject({ state: 'connected' });
  });

  test('is over when the carrier has ended the call', async () => {
    const { under } = await interrupted(({ client }) => void client.gone.add(CALL));
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'tunnel_lost' });
  });

  test('that was answered goes on, and ends when nobody talks any more', async () => {
    let isTalking = true;
    const { under, bot } = await talking();
    under.answered(await under.transfer(await under.letGo(bot)));
    under.client.findCalls = async () => (isTalking ? ['leg-1'] : []);
    under.reach.lost();
    under.reach.back(AFTER);
    await passing(600_000);
    expect(under.record()).toMatchObject({ state: 'transferring' });
    isTalking = false;
    await passing(60_000);
    expect(under.record()).toMatchObject({ state: 'ended', endReason: 'transferred' });
    expect(under.client.ended).toEqual([]); // should somebody talk after all, nobody cuts them off
  });

  test('is asked for when the tunnel is back, at the new address', async () => {
    const { under, bot } = await talking();
    under.reach.lost();
    await under.ask(bot, COLLEAGUE);
    expect(under.client.transfers).toEqual([]);
    under.reach.back(AFTER);
    await passing(0);
    expect(under.client.transfers).toEqual([expect.stringMatching(new RegExp(`^${AFTER}/transfer\\?`))]);
    expect(bot.transferProblem).toBeUndefined();
  });

  test('whose bot has lost its stream meanwhile is refused', async () => {
    const { under, bot } = await talking();
    under.reach.lost();
    await under.ask(bot, COLLEAGUE);
    under.streamOver(bot, 'far_end');
    under.reach.back(AFTER);
    await passing(300);
    expect(bot.transferProblem).toBe('VB_TRANSFER_FAILED');
    expect(under.client.transfers.at(-1)).toEqual(resumedAt(AFTER));
  });
});

describe('a dialled call that nobody has answered', () => {
  const dialling = async () => {
    const under = newCalls();
    const { callId } = await under.dialer.dial({ phoneNumber: COLLEAGUE, body: {}, parameters: {} });
    return { under, callId };
  };

  test('goes on under the same name', async () => {
    const { under, callId } = await dialling();
    under.reach.lost();
    under.reach.back(BEFORE);
    await passing(0);
    expect(under.record(callId)).toMatchObject({ state: 'dialling' });
  });

  test('is ended under another one', async () => {
    const { under, callId } = await dialling();
    under.reach.lost();
    await passing(5_000);
    expect(under.record(callId)).toMatchObject({ state: 'dialling' });
    under.reach.back(AFTER);
    await passing(0);
    expect(under.record(callId)).toMatchObject({ state: 'ended', endReason: 'tunnel_lost' });
    expect(under.client.ended).toEqual(['request-1']);
  });
});

describe('a full tunnel', () => {
  const another = (under: CallsUnderTest, callId: string) =>
    under.calls.answer(under.news({ event: 'answer', providerCallId: callId }));
  const BUSY = [{ do: 'hangup', reason: 'busy' }];

  test('turns callers away, and takes them again when there is room', async () => {
    const { under, steps } = await talking();
    under.maxCalls = 1;
    expect(another(under, 'call-2')).toEqual(BUSY);
    expect(another(under, 'call-2')).toEqual(BUSY);
    expect(under.turnedAway).toEqual(['tunnel_full']);
    expect(under.record('call-2')).toMatchObject({ state: 'ended', endReason: 'turned_away' });
    expect(under.answer()).toEqual(steps); // who is there stays
    under.hangup();
    expect(another(under, 'call-3')[0]).toMatchObject({ do: 'stream' });
  });

  test('has room for more when callers talk to somebody else', async () => {
    const { under, bot } = await talking();
    under.maxCalls = 1;
    under.answered(await under.transfer(await under.letGo(bot)));
    expect(another(under, 'call-2')[0]).toMatchObject({ do: 'stream' });
  });

  test('has nobody dialled', async () => {
    const { under } = await talking();
    under.maxCalls = 1;
    const dialling = () => under.dialer.dial({ phoneNumber: COLLEAGUE, body: {}, parameters: {} });
    await expect(dialling()).rejects.toMatchObject({ code: 'VB_DIAL_LIMIT' });
    expect(under.client.placed).toEqual([]);
    under.maxCalls = 2;
    await dialling();
    await expect(dialling()).rejects.toMatchObject({ code: 'VB_DIAL_LIMIT' });
    expect(under.client.placed).toHaveLength(1);
  });
});

test('nobody is dialled while the tunnel is gone', async () => {
  const under = newCalls();
  under.reach.lost();
  const dialling = () => under.dialer.dial({ phoneNumber: COLLEAGUE, body: {}, parameters: {} });
  await expect(dialling()).rejects.toMatchObject({ code: 'VB_TUNNEL_FAILED' });
  expect(under.client.placed).toEqual([]);
  under.reach.back(BEFORE);
  await dialling();
  expect(under.client.placed).toHaveLength(1);
});

test('a bot that waits for nobody is not served twice', async () => {
  const { under, bot, steps } = await talking();
  under.streamOver(bot, 'far_end');
  const connection = under.connect(await under.follow(steps));
  const second = new HandBot();
  connection.hand(second);
  under.streamOver(bot, 'far_end'); // late news of the first
  await passing(60_000);
  expect(under.record()).toMatchObject({ state: 'connected' });
  expect([bot.served.length, second.served.length]).toEqual([1, 1]);
  expect(under.client.transfers).toEqual([]);
});
