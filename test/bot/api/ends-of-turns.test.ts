import { createOpenAI } from '@ai-sdk/openai';
import { deferred } from '../../../src/base/async/deferred.js';
import { cartesia, type DeepgramSTTOptions, deepgram, defineBot, type TurnReport } from '../../../src/index.js';
import { buzz, FakeCartesia, FakeDeepgram, FakeLanguageModel, FakePhone } from '../../../src/lab/kit/index.js';
import { HastyClock } from '../../hasty-clock.js';

let clock: HastyClock;

beforeEach(() => {
  clock = new HastyClock();
});

afterEach(() => clock[Symbol.dispose]());

/** What became of a turn in which the caller says these words, with ears that take as long with every model. */
async function turnOf(text: string, options: DeepgramSTTOptions): Promise<TurnReport> {
  await using hearing = await FakeDeepgram.start({ texts: [text], silenceMs: 300, delayMs: 100 });
  await using model = await FakeLanguageModel.start({ replies: { text: 'Yes.' } });
  await using voice = await FakeCartesia.start({ characterMs: 15 });
  const ended = deferred<TurnReport>();
  const bot = defineBot({
    stt: deepgram({ apiKey: 'test', baseUrl: hearing.url, ...options }),
    llm: createOpenAI({ apiKey: 'test', baseURL: model.url }).chat('gpt-4.1-mini'),
    tts: cartesia({ apiKey: 'test', baseUrl: voice.url, cache: false }),
    onCall: async (call) => {
      call.on('turn', ended.resolve);
      await call.converse({ log: () => {}, system: 'Be brief.' }).ended;
    },
  });
  await using phone = await FakePhone.call(bot);
  phone.say(new Int16Array(8 * 500));
  phone.say(buzz(1_500, 8_000));
  return await ended.promise;
}

test.each(['I want to book and', 'A table for two, please.'])(
  'ears that find the end of a turn have it answered sooner: %s',
  async (text) => {
    const nova = await turnOf(text, { model: 'nova-3' });
    const flux = await turnOf(text, { model: 'flux-general-en' });
    expect(flux.finalTranscriptMs).toBeGreaterThan(flux.modelRequestedMs as number); // asked when it is likely
    expect(nova.firstReleasedMs).toBeGreaterThan((flux.firstReleasedMs as number) + 300);
  },
);
