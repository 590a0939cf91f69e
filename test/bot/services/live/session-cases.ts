import { type FarEnd, LiveStage } from './live-stage.js';

/** A session that breaks gives way to another, which knows what was said. */
export async function breaks(farEnd: FarEnd): Promise<void> {
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
  expect(stage.conversation.context.messages.slice(1)).toEqual([
    { role: 'user', content: 'Where is my order?' },
    { role: 'assistant', content: 'It is on its way.' },
    { role: 'user', content: 'Where is my order?' },
    { role: 'assistant', content: 'Tomorrow.' },
  ]);
  expect(stage.errors.map(({ isFinal }) => isFinal)).toEqual([false]);
}

/** The session after one that breaks while it is asked hears the caller again, and answers. */
export async function breaksWhileAsked(farEnd: FarEnd): Promise<void> {
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
  expect(stage.conversation.context.messages).toEqual([
    { role: 'user', content: 'Where is my order?' },
    { role: 'assistant', content: 'On its way.' },
  ]);
  expect(stage.errors.map(({ isFinal }) => isFinal)).toEqual([false]);
}

/** A session that answers nothing is replaced; when the next one does the same, the apology follows. */
export async function answersNothing(farEnd: FarEnd): Promise<void> {
  await using stage = await LiveStage.start({
    farEnd,
    fake: { replies: { text: 'Yes.', hang: true, delayMs: 60_000 } },
    live: { answerTimeoutMs: 1_000 },
  });
  stage.join();
  stage.speak(600);
  await stage.until(() => stage.hungUp, 'the call is over');
  expect(stage.hungUp).toBe('provider_error');
  expect(stage.fake.sessions).toHaveLength(2);
  expect(stage.errors.at(-1)?.isFinal).toBe(true);
  expect(stage.errors.at(-1)?.message).toContain('no answer for 1000 ms');
}

/** A session that is refused for its key ends the call with the apology. */
export async function refusesKey(farEnd: FarEnd): Promise<void> {
  await using stage = await LiveStage.start({ farEnd, fake: { apiKey: 'another' } });
  stage.join();
  await stage.until(() => stage.hungUp, 'the call is over');
  expect(stage.errors.at(-1)?.code).toBe('VB_CREDENTIALS_REFUSED');
  expect(stage.errors.at(-1)?.message).not.toContain('k-');
}

/** A session that has reached its time limit gives way to another. */
export async function expires(): Promise<void> {
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
}
