import { createOpenAI } from '@ai-sdk/openai';
import { FakeLanguageModel } from '../../../../src/lab/kit/index.js';
import { hurried } from '../../../hasty-clock.js';
import { callOn, FakeLink, Hum, Line, until } from './line.js';
import { Ears } from './warm-scene.js';

hurried();

test('a bridge with ears tells who has said what, and no conversation takes it for an answer', async () => {
  await using caller = await Line.open();
  await using line = await Line.open();
  Ears.all = [];
  const runner = new FakeLink();
  runner.dial = () => line;
  const { call } = await callOn(caller, runner, { tts: () => new Hum(), stt: () => new Ears() });
  const callersEars = Ears.all.at(-1);
  const colleague = await call.consult('+12025550177');
  const bridge = await call.bridge(colleague, { listen: true });
  const said: unknown[] = [];
  bridge.on('transcript', ({ party, text }) => said.push([party, text]));
  bridge.on('dtmf', ({ party, digit }) => said.push([party, digit]));
  callersEars?.hear('Where is my order?');
  await until(() => said.length === 1, 'the caller is understood');
  Ears.all.at(-1)?.hear('It is on its way.');
  await until(() => said.length === 2, 'the colleague is understood');
  line.press('3');
  await until(() => said.length === 3, 'the key is told');
  expect(said).toEqual([
    ['caller', 'Where is my order?'],
    ['colleague', 'It is on its way.'],
    ['colleague', '3'],
  ]);
  caller.hangUp();
  await Promise.all([call.ended, colleague.ended]);
});

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
