import { deferred } from '../../../../src/base/async/deferred.js';
import type { Turn } from '../../../../src/bot/pipeline/frames/index.js';
import type { RealtimeSession } from '../../../../src/lab/kit/live/realtime-session.js';
import { hurried } from '../../../hasty-clock.js';
import { LiveStage } from './live-stage.js';
import { SessionStage } from './session-stage.js';

hurried();

test('Gemini wants a result no more when the caller speaks: it is told as a text, and the session stays', async () => {
  const asked = deferred();
  await using stage = await LiveStage.start({
    farEnd: 'google',
    fake: { replies: ({ count }) => (count === 0 ? { toolCalls: [{ name: 'look', input: {} }] } : { text: 'Reply.' }) },
    conversation: {
      tools: [
        {
          name: 'look',
          description: 'Looks.',
          parameters: { type: 'object', properties: {} },
          execute: async () => {
            asked.resolve();
            await new Promise(() => {});
          },
        } as never,
      ],
    },
  });
  stage.join();
  stage.speak(400);
  await asked.promise;
  stage.speak(600);
  await stage.says('Reply.');
  const { told, items } = stage.fake.session;
  expect(told.filter(({ toolCallCancellation }) => toolCallCancellation)).toHaveLength(1);
  expect(items.map(({ text }) => text)).toContainEqual(expect.stringContaining('look has returned "cancelled'));
  expect(stage.fake.sessions).toHaveLength(1);
  expect(stage.errors).toEqual([]);
});

test('words that were understood before the session broke are not told twice, and nothing empty stands beside them', async () => {
  await using stage = await LiveStage.start({
    fake: { texts: () => ['What is there?'], replies: [{ text: 'Rye.', delayMs: 60_000 }, { text: 'Rye.' }] },
  });
  stage.join();
  stage.speak(400);
  await stage.until(() => stage.told.length > 0 && stage.fake.turns === 1, 'the model is asked');
  stage.fake.dropConnections();
  await stage.says('Rye.');
  expect(stage.told).toEqual(['caller: What is there?', 'bot: Rye.']);
  const users = () => stage.fake.items.filter(({ role }) => role === 'user').map(({ text }) => text);
  await stage.until(() => users().length === 1, 'the session remembers one item of the caller');
  expect(users()).toEqual(['What is there?']);
  expect(stage.conversation.context.messages).toEqual([
    { role: 'user', content: 'What is there?' },
    { role: 'assistant', content: 'Rye.' },
  ]);
});

test('what the conversation shows no more is forgotten by the session: what the caller has said, and what was written', async () => {
  await using stage = await SessionStage.start('openai', { texts: ['Hello?'] });
  const { context, session, fake } = stage;
  const turn = { isReleased: true } as Turn;
  context.append({ role: 'user', content: 'Written.' });
  stage.speak();
  context.addCallerWords('Hello?', turn);
  await session.ask({ key: {}, turn }, { audio: () => {}, text: () => {} }).over;
  expect(fake.items.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual(['Written.', 'Hello?']);
  context.restart('');
  await stage.say('Good bye.').answer.over;
  expect(fake.items.filter(({ role }) => role === 'user')).toEqual([]);
  expect(stage.troubles).toEqual([]);
});

test('an error of something else than what was asked does not fail the answer that is waited for', async () => {
  await using stage = await SessionStage.start('openai', { delayMs: 60 });
  const { answer } = stage.say('Hello.');
  await stage.fake.session.until(() => stage.fake.turns === 1);
  const session = stage.fake.session as RealtimeSession;
  const error = { code: 'invalid_value', message: 'Audio content of 0ms is already shorter than 20ms' };
  session.fail(error, 'conversation.item.truncate#7');
  session.fail({ code: 'invalid_type', message: 'An item is wrong.' }, 'conversation.item.create#8');
  const { failure, status } = await answer.over;
  expect({ failure, status }).toEqual({ failure: undefined, status: 'completed' });
  expect(stage.troubles).toEqual([expect.stringContaining('An item is wrong.')]);
});
