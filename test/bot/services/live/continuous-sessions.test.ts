import { hurried } from '../../../hasty-clock.js';
import { LiveStage } from './live-stage.js';

hurried();

test('a session that sends no sound any more gives way to another', async () => {
  await using stage = await LiveStage.continuous({
    fake: {
      texts: (session) => [session === 0 ? 'Hello?' : 'And now?'],
      replies: [{ text: 'Hello.', hang: true }, { text: 'Back.' }],
    },
    live: { answerTimeoutMs: 1_000 },
  });
  stage.join();
  stage.speak(600);
  await stage.until(() => stage.fake.sessions[1]?.settings, 'another session');
  stage.speak(600);
  await stage.says('Back.');
  expect(stage.fake.sessions[1]?.items[0]).toMatchObject({ role: 'user', text: 'Hello?' });
  expect(stage.errors.map(({ isFinal }) => isFinal)).not.toContain(true);
});

test('a session that has reached its time limit gives way to another', async () => {
  await using stage = await LiveStage.continuous();
  stage.join();
  await stage.until(() => stage.fake.sessions[0]?.settings, 'a session');
  stage.fake.sessions[0]?.expire();
  await stage.until(() => stage.fake.sessions[1]?.settings, 'another session');
  expect(stage.errors.map(({ isFinal }) => isFinal)).not.toContain(true);
});
