import { createOpenAI } from '@ai-sdk/openai';
import { z } from 'zod';
import { deferred } from '../../../src/base/async/deferred.js';
import type { Call } from '../../../src/bot/api/index.js';
import {
  type ConverseOptions,
  cartesia,
  deepgram,
  defineBot,
  endCall,
  transferTo,
} from '../../../src/bot/api/index.js';
import {
  buzz,
  FakeCartesia,
  FakeDeepgram,
  FakeLanguageModel,
  type FakeModelScript,
  FakePhone,
  type FakePhoneOptions,
} from '../../../src/lab/kit/index.js';
import { HastyClock } from '../../hasty-clock.js';

let clock: HastyClock;

beforeEach(() => {
  clock = new HastyClock();
});

afterEach(() => clock[Symbol.dispose]());

const SYSTEM = 'Be brief.';

/** A call with a bot whose providers do as they are told. */
async function talkingTo(
  onCall: (call: Call) => Promise<void>,
  {
    replies,
    texts = [],
    refused,
    ...options
  }: FakePhoneOptions & { replies: FakeModelScript; texts?: string[]; refused?: true },
) {
  const hearing = await FakeDeepgram.start({ texts });
  if (refused) hearing.refuse(401, 'Invalid credentials.');
  const model = await FakeLanguageModel.start({ replies });
  const voice = await FakeCartesia.start({ characterMs: 15 });
  const bot = defineBot({
    stt: deepgram({ apiKey: 'test', baseUrl: hearing.url }),
    llm: createOpenAI({ apiKey: 'test', baseURL: model.url }).chat('gpt-4.1-mini'),
    tts: cartesia({ apiKey: 'test', baseUrl: voice.url, cache: false }),
    onCall,
  });
  const phone = await FakePhone.call(bot, options);
  return {
    phone,
    model,
    spoken: () => voice.requests.map(({ text }) => text.trim()).join(' '),
    async [Symbol.asyncDispose]() {
      for (const one of [phone, hearing, model, voice]) await one[Symbol.asyncDispose]();
    },
  };
}

/** The clock hurries while the model is asked over a socket. */
const LATE = { withinMs: 60_000 };
const quiet = { log: () => {} } satisfies ConverseOptions;

test('greets, calls a tool with checked input, answers, and ends the call by a tool', async () => {
  const days: string[] = [];
  const lines: string[] = [];
  await using it = await talkingTo(
    async (call) => {
      call.on('transcript', ({ speaker, text }) => lines.push(`${speaker}: ${text}`));
      const talk = call.converse({
        ...quiet,
        system: SYSTEM,
        greeting: 'Hello, this is the bakery.',
        tools: {
          openingHours: {
            description: 'When the bakery is open.',
            input: z.object({ day: z.string() }),
            run: ({ day }) => {
              days.push(day.toUpperCase());
              return 'eight to one';
            },
          },
          goodbye: endCall({ say: 'Goodbye!' }),
        },
      });
      lines.push(await talk.ended);
    },
    {
      texts: ['When are you open on Saturday?', 'Thank you, goodbye.'],
      replies: [
        { toolCalls: [{ name: 'openingHours', input: { day: 'Saturday' } }] },
        { text: 'From eight to one.' },
        { toolCalls: [{ name: 'goodbye', input: {} }] },
      ],
    },
  );
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 1_000 });
  it.phone.say(buzz(1_500, 8_000));
  await it.model.request(1);
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 1_000 });
  it.phone.say(buzz(1_500, 8_000));
  const { reason, botError } = await it.phone.ended;
  expect({ reason, botError, days }).toEqual({ reason: 'bot_ended', botError: undefined, days: ['SATURDAY'] });
  expect(it.spoken()).toBe('Hello, this is the bakery. From eight to one. Goodbye!');
  expect(lines).toEqual([
    'bot: Hello, this is the bakery.',
    'caller: When are you open on Saturday?',
    'bot: From eight to one.',
    'caller: Thank you, goodbye.',
    'bot: Goodbye!',
    'bot_ended',
  ]);
});

test('a conversation begins behind what the call has said, and an instruction is followed and heard before it resolves', async () => {
  const order: unknown[] = [];
  await using it = await talkingTo(
    async (call) => {
      order.push(await call.say('Press one.'), await call.listen({ keys: 1 }));
      call.converse({ ...quiet, system: SYSTEM });
      order.push(await call.instruct('Say that you connect them.'));
      order.push((await call.transfer('+12025550101')).status);
    },
    { replies: [{ text: 'I connect you.' }], transfer: () => 'answered' },
  );
  await it.phone.hears(LATE);
  await it.phone.hearsSilence();
  it.phone.press('1');
  const { messages } = await it.model.request(0);
  expect(messages.map(({ text }) => text)).toContainEqual(expect.stringContaining('Say that you connect them.'));
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 2_000 });
  it.phone.hangUp();
  const { reason, botError } = await it.phone.ended;
  expect({ reason, botError, order }).toEqual({
    reason: 'transferred',
    botError: undefined,
    order: [true, { keys: '1' }, true, 'answered'],
  });
  expect(it.spoken()).toBe('Press one. I connect you.');
});

test('the model transfers by a tool, whose outcome the call tells; the call has the reason transferred', async () => {
  const told: unknown[] = [];
  await using it = await talkingTo(
    async (call) => {
      call.on('transfer', ({ to, status }) => told.push(`${to} ${status}`));
      const { ended } = call.converse({
        ...quiet,
        system: SYSTEM,
        greeting: 'Hello.',
        tools: { operator: transferTo('+12025550101', { announce: 'One moment please.' }) },
      });
      told.push(await ended);
    },
    {
      texts: ['A person please.'],
      replies: [{ toolCalls: [{ name: 'operator', input: {} }] }],
      transfer: () => 'answered',
    },
  );
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 1_000 });
  it.phone.say(buzz(1_500, 8_000));
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 2_000 });
  it.phone.hangUp();
  await it.phone.ended;
  expect(told).toEqual(['+12025550101 answered', 'transferred']);
});

test('keys are told the model, but for those that a tool listens for', async () => {
  const pins: unknown[] = [];
  await using it = await talkingTo(
    async (call) => {
      call.converse({
        ...quiet,
        system: SYSTEM,
        greeting: 'Press one for your balance.',
        tools: {
          askPin: {
            description: 'Asks for the PIN.',
            timeoutMs: 60_000,
            run: async () => {
              await call.say('Your PIN, please.');
              const heard = await call.listen({ keys: 4 });
              pins.push(heard);
              return 'right';
            },
          },
          goodbye: endCall({ say: 'Goodbye!' }),
        },
      });
    },
    {
      replies: [
        { toolCalls: [{ name: 'askPin', input: {} }] },
        { text: 'Ten euros.', toolCalls: [{ name: 'goodbye', input: {} }] },
      ],
    },
  );
  await it.phone.hears(LATE);
  it.phone.press('1');
  const first = await it.model.request(0);
  expect(first.messages.map(({ text }) => text)).toContain('(the caller pressed 1)');
  await it.phone.hears(LATE);
  for (const key of ['4', '7', '1', '1', '#'] as const) it.phone.press(key);
  const second = await it.model.request(1);
  const { botError } = await it.phone.ended;
  expect({ botError, pins }).toEqual({ botError: undefined, pins: [{ keys: '4711' }] });
  expect(JSON.stringify(second.messages)).not.toMatch(/4 7 1 1|pressed #/);
  expect(it.spoken()).toMatch(/Your PIN, please\. Ten euros\./);
});

test('a key that has a handler of the bot connect the caller is not told the model', async () => {
  const asked: unknown[] = [];
  await using it = await talkingTo(
    async (call) => {
      const { ended } = call.converse({ ...quiet, system: SYSTEM, greeting: 'Press zero for a person.' });
      call.on('dtmf', ({ digit }) => {
        if (digit === '0') void call.transfer('+12025550101').then(({ status }) => asked.push(status));
      });
      await ended;
    },
    { replies: [], transfer: () => 'answered' },
  );
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 500 });
  it.phone.press('0');
  await it.phone.hearsSilence({ forMs: 5_000 });
  it.phone.hangUp();
  const { reason } = await it.phone.ended;
  expect({ reason, asked, requests: it.model.requests.length }).toEqual({
    reason: 'transferred',
    asked: ['answered'],
    requests: 0,
  });
});

test.each([
  ['the model ends it in the same answer', false, ['book', 'goodbye']],
  ['the bot hangs up meanwhile', true, ['book']],
])('a function that runs is done before the call ends, when %s', async (_, hangsUp, calls) => {
  const order: string[] = [];
  const [begun, booking] = [deferred<Call>(), deferred()];
  await using it = await talkingTo(
    async (call) => {
      const book = async (_input: unknown, { signal }: { signal: AbortSignal }) => {
        begun.resolve(call);
        await booking.promise;
        order.push(signal.aborted ? 'cancelled' : 'booked');
      };
      const tools = { book: { description: 'Books a table.', run: book }, goodbye: endCall() };
      order.push(await call.converse({ ...quiet, system: SYSTEM, greeting: 'Hello.', tools }).ended);
    },
    {
      texts: ['A table for two, and goodbye.'],
      replies: [{ text: 'Goodbye!', toolCalls: calls.map((name) => ({ name, input: {} })) }, { text: 'Booked.' }],
    },
  );
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 1_000 });
  it.phone.say(buzz(1_500, 8_000));
  const call = await begun.promise;
  if (hangsUp) void call.hangUp();
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 2_000 });
  expect(order).toEqual([]);
  booking.resolve();
  const { reason, botError } = await it.phone.ended;
  expect({ reason, botError }).toEqual({ reason: 'bot_ended', botError: undefined });
  await call.ended;
  expect(order).toEqual(['booked', 'bot_ended']);
});

test('a bot that hangs up before it is known that the caller has finished does not answer them', async () => {
  const [asked, answered] = [deferred(), deferred()];
  const heard: string[] = [];
  await using it = await talkingTo(
    async (call) => {
      call.on('transcript', ({ speaker, text }) => speaker === 'bot' && heard.push(text));
      call.converse({ ...quiet, system: SYSTEM, greeting: 'Hello.' });
      await answered.promise;
      await call.hangUp();
    },
    {
      texts: ['When do you open?'],
      replies: () => {
        asked.resolve();
        return { text: 'At nine.' };
      },
    },
  );
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 1_000 });
  it.phone.say(buzz(1_500, 8_000));
  await asked.promise;
  while (!it.spoken().includes('At nine')) await new Promise((resolve) => setImmediate(resolve));
  answered.resolve();
  await it.phone.ended;
  expect(heard).toEqual(['Hello.']);
});

test('a caller who hangs up waits for no function', async () => {
  const [begun, cancelled] = [deferred<Call>(), deferred()];
  await using it = await talkingTo(
    async (call) => {
      const book = async (_input: unknown, { signal }: { signal: AbortSignal }) => {
        signal.addEventListener('abort', () => cancelled.resolve());
        begun.resolve(call);
        await cancelled.promise;
      };
      const tools = { book: { description: 'Books a table.', run: book } };
      await call.converse({ ...quiet, system: SYSTEM, greeting: 'Hello.', tools }).ended;
    },
    { texts: ['A table for two.'], replies: [{ text: 'One moment.', toolCalls: [{ name: 'book', input: {} }] }] },
  );
  await it.phone.hears(LATE);
  await it.phone.hearsSilence({ forMs: 1_000 });
  it.phone.say(buzz(1_500, 8_000));
  const call = await begun.promise;
  it.phone.hangUp();
  await cancelled.promise;
  expect(await call.ended).toBe('caller_hung_up');
});

test('a caller who says nothing is asked, and the call is ended when onCall has returned long before', async () => {
  await using it = await talkingTo(
    async (call) => {
      call.converse({ ...quiet, system: SYSTEM, greeting: 'Hello.', idle: ['Are you there?'] });
    },
    { replies: [] },
  );
  const { reason } = await it.phone.ended;
  expect({ reason, spoken: it.spoken() }).toEqual({ reason: 'bot_ended', spoken: 'Hello. Are you there?' });
});

test('listens for words, and gives them whole', async () => {
  const heard: unknown[] = [];
  await using it = await talkingTo(
    async (call) => {
      await call.say('What is your name?');
      heard.push(await call.listen({ words: true }));
    },
    { replies: [], texts: ['My name is Ada.'] },
  );
  await it.phone.hears(LATE);
  await it.phone.hearsSilence();
  it.phone.say(buzz(1_500, 8_000));
  await it.phone.ended;
  expect(heard).toEqual([{ words: 'My name is Ada.' }]);
});

test('a machine that answers a dialled call gets the message, and the call ends with the reason voicemail', async () => {
  const told: unknown[] = [];
  await using it = await talkingTo(
    async (call) => {
      call.on('voicemail', ({ evidence }) => told.push(evidence));
      told.push(
        await call.converse({ ...quiet, system: SYSTEM, greeting: 'Hello?', voicemail: 'Please call back.' }).ended,
      );
    },
    { direction: 'outbound', replies: [{ text: 'Pardon?' }], texts: ['Please leave a message after the tone.'] },
  );
  it.phone.say(buzz(2_000, 8_000));
  await it.phone.ended;
  expect(told).toEqual(['phrase', 'voicemail']);
  expect(it.spoken()).toContain('Please call back.');
});

test('a screening assistant is told the greeting when there is no reason, and a call whose person does not come on ends as screened', async () => {
  const told: unknown[] = [];
  await using it = await talkingTo(
    async (call) => {
      call.on('screening', ({ status }) => told.push(status));
      await call.converse({ ...quiet, system: SYSTEM, greeting: 'Bluebird Bakery here.', voicemail: {} }).ended;
    },
    {
      direction: 'outbound',
      replies: [{ text: 'Yes?' }],
      texts: ['Please say your name and why you are calling, so I can connect you.'],
    },
  );
  it.phone.say(buzz(2_000, 8_000));
  const { reason } = await it.phone.ended;
  expect({ reason, told }).toEqual({ reason: 'screened', told: ['asked', 'no_person'] });
  expect(it.spoken()).toBe('Bluebird Bakery here. Bluebird Bakery here.');
});

test('a service that has failed before the conversation begins has the caller hear an apology', async () => {
  const errors = jest.spyOn(console, 'error').mockImplementation(() => {});
  const told: unknown[] = [];
  await using it = await talkingTo(
    async (call) => {
      await call.say('One moment, please.');
      told.push(await call.converse({ ...quiet, system: SYSTEM, greeting: 'Hello.' }).ended);
    },
    { replies: [], refused: true },
  );
  const { reason } = await it.phone.ended;
  expect({ reason, told }).toEqual({ reason: 'provider_error', told: ['provider_error'] });
  expect(errors).toHaveBeenCalled();
  errors.mockRestore();
});
