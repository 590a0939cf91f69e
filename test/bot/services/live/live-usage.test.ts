import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createXai } from '@ai-sdk/xai';
import { LiveUsage } from '../../../../src/bot/services/live/live-usage.js';
import type { LiveModel, LiveServerEvent } from '../../../../src/bot/services/live/realtime-model.js';
import type { ServiceUsage } from '../../../../src/call/usage.js';

const openai = createOpenAI({ apiKey: 'a' }).experimental_realtime('gpt-realtime-2.1') as unknown as LiveModel;
const google = createGoogle({ apiKey: 'a' }).experimental_realtime('gemini-live') as unknown as LiveModel;
const xai = createXai({ apiKey: 'a' }).experimental_realtime('grok-voice') as unknown as LiveModel;

/** What comes of messages of the vendor's, in the vendor's own words. */
function usageOf(model: LiveModel) {
  const told: ServiceUsage[] = [];
  let now = 0;
  const usage = new LiveUsage(
    { model } as ConstructorParameters<typeof LiveUsage>[0],
    (one) => told.push(one),
    () => now,
  );
  return {
    told,
    usage,
    pass: (ms: number) => {
      now += ms;
    },
    hear: (raw: object) => {
      const events = model.parseServerEvent(raw) as LiveServerEvent | LiveServerEvent[];
      for (const event of [events].flat()) usage.see(event);
    },
  };
}

test("OpenAI's tokens are told by kind, those of the cache for themselves", () => {
  const { told, hear } = usageOf(openai);
  hear({
    type: 'response.done',
    response: {
      id: 'r',
      status: 'completed',
      usage: {
        total_tokens: 300,
        input_tokens: 200,
        output_tokens: 100,
        input_token_details: {
          text_tokens: 120,
          audio_tokens: 80,
          cached_tokens: 64,
          cached_tokens_details: { text_tokens: 44, audio_tokens: 20 },
        },
        output_token_details: { text_tokens: 20, audio_tokens: 80 },
      },
    },
  });
  expect(told).toEqual([
    {
      does: 'live',
      provider: 'OpenAI',
      model: 'gpt-realtime-2.1',
      units: {
        input_token: 76,
        cached_input_token: 44,
        output_token: 20,
        input_audio_token: 60,
        cached_input_audio_token: 20,
        output_audio_token: 80,
      },
    },
  ]);
});

test('what is written down of the caller is a service of its own', () => {
  const { told, hear } = usageOf(openai);
  const type = 'conversation.item.input_audio_transcription.completed';
  hear({ type, item_id: 'i', content_index: 0, transcript: 'Hello', usage: { type: 'duration', seconds: 3 } });
  expect(told).toEqual([
    { does: 'speech_to_text', provider: 'OpenAI', model: 'gpt-realtime-whisper', units: { second: 3 } },
  ]);
});

test("of Gemini's messages about one turn the last counts, with the turn or behind it", () => {
  const { told, hear, usage } = usageOf(google);
  const metadata = (tokens: number) => ({
    usageMetadata: {
      promptTokenCount: tokens,
      responseTokenCount: 10,
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: tokens - 5 }],
      responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 10 }],
    },
  });
  hear({ serverContent: { modelTurn: { parts: [] } }, ...metadata(50) });
  hear({ serverContent: { turnComplete: true }, ...metadata(80) });
  expect(told).toMatchObject([{ units: { input_token: 5, input_audio_token: 75, output_audio_token: 10 } }]);
  usage.ended();
  expect(told).toHaveLength(1);
});

test('a session is told by its time too, also where the vendor tells nothing else', () => {
  const { told, usage, pass } = usageOf(xai);
  usage.opened();
  pass(61_000);
  usage.opened(); // another one
  pass(1_500);
  usage.ended();
  usage.ended();
  expect(told.map(({ units }) => units)).toEqual([{ second: 61 }, { second: 1.5 }]);
});

test('the time of a session is told while it goes on', () => {
  jest.useFakeTimers({ doNotFake: ['performance'] });
  try {
    const { told, usage, pass } = usageOf(xai);
    const goOn = (ms: number) => {
      pass(ms);
      jest.advanceTimersByTime(ms);
    };
    usage.opened();
    for (let times = 0; times < 4; times += 1) goOn(3_000);
    expect(told.map(({ units }) => units.second)).toEqual([6, 6]);
    goOn(2_000);
    usage.ended();
    goOn(60_000);
    expect(told.map(({ units }) => units.second)).toEqual([6, 6, 2]);
  } finally {
    jest.useRealTimers();
  }
});

test('seconds that the vendor counts are told once, and the rest by our clock', () => {
  const { told, usage, pass } = usageOf(xai);
  const seconds = (count: number) => usage.see({ type: 'session-usage', usage: { seconds: count } } as LiveServerEvent);
  usage.opened();
  pass(10_000);
  seconds(10);
  seconds(10);
  pass(2_000);
  seconds(11);
  usage.ended();
  expect(told.map(({ units }) => units.second)).toEqual([10, 1, 1]);
});
