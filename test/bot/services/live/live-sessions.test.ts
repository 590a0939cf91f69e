import { type FarEnd, LiveStage } from './live-stage.js';

describe.each<FarEnd>(['openai', 'xai', 'google'])('sessions of %s', (farEnd) => {
  test('one that breaks gives way to another, which knows what was said', async () => {
    await using stage = await LiveStage.start({
      farEnd,
      fake: { texts: () => ['Where is my order?'], replies: [{ text: 'It is on its way.' }, { text: 'Tomorrow.' }] },
      conversation: { system: 'You are a shop.' },
    });
    stage.join();
    stage.speak(600);
    await stage.says('It is on its way.');
    const next = stage.fake.nextSession();
    stage.fake.dropConnections();
    await next;
    stage.speak(600);
    await stage.says('Tomorrow.');
    expect(stage.fake.sessions).toHaveLength(2);
    expect(stage.fake.items.map(({ text }) => text).join('\n')).toMatch(/It is on its way\.[\s\S]*Tomorrow\./);
    expect(stage.errors.map(({ isFinal }) => isFinal)).toEqual([false]);
  });

  test('one that breaks while it is asked: the next one hears the caller again, and answers', async () => {
    await using stage = await LiveStage.start({
      farEnd,
      fake: {
        texts: () => ['Where is my order?'],
        replies: [{ text: 'It', delayMs: 60_000 }, { text: 'On its way.' }],
      },
    });
    stage.join();
    stage.speak(600);
    await stage.until(() => stage.fake.turns === 1, 'the model is asked');
    stage.fake.dropConnections();
    await stage.says('On its way.');
    expect(stage.fake.sessions).toHaveLength(2);
    const heardMs = stage.fake.items.find(({ role }) => role === 'user')?.audioMs ?? 0;
    expect(heardMs).toBeGreaterThan(500);
    expect(stage.errors.map(({ isFinal }) => isFinal)).toEqual([false]);
  });

  test('one that answers nothing is replaced; when the next one does the same, the apology follows', async () => {
    await using stage = await LiveStage.start({
      farEnd,
      fake: { replies: { text: 'Yes.', hang: true, delayMs: 60_000 } },
      live: { answerTimeoutMs: 1_000 },
    });
    stage.join();
    stage.speak(600);
    await stage.until(() => stage.hungUp, 'the call is over', 15_000);
    expect(stage.hungUp).toBe('provider_error');
    expect(stage.fake.sessions).toHaveLength(2);
    expect(stage.errors.at(-1)?.isFinal).toBe(true);
    expect(stage.errors.at(-1)?.message).toContain('no answer for 1000 ms');
  }, 20_000);

  test('one that is refused for its key ends the call with the apology', async () => {
    await using stage = await LiveStage.start({ farEnd, fake: { apiKey: 'another' } });
    stage.join();
    await stage.until(() => stage.hungUp, 'the call is over');
    expect(stage.errors.at(-1)?.code).toBe('VB_CREDENTIALS_REFUSED');
    expect(stage.errors.at(-1)?.message).not.toContain('k-');
  });
});

test('one that has reached its time limit gives way to another', async () => {
  await using stage = await LiveStage.start({ fake: { replies: [{ text: 'Yes.' }, { text: 'Still here.' }] } });
  stage.join();
  stage.speak(600);
  await stage.says('Yes.');
  const next = stage.fake.nextSession();
  stage.fake.expire();
  await next;
  stage.speak(600);
  await stage.says('Still here.');
  expect(stage.errors[0]?.message).toContain('session_expired');
});
