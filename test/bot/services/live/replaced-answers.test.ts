import { InterruptionFrame, TTSSpeakFrame } from '../../../../src/bot/pipeline/frames/index.js';
import type { FakeGeminiLive, FakeLiveReply } from '../../../../src/lab/kit/index.js';
import { hurried } from '../../../hasty-clock.js';
import { type FarEnd, LiveStage } from './live-stage.js';
import { SessionStage } from './session-stage.js';

hurried();

/** Says word for word what it is asked to, and goes on for long. */
const obey = ({ items, instructions }: { items: ReadonlyArray<{ text: string }>; instructions: string }) => {
  const asked = instructions.includes('word for word') ? instructions : (items.at(-1)?.text ?? '');
  const text = asked.replaceAll('</system>', '').split('\n').at(-1);
  return { text: `${text}${' and so on'.repeat(10)}` } satisfies FakeLiveReply;
};

describe.each<FarEnd>(['openai', 'xai', 'google'])('%s', (farEnd) => {
  test.each([0, 40])(
    'a sentence in place of another is said, with messages on their way for %i ms',
    async (latencyMs) => {
      await using stage = await SessionStage.start(farEnd, { replies: obey, latencyMs, delayMs: 20 });
      const first = stage.say('Alpha.');
      await stage.fake.session.until(() => stage.fake.turns === 1);
      stage.session.drop(first.answer);
      const second = stage.say('Bravo.');
      const { status } = await second.answer.over;
      expect({ status, text: second.said.text, troubles: stage.troubles }).toEqual({
        status: 'completed',
        text: expect.stringContaining('Bravo. and'),
        troubles: [],
      });
    },
  );
});

test('a session that does not say that it has stopped is asked all the same', async () => {
  await using stage = await SessionStage.start('openai', { replies: obey });
  const first = stage.say('Alpha.');
  await stage.fake.session.until(() => stage.fake.turns === 1);
  const { session } = stage.fake;
  const send = session.send.bind(session);
  let isStopped = false;
  session.send = (message) => {
    const isEnd = !isStopped && JSON.stringify(message).includes('response.done');
    isStopped ||= isEnd;
    if (!isEnd) send(message);
  };
  stage.session.drop(first.answer);
  const { status } = await stage.say('Bravo.').answer.over;
  expect(status).toBe('completed');
});

describe.each(['passed over', 'not to count'])('speech that is %s, which Gemini answers all the same', (how) => {
  test('what is said next is said, and a session that ends soon gives way to another', async () => {
    const replies = ({ items }: { items: ReadonlyArray<{ text: string }> }) =>
      items.at(-1)?.text ? obey({ items, instructions: '' }) : { text: 'What? '.repeat(20) };
    await using stage = await SessionStage.start('google', { replies, latencyMs: 20 });
    await stage.say('Hello.').answer.over;
    stage.speak();
    if (how === 'passed over') stage.session.passOver();
    else stage.session.mute(true);
    await stage.fake.session.until(() => stage.fake.turns === 2);
    const { answer, said } = stage.say('Please hold the line.');
    await answer.over;
    expect(said.text).toMatch(/^Please hold the line\./);
    const next = stage.fake.nextSession();
    (stage.fake as FakeGeminiLive).session.goAway(5_000);
    await next;
    expect(stage.troubles).toEqual([]);
  });
});

test('words that came without a sound, from a session that broke, are not said twice', async () => {
  await using stage = await LiveStage.start({
    fake: { texts: ['What is there?'], replies: { text: 'There is rye bread.' } },
  });
  await stage.fake.nextSession();
  const { session } = stage.fake;
  const send = session.send.bind(session);
  let hasBroken = false;
  session.send = (message) => {
    if (JSON.stringify(message).includes('response.output_audio.delta')) {
      hasBroken = true;
      setTimeout(() => session.dropConnection(), 20);
    } else if (!hasBroken) send(message);
  };
  stage.join();
  stage.speak(400);
  await stage.says('There is rye bread.');
  expect(stage.told.at(-1)).toBe('bot: There is rye bread.');
  expect(stage.conversation.context.messages.at(-1)).toEqual({ role: 'assistant', content: 'There is rye bread.' });
});

test('an answer that is interrupted before its first sound has come: the session remembers nothing of it', async () => {
  await using stage = await LiveStage.start({
    fake: {
      texts: ['What is there?'],
      betweenChunksMs: 5,
      latencyMs: 100,
      replies: { text: 'The first thing is a loaf. '.repeat(5) },
    },
  });
  const { session } = await stage.fake.nextSession().then(() => stage.fake);
  stage.join();
  stage.speak(400);
  await session.until(() => session.told.some(({ type }) => type === 'response.output_audio.delta'));
  stage.emit(new InterruptionFrame());
  await session.until(() => session.messages.some(({ type }) => type === 'conversation.item.truncate'));
  const [item] = stage.fake.items.filter(({ role }) => role === 'assistant');
  expect(item).toMatchObject({ text: '', audioMs: 0, isTruncated: true });
});

test('a sentence that waits behind long speech, and is interrupted, is taken back', async () => {
  await using stage = await LiveStage.start({
    fake: {
      betweenChunksMs: 1,
      characterMs: 60,
      replies: [{ text: 'The first thing is a loaf of rye bread. '.repeat(5) }, { text: 'We close at six.' }],
    },
  });
  const { session } = await stage.fake.nextSession().then(() => stage.fake);
  stage.join();
  stage.emit(new TTSSpeakFrame('The first thing.'));
  stage.emit(new TTSSpeakFrame('We close at six.'));
  const done = () => session.told.filter(({ type }) => type === 'response.done').length;
  await session.until(() => done() === 2);
  await stage.until(() => stage.sent.length > 5, 'the bot speaks');
  stage.emit(new InterruptionFrame());
  const last = () => stage.fake.items.filter(({ role }) => role === 'assistant').at(-1);
  await session.until(() => last()?.isTruncated === true);
  expect(last()).toMatchObject({ text: '', audioMs: 0 });
});
