import { AsyncLocalStorage } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { deferred } from '../../../src/base/async/deferred.js';
import { encodeWav } from '../../../src/base/audio/wav.js';
import type { BotOptions } from '../../../src/bot/api/define-bot.js';
import type { Call } from '../../../src/bot/api/index.js';
import { defineBot } from '../../../src/bot/api/index.js';
import {
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  OutputAudioFrame,
  TTSSpeakFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../src/bot/pipeline/index.js';
import { FakePhone, type FakePhoneOptions } from '../../../src/lab/kit/index.js';
import { HastyClock } from '../../hasty-clock.js';

let clock: HastyClock;

beforeEach(() => {
  clock = new HastyClock();
});

afterEach(() => clock[Symbol.dispose]());

const tone = (ms: number) => Int16Array.from({ length: ms * 8 }, (_, i) => 8_000 * Math.sin(i / 3));

/** A voice that hums: 20 ms for each character. */
class Hum extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    const isText = frame instanceof TTSSpeakFrame;
    this.push(isText ? new OutputAudioFrame(tone(frame.text.length * 20), 8_000) : frame, direction);
    if (isText) frame.settle();
  }
}

type Seen = { call: Call; returned: Promise<void> };

/** Calls a bot that does this with its call. */
async function phoneCall(
  onCall: (call: Call) => Promise<void>,
  { parts = { tts: () => new Hum() }, ...options }: FakePhoneOptions & { parts?: Partial<BotOptions> } = {},
): Promise<{ phone: FakePhone; seen: () => Seen } & AsyncDisposable> {
  let seen: Seen | undefined;
  const bot = defineBot({
    ...parts,
    onCall(call) {
      const returned = onCall(call);
      seen = { call, returned };
      return returned;
    },
  });
  const phone = await FakePhone.call(bot, options);
  return { phone, seen: () => seen as Seen, [Symbol.asyncDispose]: () => phone[Symbol.asyncDispose]() };
}

test('says a text, resolves when it has been heard, and hangs up when it returns', async () => {
  const heard: boolean[] = [];
  await using call = await phoneCall(async (it) => {
    heard.push(await it.say('twenty characters ok'));
  });
  await call.phone.hears();
  const { reason, botError } = await call.phone.ended;
  expect({ reason, botError, heard }).toEqual({ reason: 'bot_ended', botError: undefined, heard: [true] });
});

test('knows who calls, its custom data and its parameters', async () => {
  const seen: unknown[] = [];
  await using call = await phoneCall(
    async ({ direction, from, to, body, query, attempt, reconnects }) => {
      seen.push({ direction, from, to, body, query, attempt, reconnects });
    },
    { from: '+12025550142', direction: 'outbound', body: { user: 7 }, query: { campaign_id: 'x' } },
  );
  await call.phone.ended;
  expect(seen).toEqual([
    {
      direction: 'outbound',
      from: '+12025550100',
      to: '+12025550142',
      body: { user: 7 },
      query: { campaign_id: 'x' },
      attempt: 1,
      reconnects: 0,
    },
  ]);
});

test('listens for keys: those pressed while it speaks count, # ends them, and none in time is undefined', async () => {
  const heard: unknown[] = [];
  await using call = await phoneCall(async (it) => {
    await it.say('enter your number please');
    heard.push(await it.listen({ keys: 4 }));
    heard.push(await it.listen({ keys: 4 }));
    heard.push(await it.listen({ keys: 1, timeoutMs: 500 }));
  });
  await call.phone.hears();
  for (const key of ['1', '2', '3', '4', '5', '6', '#'] as const) call.phone.press(key);
  await call.phone.ended;
  expect(heard).toEqual([{ keys: '1234' }, { keys: '56' }, undefined]);
});

test('keys from before the last sentence count only with typeAhead, and only once', async () => {
  const heard: unknown[] = [];
  await using call = await phoneCall(async (it) => {
    await it.say('welcome');
    await it.say('press a key please');
    heard.push(await it.listen({ keys: 2, typeAhead: true }));
    heard.push(await it.listen({ keys: 1, timeoutMs: 100 }));
    await it.say('and another one');
    await it.say('if you like');
    heard.push(await it.listen({ keys: 1, timeoutMs: 100 }));
    heard.push(await it.listen({ keys: 1, timeoutMs: 100, typeAhead: true }));
  });
  await call.phone.hears();
  call.phone.press('1');
  call.phone.press('2');
  await call.phone.ended;
  expect(heard).toEqual([{ keys: '12' }, undefined, undefined, undefined]);
});

test('presses keys behind what it has said, and plays a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'voicebot-call-'));
  const file = join(folder, 'hello.wav');
  writeFileSync(file, encodeWav({ encoding: 'L16', channels: [tone(200)], sampleRate: 8_000 }));
  const heard: boolean[] = [];
  await using call = await phoneCall(async (it) => {
    heard.push(await it.play(file));
    await it.press('12#');
  });
  await call.phone.ended;
  expect({ heard, pressed: call.phone.pressed }).toEqual({ heard: [true], pressed: '12#' });
  await rm(folder, { recursive: true });
});

test('what waits when the caller hangs up ends without an error, and so does what comes after', async () => {
  const results: unknown[] = [];
  await using call = await phoneCall(async (it) => {
    const waiting = [it.say('so long that it is cut off '.repeat(20)), it.listen({ keys: 4 })];
    it.on('hung_up', ({ reason }) => results.push(reason));
    results.push(...(await Promise.all(waiting)));
    results.push(await it.say('too late'), await it.listen(), await it.transfer('+12025550101'));
    await it.press('1');
    await it.hangUp();
    results.push(await it.ended, it.signal.aborted, it.isOver);
  });
  await call.phone.hears();
  call.phone.hangUp();
  const { botError, reason } = await call.phone.ended;
  await call.seen().returned;
  expect({ botError, reason }).toEqual({ botError: undefined, reason: 'caller_hung_up' });
  expect(results).toEqual([
    'caller_hung_up',
    false,
    undefined,
    false,
    undefined,
    { status: 'caller_left' },
    'caller_hung_up',
    true,
    true,
  ]);
});

test('a text to announce without a voice is refused, and what the caller says counts again', async () => {
  const seen: string[] = [];
  class Watch extends FrameProcessor {
    override process(frame: Frame, direction: FrameDirection): void {
      if (/^FunctionCalls/.test(frame.constructor.name)) seen.push(frame.constructor.name);
      this.push(frame, direction);
    }
  }
  let refusal: unknown;
  await using call = await phoneCall(
    async (it) => {
      const running = it.run([new Watch()]);
      refusal = await it.transfer('+12025550101', { announce: 'one moment please' }).catch((error) => error);
      void it.hangUp();
      await running;
    },
    { parts: {} },
  );
  await call.phone.ended;
  expect(refusal).toMatchObject({ code: 'VB_CONFIG_INVALID' });
  expect(seen).toEqual(['FunctionCallsStartedFrame', 'FunctionCallsEndedFrame']);
});

test('transfers the caller after an announcement, and leaves when it is answered', async () => {
  const told: unknown[] = [];
  await using call = await phoneCall(
    async (it) => {
      it.on('transfer', ({ to, status }) => told.push({ to, status }));
      told.push(await it.transfer('+12025550101', { announce: 'one moment please' }));
      told.push(await it.ended);
    },
    { transfer: () => 'answered' },
  );
  await call.phone.hears();
  await call.phone.hearsSilence();
  await call.seen().returned;
  call.phone.hangUp();
  const { reason, botError } = await call.phone.ended;
  expect({ reason, botError }).toEqual({ reason: 'transferred', botError: undefined });
  expect(told).toEqual([
    { to: '+12025550101', status: 'answered' },
    { status: 'answered', data: { toEndPoint: '+12025550101', sessionId: expect.any(String) } },
    'transferred',
  ]);
});

test.each([
  ['busy', 'busy', { status: 'busy', detail: 'staged: busy' }],
  [
    'refused',
    undefined,
    {
      status: 'refused',
      code: 'VB_TRANSFER_FAILED',
      detail: expect.stringContaining('no runner serves'),
      error: expect.any(Error),
    },
  ],
] as const)(
  'a transfer that is %s is an outcome, and the caller is with the bot again',
  async (_, becomes, outcome) => {
    const told: unknown[] = [];
    await using call = await phoneCall(
      async (it) => {
        told.push(await it.transfer('+12025550101'));
        told.push(await it.say('nobody is there'));
      },
      becomes ? { transfer: () => becomes } : {},
    );
    await call.phone.hears({ withinMs: 20_000 });
    const { reason, botError } = await call.phone.ended;
    expect({ reason, botError, told }).toEqual({ reason: 'bot_ended', botError: undefined, told: [outcome, true] });
  },
);

test('a handler that fails is a warning, and the call goes on', async () => {
  const warnings: unknown[] = [];
  const heard: unknown[] = [];
  await using call = await phoneCall(async (it) => {
    it.on('warning', ({ error, source }) => warnings.push([error.message, source]));
    it.on('dtmf', async () => {
      throw new Error('later');
    });
    it.on('dtmf', () => {
      throw new Error('at once');
    });
    await it.say('press a key');
    heard.push(await it.listen({ keys: 1 }));
    heard.push(await it.say('thank you'));
  });
  await call.phone.hears();
  call.phone.press('5');
  await call.phone.ended;
  expect(heard).toEqual([{ keys: '5' }, true]);
  expect(warnings).toEqual([
    ['at once', 'a handler'],
    ['later', 'a handler'],
  ]);
});

test('what a handler waits for with the signal of the call ends with it, and is no failure', async () => {
  const [waits, over] = [deferred(), deferred()];
  const printed = jest.spyOn(console, 'error').mockImplementation(() => {});
  await using call = await phoneCall(async (it) => {
    it.on('dtmf', async () => {
      waits.resolve();
      await setTimeout(60_000, undefined, { signal: it.signal }).finally(over.resolve);
    });
    await it.say('press a key');
    await it.ended;
  });
  await call.phone.hears();
  call.phone.press('5');
  await waits.promise;
  call.phone.hangUp();
  await over.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(printed.mock.calls).toEqual([]);
  printed.mockRestore();
});

test('a bot that waits with the signal of its call has not failed when it hangs up itself', async () => {
  await using call = await phoneCall(async (it) => {
    it.on('dtmf', () => it.hangUp());
    await it.say('press a key');
    await setTimeout(60_000, undefined, { signal: it.signal });
  });
  await call.phone.hears();
  call.phone.press('5');
  const { reason, botError } = await call.phone.ended;
  expect({ reason, botError }).toEqual({ reason: 'bot_ended', botError: undefined });
});

test('a handler of warnings that fails later is told once', async () => {
  let told = 0;
  const printed = jest.spyOn(console, 'error').mockImplementation(() => {});
  await using call = await phoneCall(async (it) => {
    it.on('warning', async () => {
      told += 1;
      throw new Error('no log');
    });
    it.on('dtmf', () => {
      throw new Error('at once');
    });
    await it.say('press a key');
    await it.listen({ keys: 1 });
    await it.say('thank you');
  });
  await call.phone.hears();
  call.phone.press('5');
  await call.phone.ended;
  expect([told, printed.mock.calls]).toEqual([1, [[expect.stringMatching(/handler.*: Error: no log/)]]]);
  printed.mockRestore();
});

test('a bot is done when its handlers are, also those that begin with the end of the call', async () => {
  const done: string[] = [];
  const [returned, saved] = [deferred(), deferred()];
  await using call = await phoneCall(async (it) => {
    it.on('hung_up', async () => {
      done.push('saves');
      await saved.promise;
      done.push('saved');
    });
    await it.hangUp();
    returned.resolve();
  });
  void call.phone.ended.then(() => done.push('over'));
  await returned.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(['saves']);
  saved.resolve();
  await call.phone.ended;
  expect(done).toEqual(['saves', 'saved', 'over']);
});

test('a bot that has failed is given up at once, whatever its handlers still do', async () => {
  class Broken extends FrameProcessor {
    override process(frame: Frame, direction: FrameDirection): void {
      if (frame instanceof TTSSpeakFrame) this.push(new ErrorFrame(new Error('no voice'), true, 'Broken'), 'upstream');
      else this.push(frame, direction);
    }
  }
  await using call = await phoneCall(
    async (it) => {
      it.on('hung_up', () => new Promise(() => {}));
      await it.say('Hello.').catch(() => {});
    },
    { parts: { tts: () => new Broken() } },
  );
  expect(await call.phone.ended).toMatchObject({ botError: { message: expect.stringContaining('no voice') } });
});

test('a handler has the asynchronous context of its bot', async () => {
  const context = new AsyncLocalStorage<string>();
  const seen: Array<string | undefined> = [];
  const bot = defineBot({
    tts: () => new Hum(),
    async onCall(call) {
      call.on('dtmf', () => seen.push(context.getStore()));
      await call.say('press a key');
      await call.listen({ keys: 1 });
    },
  });
  await using phone = await FakePhone.call((args) => context.run('of the bot', () => bot(args)));
  await phone.hears();
  phone.press('5');
  await phone.ended;
  expect(seen).toEqual(['of the bot']);
});

test('a bot that throws leaves the call to another one', async () => {
  await using call = await phoneCall(async () => {
    throw new RangeError('no such menu');
  });
  const { botError, reason } = await call.phone.ended;
  expect({ botError, reason }).toEqual({ botError: new RangeError('no such menu'), reason: 'bot_crashed' });
});

test("a pipeline of the bot's own runs between its services and the caller, and is told that the caller is there", async () => {
  class Echo extends FrameProcessor {
    readonly kinds = new Set<string>();

    override process(frame: Frame, direction: FrameDirection): void {
      this.kinds.add(frame.constructor.name);
      this.push(
        frame instanceof InputAudioFrame ? new OutputAudioFrame(frame.pcm, frame.sampleRate) : frame,
        direction,
      );
    }
  }
  const [echo, behind] = [new Echo(), new Echo()];
  await using call = await phoneCall((it) => it.run([echo, it.output, behind]), { parts: {} });
  call.phone.say(tone(400));
  await call.phone.hears();
  call.phone.hangUp();
  const { botError, reason } = await call.phone.ended;
  await call.seen().returned;
  expect({ botError, reason }).toEqual({ botError: undefined, reason: 'caller_hung_up' });
  expect([...echo.kinds].slice(0, 3)).toEqual(['StartFrame', 'CallerJoinedFrame', 'InputAudioFrame']);
  expect([...behind.kinds]).toEqual(
    expect.arrayContaining(['StartFrame', 'CallerJoinedFrame', 'BotStartedSpeakingFrame']),
  );
});
