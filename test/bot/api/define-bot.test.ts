import { google } from '@ai-sdk/google';
import { createOpenAI, openai } from '@ai-sdk/openai';
import { z } from 'zod';
import {
  acceptCall,
  cartesia,
  deepgram,
  defineBot,
  elevenlabs,
  endCall,
  transferTo,
} from '../../../src/bot/api/index.js';
import { bindTools } from '../../../src/bot/api/tools.js';
import { FrameProcessor } from '../../../src/bot/pipeline/index.js';
import { SttService } from '../../../src/bot/services/stt/index.js';
import { definitionOf } from '../../../src/call/bot-definition.js';
import type { RunnerArguments } from '../../../src/index.js';
import { FakePhone } from '../../../src/lab/kit/index.js';
import { refusalOf } from './refusal-of.js';
import { withoutKeys } from './without-keys.js';

withoutKeys(
  'DEEPGRAM_API_KEY',
  'OPENAI_API_KEY',
  'CARTESIA_API_KEY',
  'ELEVENLABS_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
);

const onCall = () => {};

class Pass extends FrameProcessor {}

test('names every key that is not set, at once, when the bot is defined', () => {
  expect(refusalOf({ stt: deepgram(), llm: openai('gpt-4.1-mini'), tts: cartesia() })).toMatchObject({
    code: 'VB_CREDENTIALS_MISSING',
    message: expect.stringContaining('DEEPGRAM_API_KEY, OPENAI_API_KEY and CARTESIA_API_KEY are not set'),
  });
});

test('names the keys of all models and voices of a list', () => {
  expect(
    refusalOf({ llm: [openai('gpt-4.1-mini'), google('gemini-2.5-flash')], tts: [cartesia(), elevenlabs()] }),
  ).toMatchObject({
    code: 'VB_CREDENTIALS_MISSING',
    message: expect.stringContaining(
      'OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, CARTESIA_API_KEY and ELEVENLABS_API_KEY are not set',
    ),
  });
});

test('refuses the options of all models and voices of a list at once, and lists of something else', () => {
  const key = { apiKey: 'own' };
  const model = createOpenAI(key).chat('gpt-4.1-mini');
  const llm = [
    { model, temperature: 3 },
    { model, hedgeAfterMs: 1 },
  ];
  const tts = [cartesia({ ...key, speed: 9 }), elevenlabs({ ...key, style: 7 }), () => new Pass()];
  expect(refusalOf({ llm })).toMatchObject({
    code: 'VB_CONFIG_INVALID',
    message: expect.stringMatching(/llm\[0\].temperature must be .*; llm\[1\].hedgeAfterMs must be 50 to 60000, got 1/),
  });
  const { message } = refusalOf({ tts }) as Error;
  for (const words of [
    'tts[0].speed must be 0.6 to 1.5',
    'tts[1].style must be 0 to 1',
    'tts[2] makes no TtsService',
  ]) {
    expect(message).toContain(words);
  }
  expect((refusalOf({ llm: [], tts: [] }) as Error).message).toMatch(/llm must have .*tts must have a voice at least/);
  expect((refusalOf({ tts: [cartesia(key), 'cartesia'] }) as Error).message).toContain('tts[1] must be a service');
  expect(() => defineBot({ onCall, llm: [model, { model }], tts: [cartesia(key), elevenlabs(key)] })).not.toThrow();
});

test('names the keys of all services of a list', () => {
  process.env.OPENAI_API_KEY = 'set';
  class Own extends SttService {}
  const own = () => new Own({ provider: 'Own', create: () => ({ droppedMs: 0, write() {}, close() {} }) });
  expect(refusalOf({ stt: [own, deepgram()], tts: cartesia() })).toMatchObject({
    code: 'VB_CREDENTIALS_MISSING',
    message: expect.stringContaining('DEEPGRAM_API_KEY and CARTESIA_API_KEY are not set'),
  });
  expect(() => defineBot({ onCall, stt: [own, deepgram({ apiKey: 'own' })] })).not.toThrow();
});

test('asks for no key that a service was given', () => {
  expect(() => defineBot({ onCall, stt: deepgram({ apiKey: 'own' }), tts: cartesia({ apiKey: 'own' }) })).not.toThrow();
});

const own = createOpenAI({ apiKey: 'own' });
const realtime = own.experimental_realtime('gpt-realtime-2.1');
const parseServerEvent = () => [];
const serializeClientEvent = () => undefined;

test('names the key of a realtime model that is not set', () => {
  const live = createOpenAI({}).experimental_realtime('gpt-realtime-2.1');
  expect(refusalOf({ live } as never)).toMatchObject({
    code: 'VB_CREDENTIALS_MISSING',
    message: expect.stringContaining('OPENAI_API_KEY is not set'),
  });
});

test.each([
  [{ onCal: onCall }, 'onCal is not known: did you mean onCall?'],
  [
    { sst: deepgram({ apiKey: 'own' }) },
    'sst is not known: there are stt, llm, tts, transcriptionEnabled, live, otherwise, disclosure, body, doNotCall, name, onCall',
  ],
  [{ stt: [] }, 'stt must not be an empty list'],
  [{ stt: [deepgram({ apiKey: 'own' }), 'deepgram'] }, 'stt[1] must be a service such as deepgram()'],
  [
    { stt: [deepgram({ apiKey: 'own' }), () => new Pass(), () => new Pass()] },
    'stt[1] makes no SttService, which each one of a list has to be; stt[2] makes no SttService',
  ],
  [
    { stt: [deepgram({ apiKey: 'own' }), deepgram({ apiKey: 'own', modle: 'x' } as object)] },
    'stt[1].modle is not known',
  ],
  [{ tts: 'cartesia' }, 'tts must be a service such as cartesia()'],
  [{ body: { user: 'text' } }, 'body must be a zod schema'],
  [{ onCall: undefined }, 'onCall must be a function'],
  [{ name: '' }, 'name must be text'],
  [{ doNotCall: { key: '12' } }, 'doNotCall.key must be one of 0-9 * #'],
  [{ doNotCall: { say: '' } }, 'doNotCall.say must be a text of at most 500 characters, or false'],
  [
    { doNotCall: { said: 'yes', kee: '9' } },
    'doNotCall.kee is not known: there are key, say, said; doNotCall.said must be true or false',
  ],
  [{ llm: 'openai/gpt-4.1' }, 'llm must be a language model'],
  [{ stt: deepgram({ apiKey: 'own', modle: 'nova-3' } as object) }, 'stt.modle is not known: did you mean model?'],
  [{ tts: cartesia({ apiKey: 'own', speed: 9 }) }, 'tts.speed must be 0.6 to 1.5'],
  [{ live: 'gpt-realtime' }, "live must be a realtime model such as openai.experimental_realtime('gpt-realtime-2.1')"],
  [{ live: own.chat('gpt-4.1') }, 'live must be a realtime model such as openai.experimental_realtime('],
  [{ live: realtime, stt: deepgram({ apiKey: 'own' }) }, 'live hears and answers by itself: leave stt out'],
  [{ live: { model: realtime, vioce: 'marin' } }, 'live.vioce is not known: did you mean voice?'],
  [{ live: { model: realtime, answerTimeoutMs: 5 } }, 'live.answerTimeoutMs must be 1000 to 60000, got 5'],
  [{ live: { ...realtime, parseServerEvent, serializeClientEvent, specificationVersion: 'v3' } }, 'ai@7'],
])('refuses when it is defined: %#', (options, problem) => {
  expect(refusalOf(options)).toMatchObject({ code: 'VB_CONFIG_INVALID', message: expect.stringContaining(problem) });
});

test('tools refuse options and numbers that make no sense when they are made', () => {
  expect(() => endCall({ goodbye: 'Bye' } as object)).toThrow('goodbye is not known: there are say, description');
  expect(() => transferTo('+12025550101', { anounce: 'x' } as object)).toThrow('did you mean announce?');
  expect(() => transferTo('0123')).toThrow('must be E.164');
  const bound = {
    transfer: async () => ({ status: 'caller_left' as const }),
    speak: () => {},
    doNotCall: async () => 'listed' as const,
  };
  const tool = { description: 'x', inputt: z.object({}), run: () => 1 };
  expect(() => bindTools({ hours: tool as never }, bound)).toThrow('did you mean input?');
});

test('what does not fit the schema of the custom data is told with every problem, and what fits gets the defaults', async () => {
  const body = z.object({ user: z.object({ id: z.number() }), reason: z.string().default('hello') });
  const seen: unknown[] = [];
  const bot = defineBot({ body, onCall: async (call) => void seen.push(call.body) });
  expect(await definitionOf(bot)?.checkBody?.({ user: { id: 'x' }, reason: 1 })).toEqual([
    'body.user.id: Invalid input: expected number, received string',
    'body.reason: Invalid input: expected string, received number',
  ]);
  expect(await definitionOf(bot)?.checkBody?.({ user: { id: 7 } })).toEqual([]);
  await using phone = await FakePhone.call(bot, { body: { user: { id: 7 } } });
  await phone.ended;
  expect(seen).toEqual([{ user: { id: 7 }, reason: 'hello' }]);
});

test('a bot without a schema has nothing to check', () => {
  expect(definitionOf(defineBot({ onCall }))).toMatchObject({ checkBody: undefined });
});

test('acceptCall refuses an option that it does not know', async () => {
  await expect(acceptCall({} as RunnerArguments, { voice: 1 } as object)).rejects.toThrow('voice is not known');
});

test('the call refuses options and events that it does not know', async () => {
  const problems: string[] = [];
  const refused = async (attempt: () => unknown) => {
    await Promise.resolve()
      .then(attempt)
      .catch(({ message }: Error) => problems.push(message.replace(/^.*?: /, '')));
  };
  const llm = {
    model: { ...openai('x'), specificationVersion: 'v3', provider: 'own', modelId: 'x', doStream: async () => {} },
  };
  const bot = defineBot({
    llm,
    async onCall(call) {
      await refused(() => call.on('on_dtmf' as 'dtmf', () => {}));
      await refused(() => call.listen({ key: 1 } as object));
      await refused(() => call.listen({ words: true }));
      await refused(() => call.listen({ keys: 0, timeoutMs: 1 }));
      await refused(() => call.transfer('+12025550101', { anounce: 'x' } as object));
      await refused(() => call.press('x'));
      await refused(() => call.say('text'));
      await refused(() => call.play('/nowhere.wav'));
      await refused(() => call.instruct('x'));
      await refused(() => call.converse({ greetings: 'x' } as object));
      await refused(() => call.converse({ idle: { prompt: ['x'] } as never }));
      await refused(() => call.converse({ voicemail: { mesage: 'x' } as never }));
    },
  });
  await using phone = await FakePhone.call(bot);
  await phone.ended;
  expect(problems).toEqual([
    'Call has no event on_dtmf: did you mean dtmf?',
    'listen: key is not known: did you mean keys?',
    'listen: words need speech to text: give the bot `stt`',
    'listen: keys must be 1 to 64, got 0; timeoutMs must be 100 to 600000, got 1',
    'anounce is not known: did you mean announce?',
    'keys must be 1 to 64 of 0-9 * # A-D',
    'say needs a voice for a text: give the bot `tts`',
    expect.stringContaining('/nowhere.wav: ENOENT'),
    'instruct needs a conversation: call converse first',
    'greetings is not known: did you mean greeting?',
    expect.stringContaining('prompt'),
    expect.stringContaining('mesage is not known: did you mean message?'),
  ]);
});
