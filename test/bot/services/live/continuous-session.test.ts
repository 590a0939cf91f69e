import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import { ContinuousSession } from '../../../../src/bot/services/live/continuous-session.js';
import { resolveLiveOptions } from '../../../../src/bot/services/live/live-options.js';
import { buzz, type FakeLiveOptions } from '../../../../src/lab/kit/index.js';
import { continuousFarEnd } from './live-stage.js';

const LIMIT_MS = 6_000;

afterEach(() => {
  jest.useRealTimers();
});

/** The session of a model that takes its turns itself alone, on loopback; its clock is the test's. */
async function start(options: FakeLiveOptions = {}, { sampleRate = 8_000, isReplaceable = false } = {}) {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const { fake, model } = await continuousFarEnd(options);
  const troubles: boolean[] = [];
  let heardMs = 0;
  let renewed = 0;
  const resolved = resolveLiveOptions({ model: model as never, answerTimeoutMs: LIMIT_MS }, isReplaceable);
  const session = new ContinuousSession(resolved, sampleRate, {
    audio: (pcm) => {
      heardMs += (pcm.length * 1_000) / session.format.sampleRate;
    },
    words() {},
    delegated() {},
    renewed: () => {
      renewed += 1;
    },
    troubled: ({ isFinal }) => troubles.push(isFinal),
    unknown() {},
  });
  /** Resolves when it is so; the network takes its own time. */
  const until = async (isSo: () => unknown) => {
    while (!isSo()) await new Promise(setImmediate);
  };
  /** As {@link until}, while time passes. */
  const passUntil = async (isSo: () => unknown) => {
    while (!isSo()) {
      await jest.advanceTimersByTimeAsync(50);
      await new Promise(setImmediate);
    }
  };
  session.introduce(new LLMContext({ system: 'You are a shop.' }));
  return {
    fake,
    session,
    troubles,
    until,
    passUntil,
    heardMs: () => heardMs,
    renewed: () => renewed,
    /** Resolves when the next session is there. */
    isReady: (count = 1) => until(() => fake.sessions[count - 1]?.settings && renewed === count),
    async [Symbol.asyncDispose]() {
      session.close();
      await fake.close();
    },
  };
}

test.each([
  [8_000, { type: 'audio/pcmu', rate: 8_000 }],
  [16_000, { type: 'audio/pcm', rate: 24_000 }],
])('on a line of %d Hz the session is asked for %j', async (sampleRate, format) => {
  await using stage = await start({}, { sampleRate });
  await stage.isReady();
  expect(stage.fake.session.settings).toMatchObject({ audio: { format } });
  stage.session.write(buzz(1_000, sampleRate));
  await stage.until(() => stage.fake.session.audioMs >= 990);
  await stage.until(() => stage.heardMs() >= 900);
});

test('a session is told when the caller does not count, and one that begins meanwhile is told at once', async () => {
  await using stage = await start();
  stage.session.mute(true);
  await stage.isReady();
  await stage.until(() => stage.fake.session.isInputMuted);
  stage.session.mute(false);
  await stage.until(() => !stage.fake.session.isInputMuted);
});

test('while no sound of the caller comes, the session gets silence: its clock goes on', async () => {
  await using stage = await start();
  await stage.isReady();
  await stage.until(() => stage.fake.session.messages.length > 0);
  await jest.advanceTimersByTimeAsync(2_000);
  await stage.until(() => stage.fake.session.audioMs >= 1_700);
  await stage.until(() => stage.heardMs() >= 1_700);
});

test.each([
  [false, 2],
  [true, 1],
])('where a cascade stands by (%s), a session that sends no sound is the last of %d', async (isReplaceable, count) => {
  await using stage = await start({}, { isReplaceable });
  await stage.isReady();
  stage.session.write(buzz(200, 8_000));
  await stage.until(() => stage.heardMs() > 0);
  stage.fake.fallSilent();
  await jest.advanceTimersByTimeAsync(LIMIT_MS - 200);
  expect(stage.renewed()).toBe(1);
  await stage.passUntil(() => stage.troubles.length > 0);
  expect(stage.troubles).toEqual([true]);
  expect(stage.renewed()).toBe(count);
});
