import { fileURLToPath } from 'node:url';
import {
  FakeGeminiLive,
  FakeGptLive,
  FakeLanguageModel,
  type FakeLiveOptions,
  FakeRealtime,
  FakeXai,
} from '../../src/lab/kit/index.js';
import { playScenarios } from './tested-scenarios.js';

const BOT = fileURLToPath(new URL('bots/live-vendors.ts', import.meta.url));
const GREETING = 'Hello, this is Bluebird Bakery. How can I help you?';
const QUESTION = 'A table for two, please.';
const ANSWER = 'I have a table for two at eight. Goodbye!';
/** Each ends its scenario on three carriers and in a room. */
const CALLS = 4;

/** A live model that says the greeting, understands one question, answers it, and ends the call. */
const SCRIPT: FakeLiveOptions = {
  texts: () => [QUESTION],
  characterMs: 15,
  replies: ({ items, tools }) => {
    const hasGreeted = items.some(({ role, text }) => role === 'assistant' && text === GREETING);
    return hasGreeted ? { text: ANSWER, toolCalls: tools.map((name) => ({ name, input: {} })) } : { text: GREETING };
  },
};

/** A live model that takes its turns itself says the greeting when it is told to, and has its delegate end the call. */
const CONTINUOUS_SCRIPT: FakeLiveOptions = { ...SCRIPT, replies: { text: ANSWER, delegates: true } };

/** Every live model, by the name that the bot has for it. */
async function startVendors() {
  const [openai, xai, google, gptLive, delegate] = await Promise.all([
    FakeRealtime.start(SCRIPT),
    FakeXai.start(SCRIPT),
    FakeGeminiLive.start(SCRIPT),
    FakeGptLive.start(CONTINUOUS_SCRIPT),
    FakeLanguageModel.start({ replies: { toolCalls: [{ name: 'end_call', input: {} }] } }),
  ]);
  return {
    environment: {
      LIVE_OPENAI_URL: `${openai.url}/v1`,
      LIVE_XAI_URL: `${xai.url}/v1`,
      LIVE_GOOGLE_URL: `${google.url}/v1beta`,
      LIVE_GPT_LIVE_URL: gptLive.baseUrl,
      DELEGATE_URL: delegate.url,
    },
    fakes: { openai, xai, google, gptLive },
    async [Symbol.asyncDispose]() {
      await Promise.all([openai, xai, google, gptLive, delegate].map((fake) => fake[Symbol.asyncDispose]()));
    },
  };
}

test('one bot file passes the same scenario with each live model, on three carriers and in rooms', async () => {
  await using vendors = await startVendors();
  const names = Object.keys(vendors.fakes);
  const scenarios = names.flatMap((name) => {
    const scenario = {
      name,
      bot: BOT,
      services: 'real',
      environment: { LIVE_MODEL: name },
      caller: [{ say: QUESTION }],
      expect: { heard: ['Bluebird Bakery', ANSWER], end: 'bot_ended' },
    };
    return [
      { ...scenario, carrier: 'all' },
      { ...scenario, name: `${name}, in a room`, transport: 'rooms' },
    ];
  });
  const { failed, passed, exitCode } = await playScenarios(scenarios, vendors.environment);
  expect(failed).toEqual([]);
  expect({ passed, exitCode }).toEqual({ passed: CALLS * names.length, exitCode: 0 });
  expect(Object.values(vendors.fakes).map(({ sessions }) => sessions.length >= CALLS)).toEqual(names.map(() => true));
}, 600_000);
