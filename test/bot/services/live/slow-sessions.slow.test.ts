import { z } from 'zod';
import { OtherwiseStage } from './otherwise-stage.js';

describe('a session that does not begin to answer in its time, with a cascade beside it', () => {
  it.concurrent('leaves one answer to the cascade, knows of it, and answers the next', async () => {
    await using stage = await OtherwiseStage.start({
      name: 'gpt-realtime-slow-1',
      live: { texts: ['Hello?', 'Anyone?'], replies: [{ text: 'Too late.', delayMs: 60_000 }, { text: 'Yes.' }] },
      replies: { text: 'Good day.' },
    });
    stage.join();
    stage.speak(600);
    await stage.says('Good day.');
    stage.speak(600);
    await stage.says('Yes.');
    expect(stage.told).toEqual(['caller: Hello?', 'bot: Good day.', 'caller: Anyone?', 'bot: Yes.']);
    expect(stage.model.requests).toHaveLength(1);
    expect(stage.live.sessions).toHaveLength(1);
    expect(stage.live.items.map(({ text }) => text)).toContain('Good day.');
  });

  it.concurrent('answers all the same where it begins before the cascade does', async () => {
    await using stage = await OtherwiseStage.start({
      name: 'gpt-realtime-slow-2',
      live: { texts: ['Hello?'], replies: { text: 'Good day.', delayMs: 1_800 } },
      replies: { text: 'The cascade.', delayMs: 60_000 },
    });
    stage.join();
    stage.speak(600);
    await stage.says('Good day.');
    expect(stage.told).toEqual(['caller: Hello?', 'bot: Good day.']);
    expect(stage.model.requests).toHaveLength(1);
    expect(stage.live.session.isOpen).toBe(true);
  });

  it.concurrent('has its greeting said by the voice, and hears the caller', async () => {
    await using stage = await OtherwiseStage.start({
      name: 'gpt-realtime-slow-3',
      live: {
        texts: ['A table for two.'],
        replies: ({ count }) => (count === 0 ? { text: 'Hello.', delayMs: 60_000 } : { text: 'For when?' }),
      },
      conversation: { greeting: 'Hello, this is the bakery.' },
    });
    stage.join();
    await stage.says('the bakery.');
    stage.speak(600);
    await stage.says('For when?');
    expect(stage.told).toEqual(['bot: Hello, this is the bakery.', 'caller: A table for two.', 'bot: For when?']);
    expect(stage.model.requests).toEqual([]);
  });

  it.concurrent('has the ears of the cascade understand the caller where it has not told their words', async () => {
    await using stage = await OtherwiseStage.start({
      name: 'gpt-realtime-slow-4',
      live: { texts: ['A table for two.'], transcriptDelayMs: 60_000, replies: { text: 'Late.', delayMs: 60_000 } },
      texts: ['A table for two.'],
      replies: { text: 'For when?' },
    });
    stage.join();
    stage.speak(600);
    await stage.says('For when?');
    expect(stage.told).toEqual(['caller: A table for two.', 'bot: For when?']);
    expect(stage.live.session.isOpen).toBe(true);
  });

  it.concurrent('is given up when it was too slow twice in a row', async () => {
    await using stage = await OtherwiseStage.start({
      name: 'gpt-realtime-slow-5',
      live: { texts: ['Hello?', 'Anyone?'], replies: { text: 'Too late.', delayMs: 60_000 } },
      texts: ['A table for two.'],
      replies: [{ text: 'Good day.' }, { text: 'Yes.' }, { text: 'For when?' }],
    });
    stage.join();
    for (const answer of ['Good day.', 'Yes.', 'For when?']) {
      stage.speak(600);
      await stage.says(answer);
    }
    expect(stage.live.session.isOpen).toBe(false);
    expect(stage.told.filter((line) => line.startsWith('bot: '))).toEqual([
      'bot: Good day.',
      'bot: Yes.',
      'bot: For when?',
    ]);
  });

  it.concurrent('calls a function once, whichever of the two wants it', async () => {
    let runs = 0;
    const book = {
      name: 'book',
      description: 'Books.',
      parameters: z.object({}),
      execute: async () => {
        runs += 1;
        return 'done';
      },
    };
    await using stage = await OtherwiseStage.start({
      name: 'gpt-realtime-slow-6',
      live: { texts: ['Book it.'], replies: { toolCalls: [{ name: 'book', input: {} }], delayMs: 60_000 } },
      replies: [{ toolCalls: [{ name: 'book', input: {} }] }, { text: 'It is booked.' }],
      conversation: { tools: [book] },
    });
    stage.join();
    stage.speak(600);
    await stage.says('It is booked.');
    expect(runs).toBe(1);
  });
});

test.concurrent('a session that stops in the middle of an answer is gone on with at the word that was cut', async () => {
  await using stage = await OtherwiseStage.start({
    name: 'gpt-realtime-slow-7',
    live: {
      texts: ['When do you open?', 'Thanks.'],
      betweenChunksMs: 80,
      replies: [{ text: 'Hello there, dear caller.' }, { text: 'We open at nine tomorrow morning.' }],
    },
    replies: { text: 'tomorrow morning.' },
  });
  stage.join();
  stage.speak(600);
  await stage.says('dear caller.');
  const { session } = stage.live;
  stage.speak(600);
  await session.until(() => session.items.some(({ text, audioMs }) => text.startsWith('We') && audioMs >= 1_100));
  session.isMute = true;
  await stage.says('morning.');
  const shown = stage.model.requests[0]?.messages.map(({ role, text }) => `${role}: ${text}`) ?? [];
  expect(shown).toContain('assistant: We open at nine');
});
