import { fileURLToPath } from 'node:url';
import {
  FakeCartesia,
  FakeDeepgram,
  FakeDeepgramSpeak,
  FakeElevenLabs,
  FakeElevenLabsScribe,
  FakeLanguageModel,
} from '../../src/lab/kit/index.js';
import { FakeOpenAIAudio } from '../bot/services/ai/fake-openai-audio.js';
import { FakeXaiAudio } from '../bot/services/ai/fake-xai-audio.js';
import { FakeGoogleModel } from './fake-google-model.js';
import { playScenarios } from './tested-scenarios.js';

const BOT = fileURLToPath(new URL('bots/combined.ts', import.meta.url));
const QUESTION = 'A table for two, please.';
const ANSWER = 'I have a table for two at eight. Goodbye!';

/** Ears, model and voice. */
const COMBINATIONS = [
  'deepgram openai cartesia',
  'elevenlabs openai openai',
  'openai google elevenlabs',
  'xai compatible xai',
  'deepgram google openai',
  'elevenlabs compatible deepgram',
  'openai openai xai',
  'xai google cartesia',
];

/** Vendors that understand one question, give one answer, and speak 15 ms of a tone for each character. */
async function startVendors() {
  const reply = { text: ANSWER, toolCalls: [{ name: 'end_call', input: {} }] };
  const spoken = { characterMs: 15 };
  const texts = () => [QUESTION];
  const deepgramVoice = await FakeDeepgramSpeak.start(spoken);
  const [deepgram, scribe, elevenLabs, cartesia, openai, xai, model, google] = await Promise.all([
    FakeDeepgram.start({ texts, speak: deepgramVoice.handler }),
    FakeElevenLabsScribe.start({ texts }),
    FakeElevenLabs.start(spoken),
    FakeCartesia.start(spoken),
    FakeOpenAIAudio.start({ everyText: QUESTION, ...spoken }),
    FakeXaiAudio.start({ everyText: QUESTION, ...spoken }),
    FakeLanguageModel.start({ replies: reply }),
    FakeGoogleModel.start(ANSWER, 'end_call'),
  ]);
  const closed = [deepgramVoice, deepgram, scribe, elevenLabs, cartesia, openai, xai, model, google];
  return {
    environment: {
      ...{ DEEPGRAM_API_KEY: 'key', OPENAI_API_KEY: 'key', CARTESIA_API_KEY: 'key', ELEVENLABS_API_KEY: 'key' },
      DEEPGRAM_BASE_URL: deepgram.url,
      CARTESIA_BASE_URL: cartesia.url,
      OPENAI_BASE_URL: model.url,
      COMPATIBLE_URL: model.url,
      OPENAI_AUDIO_URL: openai.url,
      XAI_URL: xai.url,
      GOOGLE_URL: google.url,
    },
    ears: { ELEVENLABS_BASE_URL: scribe.url },
    voice: { ELEVENLABS_BASE_URL: elevenLabs.url },
    /** How often each was asked. */
    get asked() {
      return {
        scribe: scribe.sessions.length,
        openaiEars: openai.streams.length,
        openaiVoice: openai.speeches.length,
        xaiEars: xai.streams.length,
        xaiVoice: xai.speeches.length,
        google: google.requests,
        model: model.requests.length,
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(closed.map((vendor) => vendor[Symbol.asyncDispose]()));
    },
  };
}

test('one bot file passes the same scenario with eight combinations of ears, model and voice, on three carriers and in rooms', async () => {
  await using vendors = await startVendors();
  const scenarios = COMBINATIONS.flatMap((combination) => {
    const { ears, voice } = vendors;
    const environment = { COMBINATION: combination, ...(combination.startsWith('elevenlabs') ? ears : voice) };
    const scenario = {
      name: combination,
      bot: BOT,
      services: 'real',
      environment,
      caller: [{ say: QUESTION }],
      expect: { heard: ['Bluebird Bakery', ANSWER], end: 'bot_ended' },
    };
    return [
      { ...scenario, carrier: 'all' },
      { ...scenario, name: `${combination}, in a room`, transport: 'rooms' },
    ];
  });
  const { failed, passed, exitCode } = await playScenarios(scenarios, vendors.environment);
  expect(failed).toEqual([]);
  expect({ passed, exitCode }).toEqual({ passed: 4 * COMBINATIONS.length, exitCode: 0 });
  expect(Object.entries(vendors.asked).filter(([, times]) => times < 8)).toEqual([]);
}, 600_000);
