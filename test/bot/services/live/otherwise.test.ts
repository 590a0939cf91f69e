import { z } from 'zod';
import { ProviderError } from '../../../../src/base/provider-error.js';
import { ServiceHealth } from '../../../../src/bot/services/service-health.js';
import { hurried } from '../../../hasty-clock.js';
import { OtherwiseStage } from './otherwise-stage.js';

hurried();

describe('a cascade beside a realtime model', () => {
  it('answers the caller in place of a session that was killed between two turns', async () => {
    await using stage = await OtherwiseStage.start({
      live: { texts: ['Hello?'], replies: { text: 'Good day.' } },
      texts: ['A table for two.'],
      replies: { text: 'For when?' },
    });
    stage.join();
    stage.speak(600);
    await stage.says('Good day.');
    stage.kill();
    await stage.until(() => stage.deepgram.sessions.length === 1, 'the ears of the cascade listen');
    stage.speak(600);
    await stage.says('For when?');
    expect(stage.told).toEqual(['caller: Hello?', 'bot: Good day.', 'caller: A table for two.', 'bot: For when?']);
    expect(stage.model.requests[0]?.messages.slice(1).map(({ text }) => text)).toEqual([
      'Hello?',
      'Good day.',
      'A table for two.',
    ]);
    expect(stage.errors.filter(({ isFinal }) => isFinal)).toEqual([]);
    expect(stage.hungUp).toBeUndefined();
  });

  it('goes on with an answer in which the session was killed, and says nothing twice', async () => {
    await using stage = await OtherwiseStage.start({
      live: { texts: ['Hello?'], replies: { text: 'We are open from nine to five.', dropAfterMs: 600 } },
      replies: { text: 'And on Sunday from ten.' },
    });
    stage.join();
    stage.live.nextSession().then((session) => session.closed.then(() => stage.live.refuse(503, 'Away.')));
    stage.speak(600);
    await stage.says('And on Sunday from ten.');
    const [request] = stage.model.requests;
    const shown = request?.messages.map(({ role, text }) => `${role}: ${text}`) ?? [];
    expect(shown).toContain('user: Hello?');
    expect(shown).toContain('assistant: We are');
    expect(stage.model.requests).toHaveLength(1);
    expect(stage.hungUp).toBeUndefined();
  });

  it('asks with the words that only the session has heard, when that was killed before it answered', async () => {
    await using stage = await OtherwiseStage.start({
      live: {
        texts: ['A table for two.'],
        transcriptDelayMs: 60_000,
        replies: { text: 'Yes.', hang: true, delayMs: 60_000 },
      },
      texts: ['A table for two.'],
      replies: { text: 'For when?' },
    });
    stage.join();
    stage.speak(600);
    await stage.until(() => stage.live.turns === 1, 'the session is asked');
    stage.kill();
    await stage.says('For when?');
    expect(stage.told).toEqual(['caller: A table for two.', 'bot: For when?']);
    expect(stage.model.requests).toHaveLength(1);
  });

  it('greets the caller when no session can be had from the first moment', async () => {
    await using stage = await OtherwiseStage.start({ conversation: { greeting: 'Hello, this is the bakery.' } });
    stage.live.refuse(429, 'Too many sessions.', 5);
    stage.join();
    await stage.says('Hello, this is the bakery.');
    expect(stage.told).toEqual(['bot: Hello, this is the bakery.']);
    expect(stage.hungUp).toBeUndefined();
  });

  it('goes on with what a function has returned that ran when the session was killed', async () => {
    let finish = (_result: string) => {};
    const result = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const book = { name: 'book', description: 'Books.', parameters: z.object({}), execute: () => result };
    await using stage = await OtherwiseStage.start({
      live: { texts: ['Book it.'], replies: { toolCalls: [{ name: 'book', input: {} }] } },
      replies: { text: 'It is booked.' },
      conversation: { tools: [book] },
    });
    stage.join();
    stage.speak(600);
    await stage.until(
      () => stage.live.sessions[0]?.items.some(({ type }) => type === 'function_call'),
      'the function is called',
    );
    stage.kill();
    await stage.until(() => stage.deepgram.sessions.length === 1, 'the ears of the cascade listen');
    finish('done');
    await stage.says('It is booked.');
    expect(stage.model.requests[0]?.messages.slice(1, 4).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
    ]);
  });

  it('takes the place of a session that hears and does not answer', async () => {
    await using stage = await OtherwiseStage.start({
      live: { texts: ['Hello?'], replies: { hang: true } },
      replies: { text: 'Good day.' },
    });
    stage.join();
    stage.speak(600);
    await stage.says('Good day.');
    expect(stage.told).toEqual(['caller: Hello?', 'bot: Good day.']);
  });

  it('says the rest of a greeting in which the session was killed', async () => {
    const greeting = 'Hello, this is the bakery, what can I do for you?';
    await using stage = await OtherwiseStage.start({
      live: { replies: { text: greeting, dropAfterMs: 900 } },
      conversation: { greeting },
    });
    stage.live.nextSession().then((session) => session.closed.then(() => stage.live.refuse(503, 'Away.')));
    stage.join();
    await stage.says('do for you?');
    const words = stage.told.map((line) => line.replace(/^bot: /, '')).join(' ');
    expect(words).toBe(greeting);
  });

  it('says every sentence that waits, and no word twice, when the session is killed in the first', async () => {
    const texts = ['We open at nine, and on Sunday at ten.', 'Bread comes at eight.', 'Cake comes at noon.'];
    await using stage = await OtherwiseStage.start({
      live: {
        characterMs: 40,
        replies: ({ count }) => (count === 0 ? { text: 'Hello.' } : { text: texts[0], dropAfterMs: 600 }),
      },
      conversation: { greeting: 'Hello.' },
    });
    stage.join();
    await stage.says('Hello.');
    stage.live.nextSession().then((session) => session.dropConnection());
    stage.live.session.closed.then(() => stage.live.refuse(503, 'Away.'));
    for (const text of texts) stage.say(text);
    await stage.says('noon.');
    const said = stage.told.map((line) => line.replace(/^bot: /, '')).join(' ');
    expect(said).toBe(['Hello.', ...texts].join(' '));
  });

  it('lets go of a session whose answers fail', async () => {
    await using stage = await OtherwiseStage.start({
      live: {
        texts: ['Hello?', 'A table for two.'],
        replies: { error: { code: 'rate_limit_exceeded', message: 'Many.' } },
      },
      texts: ['A table for two.'],
      replies: [{ text: 'Good day.' }, { text: 'For when?' }],
    });
    stage.join();
    stage.speak(600);
    await stage.says('Good day.');
    expect(stage.live.session.isOpen).toBe(false);
    stage.speak(600);
    await stage.says('For when?');
    expect(stage.told).toEqual(['caller: Hello?', 'bot: Good day.', 'caller: A table for two.', 'bot: For when?']);
  });

  it('hears what the caller is saying when the session reaches its time limit and no other is to be had', async () => {
    await using stage = await OtherwiseStage.start({
      live: { texts: ['A table for two.'] },
      texts: ['A table for two.'],
      replies: { text: 'For when?' },
    });
    stage.join();
    stage.speak(1_500);
    await stage.until(() => (stage.live.sessions[0]?.audioMs ?? 0) > 600, 'the session hears the caller');
    stage.live.refuse(503, 'Away.');
    stage.live.expire();
    await stage.says('For when?');
    expect(stage.told).toEqual(['caller: A table for two.', 'bot: For when?']);
  });

  it('begins a call alone while the realtime model is not well', async () => {
    const health = new ServiceHealth();
    const name = { does: 'live', provider: 'OpenAI', model: 'gpt-realtime-2.1' } as const;
    health.failed(name, new ProviderError('openai', 'VB_PROVIDER_FAILED', 'is away').asFinal());
    await using stage = await OtherwiseStage.start({ health, texts: ['Hello?'], replies: { text: 'Good day.' } });
    stage.join();
    stage.speak(600);
    await stage.says('Good day.');
    expect(stage.live.connections).toEqual([]);
  });

  it('stays out of a call whose session breaks and is mended', async () => {
    await using stage = await OtherwiseStage.start({
      live: { texts: ['Hello?', 'Anyone?'], replies: [{ text: 'Good day.' }, { text: 'Yes.' }] },
    });
    stage.join();
    stage.speak(600);
    await stage.says('Good day.');
    stage.live.dropConnections();
    await stage.until(() => stage.live.sessions.length === 2, 'there is another session');
    stage.speak(600);
    await stage.says('Yes.');
    expect(stage.model.requests).toEqual([]);
    expect(stage.deepgram.sessions).toEqual([]);
  });
});
