import { createOpenAI } from '@ai-sdk/openai';
import { cartesia, defineBot } from '../../../src/bot/api/index.js';
import { FakeCartesia, FakeLanguageModel, FakeRoom } from '../../../src/lab/kit/index.js';

const LATE = { withinMs: 30_000 };

test('a conversation answers to the words of its room', async () => {
  await using model = await FakeLanguageModel.start({ replies: [{ text: 'Good day, Ada.' }] });
  await using voice = await FakeCartesia.start({ characterMs: 15 });
  const turns: unknown[] = [];
  const bot = defineBot({
    llm: createOpenAI({ apiKey: 'test', baseURL: model.url }).chat('gpt-4.1-mini'),
    tts: cartesia({ apiKey: 'test', baseUrl: voice.url, cache: false }),
    transcriptionEnabled: true,
    onCall(call) {
      call.on('turn', (report) => turns.push(report));
      call.converse({ system: 'Be brief.', greeting: 'Who is there?', log: () => {} });
    },
  });
  await using phone = await FakeRoom.call(bot);
  await phone.hears(LATE);
  await phone.hearsSilence(LATE);
  phone.spoke('It is Ada.');
  await phone.hears(LATE);
  await phone.hearsSilence(LATE);
  phone.hangUp();
  await phone.ended;
  expect(JSON.stringify(model.requests[0])).toContain('It is Ada.');
  expect(voice.requests.map(({ text }) => text.trim()).join(' ')).toContain('Good day, Ada.');
  expect(turns).toHaveLength(1);
}, 60_000);
