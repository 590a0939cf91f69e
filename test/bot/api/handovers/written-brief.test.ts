import { createOpenAI } from '@ai-sdk/openai';
import { FakeLanguageModel } from '../../../../src/lab/kit/index.js';
import { callOn, FakeLink, Hum, Line, until } from './line.js';

test('the model writes the briefing from the conversation, in at most 60 words, and the conversation does not know of it', async () => {
  const words = Array.from({ length: 80 }, (_, at) => `word${at}`).join(' ');
  await using fake = await FakeLanguageModel.start({ replies: { text: words } });
  await using caller = await Line.open();
  await using line = await Line.open();
  const runner = new FakeLink();
  runner.dial = () => line;
  const llm = createOpenAI({ baseURL: fake.url, apiKey: 'any' }).chat('fake');
  const { call } = await callOn(caller, runner, { tts: () => new Hum(), llm });
  const talk = call.converse({
    system: 'You are a bakery.',
    messages: [{ role: 'user', content: 'I want my money back.' }],
  });
  const before = talk.conversation.context.messages.length;
  const outcome = call.transfer('+12025550177', { warm: { brief: { prompt: 'Say what they want.' } } });
  await until(() => line.heard.length > 5, 'the colleague is briefed');
  const brief = runner.told[0]?.warm?.brief ?? '';
  expect(brief.split(' ')).toHaveLength(60);
  expect(JSON.stringify(fake.requests.at(-1))).toMatch(/I want my money back.*Say what they want\./);
  line.press('1');
  expect(await outcome).toMatchObject({ status: 'answered' });
  expect(talk.conversation.context.messages).toHaveLength(before);
  line.hangUp();
  await call.ended;
});
