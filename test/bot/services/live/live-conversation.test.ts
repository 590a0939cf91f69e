import { type FarEnd, LiveStage } from './live-stage.js';

const FAR_ENDS: readonly FarEnd[] = ['openai', 'xai', 'google'];

describe.each(FAR_ENDS)('a conversation with a live model of %s', (farEnd) => {
  test('a turn of the caller ends by their voice, is answered, and its words are added when they come', async () => {
    await using stage = await LiveStage.start({
      farEnd,
      fake: { texts: ['Where is my order?'], replies: { text: 'It is on its way.' }, transcriptDelayMs: 300 },
    });
    stage.join();
    stage.speak(800);
    await stage.says('It is on its way.');
    await stage.until(() => stage.told.some((line) => line.startsWith('caller:')), 'the words of the caller are told');
    expect(stage.told).toContain('caller: Where is my order?');
    expect(stage.errors).toEqual([]);
    expect(stage.conversation.context.messages).toEqual([
      { role: 'user', content: 'Where is my order?' },
      { role: 'assistant', content: 'It is on its way.' },
    ]);
    expect(stage.reports).toHaveLength(1);
  });

  test('the greeting is said by the session, which knows it', async () => {
    await using stage = await LiveStage.start({
      farEnd,
      fake: { replies: [{ text: 'Hello, this is the bakery.' }, { text: 'We open at seven.' }] },
      conversation: { greeting: 'Hello, this is the bakery.', system: 'You are a bakery.' },
    });
    stage.join();
    await stage.says('Hello, this is the bakery.');
    await stage.until(() => stage.stopped.length > 0, 'the bot is silent');
    stage.speak(600);
    await stage.says('We open at seven.');
    expect(stage.errors).toEqual([]);
    const said = stage.fake.items.filter(({ role }) => role === 'assistant').map(({ text }) => text);
    expect(said).toEqual(['Hello, this is the bakery.', 'We open at seven.']);
  });
});
