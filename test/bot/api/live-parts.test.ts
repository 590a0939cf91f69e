import { createOpenAI } from '@ai-sdk/openai';
import { type BotOptions, cartesia, deepgram, defineBot, endCall } from '../../../src/bot/api/index.js';
import { definitionOf } from '../../../src/call/bot-definition.js';
import { useStandIns } from '../../../src/call/stand-ins.js';
import { FakePhone } from '../../../src/lab/kit/index.js';

const openai = createOpenAI({ apiKey: 'own' });
const live = openai.experimental_realtime('gpt-realtime-2.1');
const apiKey = 'own';

const load = async (parts: object) => definitionOf(defineBot({ onCall: () => {}, ...parts } as BotOptions))?.load();

test.each<[name: string, parts: object, words: RegExp]>([
  ['ears beside it', { live, stt: deepgram({ apiKey }) }, /live hears and answers by itself: leave stt out/],
  ['a model beside it', { live, llm: openai('gpt-4.1') }, /leave llm out/],
  ['a model of another kind', { live: openai('gpt-4.1') }, /live must be a realtime model/],
  [
    'a model of an older contract',
    { live: Object.create(live, { specificationVersion: { value: 'v3' } }) },
    /live needs a realtime model of version 7 of the ai package/,
  ],
  ['an option that is not known', { live: { model: live, speed: 2 } }, /live.speed/],
  ['a time out of range', { live: { model: live, answerTimeoutMs: 10 } }, /live.answerTimeoutMs/],
])('a bot with a live model is refused: %s', async (_, parts, words) => {
  await expect(load(parts)).rejects.toMatchObject({ code: 'VB_CONFIG_INVALID', message: expect.stringMatching(words) });
});

test('a live model is taken alone, and with a voice beside it', async () => {
  await load({ live });
  await load({ live: { model: live, voice: 'marin' }, tts: cartesia({ apiKey }) });
});

const continuous = createOpenAI({ apiKey: 'own', baseURL: 'http://127.0.0.1:9/v1' }).experimental_realtime(
  'gpt-live-1',
);

/** What a bot with functions has failed with in a call. */
async function failureOf(parts: object): Promise<Error | undefined> {
  const options = { log: () => {}, system: 'Be brief.', tools: { end_call: endCall() } };
  const onCall: BotOptions['onCall'] = (call) => {
    call.converse(options);
    void call.hangUp();
  };
  await using phone = await FakePhone.call(defineBot({ ...parts, onCall } as BotOptions));
  return (await phone.ended).botError;
}

describe.each([
  ['alone', false],
  ['with stand-ins', true],
])('a live model that takes its turns itself, %s', (_, areUsed) => {
  beforeEach(() => useStandIns(areUsed));
  afterEach(() => useStandIns(false));

  test('is refused functions without a delegate, which is named', async () => {
    expect(await failureOf({ live: continuous })).toMatchObject({
      code: 'VB_CONFIG_INVALID',
      message: expect.stringMatching(/gpt-live-1 calls no functions itself: .*delegate/),
    });
  });

  test('has functions with a delegate', async () => {
    const delegate = openai('gpt-4.1-mini');
    expect(await failureOf({ live: { model: continuous, delegate } })).toBeUndefined();
  });
});
