import { generateDtmf } from '../../../src/base/audio/dtmf.js';
import { VoicebotError } from '../../../src/base/errors.js';
import type { Frame, FrameDirection } from '../../../src/doors/pipeline.js';
import {
  DtmfFrame,
  FrameProcessor,
  OutputAudioFrame,
  OutputDtmfFrame,
  StartFrame,
} from '../../../src/doors/pipeline.js';
import type { BotFunction, TransferOutcome } from '../../../src/index.js';
import {
  CarrierFrameSerializer,
  EndFrame,
  Pipeline,
  PipelineTask,
  parseTelephonyWebSocket,
  WebSocketTransport,
} from '../../../src/index.js';
import { FakePhone, type FakePhoneOptions } from '../../../src/lab/kit/index.js';
import { HastyClock } from '../../hasty-clock.js';

let clock: HastyClock;

beforeEach(() => {
  clock = new HastyClock();
});

afterEach(() => clock[Symbol.dispose]());

const OPERATOR = '+12025550101';
const tone = (ms: number) => Int16Array.from({ length: ms * 8 }, (_, i) => 8_000 * Math.sin(i / 3));

/** Greets, then: key 0 transfers the caller, 1 makes the bot press keys, 9 ends the call; every other key is answered with a tone. */
class Reception extends FrameProcessor {
  readonly outcomes: Array<TransferOutcome | { refusal: Error }> = [];

  constructor(private readonly transport: WebSocketTransport) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (!(frame instanceof DtmfFrame)) this.push(frame, direction);
    if (frame instanceof StartFrame) this.push(new OutputAudioFrame(tone(100), 8_000));
    if (!(frame instanceof DtmfFrame)) return;
    if (frame.digit === '0') return this.#transfer();
    if (frame.digit === '1') this.push(new OutputDtmfFrame('12#11'));
    else if (frame.digit === '9') this.push(new EndFrame());
    else this.push(new OutputAudioFrame(tone(200), 8_000));
  }

  async #transfer(): Promise<void> {
    const outcome = await this.transport
      .sipCallTransfer({ toEndPoint: OPERATOR })
      .catch((refusal: Error) => ({ refusal }));
    this.outcomes.push(outcome);
    if (!('status' in outcome)) this.push(new OutputAudioFrame(tone(200), 8_000));
    else if (outcome.status === 'answered') this.push(new EndFrame());
    else if (outcome.status !== 'caller_left') this.push(new OutputAudioFrame(tone(200), 8_000));
  }
}

/** A reception, and what it saw of the call. */
function reception() {
  const seen: { at?: Reception; args?: Parameters<BotFunction>[0]; events: string[] } = { events: [] };
  let settle = () => {};
  const returned = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const bot: BotFunction = async (args) => {
    if (args.transport !== 'carrier') throw new Error('expected a carrier call');
    seen.args = args;
    const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(args.websocket);
    const transport = new WebSocketTransport(args.websocket, {
      serializer: new CarrierFrameSerializer({ streamId, callId }),
    });
    transport.on('dialout_answered', (_transport, { toEndPoint }) => seen.events.push(`answered ${toEndPoint}`));
    transport.on('disconnected', () => seen.events.push('disconnected'));
    seen.at = new Reception(transport);
    const pipeline = new Pipeline([transport.input(), seen.at, transport.output()]);
    await new PipelineTask(pipeline, { signal: args.signal }).run().finally(settle);
  };
  return { bot, seen, returned, outcomes: () => seen.at?.outcomes };
}

/** A call whose caller has heard the greeting: keys pressed earlier are lost. */
async function greeted(bot: BotFunction, options: FakePhoneOptions = {}): Promise<FakePhone> {
  const phone = await FakePhone.call(bot, options);
  await phone.hears();
  await phone.hearsSilence();
  return phone;
}

test('a transfer that is answered takes the caller, who stays on the line, from the bot', async () => {
  const { bot, seen, returned, outcomes } = reception();
  const asked: string[] = [];
  const transfer = (to: string) => {
    asked.push(to);
    return 'answered' as const;
  };
  await using phone = await greeted(bot, { transfer });
  phone.press('0');
  await returned;
  expect(asked).toEqual([OPERATOR]);
  expect(outcomes()).toEqual([
    { status: 'answered', data: { toEndPoint: OPERATOR, sessionId: expect.stringMatching(/^[\da-f-]{36}$/) } },
  ]);
  expect(seen.events).toEqual([`answered ${OPERATOR}`]);
  phone.press('5'); // nobody answers to keys any more, and the call is still there
  await expect(phone.hears({ withinMs: 300 })).rejects.toMatchObject({ code: 'VB_DEADLINE_EXCEEDED' });
  phone.hangUp();
  const { botError, reason } = await phone.ended;
  expect(botError).toBeUndefined();
  expect(reason).toBe('transferred');
});

test('a caller whose transfer is not answered is back with the same bot', async () => {
  const isBack = async (status: 'busy' | 'no_answer' | 'rejected' | 'failed') => {
    const { bot, seen, outcomes } = reception();
    await using phone = await greeted(bot, { transfer: () => status });
    phone.press('0');
    await phone.hears();
    expect(outcomes()).toEqual([{ status, detail: `staged: ${status}` }]);
    phone.press('9');
    const { botError, reason } = await phone.ended;
    expect(botError).toBeUndefined();
    expect(reason).toBe('bot_ended');
    expect(seen.events).toEqual(['disconnected']);
  };
  await Promise.all([isBack('busy'), isBack('no_answer'), isBack('rejected'), isBack('failed')]);
});

test('a caller who is back may be transferred again', async () => {
  const { bot, returned, outcomes } = reception();
  const outcomesToCome = ['busy', 'answered'] as const;
  let asked = 0;
  await using phone = await greeted(bot, { transfer: () => outcomesToCome[asked++] ?? 'failed' });
  phone.press('0');
  await phone.hears();
  phone.press('0');
  await returned;
  expect(outcomes()?.map((outcome) => 'status' in outcome && outcome.status)).toEqual(['busy', 'answered']);
});

test('a transfer is refused at once, and the call goes on', async () => {
  const isRefused = async (transfer: FakePhoneOptions['transfer'], refusal: object) => {
    const { bot, outcomes } = reception();
    await using phone = await greeted(bot, transfer && { transfer });
    phone.press('0');
    await phone.hears();
    expect(outcomes()).toMatchObject([{ refusal }]);
    phone.press('9');
    expect((await phone.ended).botError).toBeUndefined();
  };
  const tooFar = new VoicebotError('VB_TARGET_REFUSED', 'too far away', { hint: 'stay here' });
  const fails = (error: Error) => () => {
    throw error;
  };
  const failed = (words: string) => ({ code: 'VB_TRANSFER_FAILED', message: expect.stringContaining(words) });
  await Promise.all([
    // where the test has said nothing of transfers
    isRefused(undefined, { ...failed('no runner'), hint: expect.stringContaining('FakePhone') }),
    isRefused(fails(tooFar), {
      code: 'VB_TARGET_REFUSED',
      message: expect.stringContaining('too far away'),
      hint: expect.stringContaining('stay here'),
    }),
    isRefused(fails(new RangeError('only five')), failed('only five')),
  ]);
});

test('a bot that fails while its caller is away gets no caller back', async () => {
  const bot: BotFunction = async (args) => {
    if (args.transport !== 'carrier') return;
    const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(args.websocket);
    const serializer = new CarrierFrameSerializer({ streamId, callId });
    const transport = new WebSocketTransport(args.websocket, { serializer });
    void transport.sipCallTransfer({ toEndPoint: OPERATOR }).catch(() => {});
    throw new Error('out of ideas');
  };
  await using phone = await FakePhone.call(bot, { transfer: () => 'busy' });
  expect((await phone.ended).botError).toEqual(new Error('out of ideas'));
});

test('the keys a bot presses are told, also one that is pressed twice', async () => {
  const { bot } = reception();
  await using phone = await greeted(bot);
  expect(phone.pressed).toBe('');
  phone.press('1');
  await phone.hears();
  expect(phone.pressed).toBe('12#11');
});

test('a tone that only sounds like a key has not been pressed', async () => {
  const bot: BotFunction = async (args) => {
    if (args.transport !== 'carrier') return;
    const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(args.websocket);
    const serializer = new CarrierFrameSerializer({ streamId, callId });
    const transport = new WebSocketTransport(args.websocket, { serializer });
    const task = new PipelineTask(new Pipeline([transport.input(), transport.output()]), { signal: args.signal });
    task.queueFrame(new OutputAudioFrame(generateDtmf('5'), 8_000));
    await task.run();
  };
  await using phone = await FakePhone.call(bot);
  await phone.hears();
  expect(phone.pressed).toBe('');
});

test('a bot may take the call for one that was dialled for it, with the parameters of its addresses', async () => {
  const { bot, seen } = reception();
  const options = { from: '+12025550142', direction: 'outbound', query: { campaign_id: 'spring' } } as const;
  await using phone = await greeted(bot, options);
  expect(seen.args).toMatchObject({
    query: { campaign_id: 'spring' },
    call: { direction: 'outbound', from: '+12025550100', to: '+12025550142' },
  });
  phone.hangUp();
});

test('a caller who hangs up is gone for a bot that never looks at its stream', async () => {
  let hasEnded = () => {};
  const signalled = new Promise<void>((resolve) => {
    hasEnded = resolve;
  });
  await using phone = await FakePhone.call(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    hasEnded();
  });
  phone.hangUp();
  await signalled;
});
