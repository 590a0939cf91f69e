/** For how long sessions are charged, over breaks of the connection. The clock is the test's; the network takes its own time. */
import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import { ContinuousSession } from '../../../../src/bot/services/live/continuous-session.js';
import { resolveLiveOptions } from '../../../../src/bot/services/live/live-options.js';
import { LiveSession } from '../../../../src/bot/services/live/live-session.js';
import type { ServiceUsage } from '../../../../src/call/usage.js';
import { buzz } from '../../../../src/lab/kit/index.js';
import { continuousFarEnd, FAR_ENDS } from './live-stage.js';

const RATE = 8_000;
const ANSWER_MS = 20_000;

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

/** Not the test's. */
const clock = performance.now.bind(performance);
const LIMIT_MS = 15_000;

const until = async (isSo: () => unknown) => {
  const limit = clock() + LIMIT_MS;
  while (!isSo()) {
    if (clock() > limit) throw new Error(`it does not come about within ${LIMIT_MS} ms`);
    await new Promise(setImmediate);
  }
};

/** A session that is there, and the seconds of it that were told. */
const SESSIONS = {
  'a session whose turns are ours': async () => {
    const { fake, model } = await FAR_ENDS.openai();
    const told: ServiceUsage[] = [];
    const session = new LiveSession(resolveLiveOptions({ model: model as never, answerTimeoutMs: ANSWER_MS }), RATE, {
      interim() {},
      final() {},
      late() {},
      troubled() {},
      unknown() {},
      used: (usage) => told.push(usage),
    });
    session.introduce(new LLMContext({ system: 'You are a shop.' }));
    await until(() => fake.sessions.length > 0 && fake.session.told.length > 0 && fake.session.messages.length > 0);
    return { fake, session, seconds: () => secondsIn(told) };
  },
  'a session that takes its turns itself': async () => {
    const { fake, session, seconds } = await continuous(false);
    return { fake, session, seconds };
  },
};

async function continuous(isReplaceable: boolean) {
  const { fake, model } = await continuousFarEnd();
  const told: ServiceUsage[] = [];
  const troubles: boolean[] = [];
  let chunks = 0;
  const options = resolveLiveOptions({ model: model as never, answerTimeoutMs: ANSWER_MS }, isReplaceable);
  const session = new ContinuousSession(options, RATE, {
    audio: () => {
      chunks += 1;
    },
    words() {},
    delegated() {},
    renewed() {},
    troubled: ({ isFinal }) => troubles.push(isFinal),
    unknown() {},
    used: (usage) => told.push(usage),
  });
  session.introduce(new LLMContext({ system: 'You are a shop.' }));
  await until(() => fake.sessions.length > 0 && fake.session.settings);
  session.write(buzz(200, RATE));
  await until(() => chunks > 0);
  return { fake, session, troubles, seconds: () => secondsIn(told) };
}

const secondsIn = (told: readonly ServiceUsage[]) => told.reduce((sum, { units }) => sum + (units.second ?? 0), 0);

test.each(Object.entries(SESSIONS))(
  '%s is charged while it goes on, and not while there is no connection',
  async (_what, start) => {
    const { fake, session, seconds } = await start();
    try {
      await jest.advanceTimersByTimeAsync(7_000);
      expect(seconds()).toBeCloseTo(5, 1);
      fake.hold(new Promise(() => {}));
      fake.dropConnections();
      await until(() => seconds() > 5);
      expect(seconds()).toBeCloseTo(7, 1);
      await jest.advanceTimersByTimeAsync(2_000);
      session.close();
      expect(seconds()).toBeCloseTo(7, 1);
    } finally {
      session.close();
      await fake.close();
    }
  },
);

test('a session that hangs and is given up is charged up to then', async () => {
  const { fake, session, seconds, troubles } = await continuous(true);
  try {
    fake.fallSilent();
    while (troubles.length === 0) {
      await jest.advanceTimersByTimeAsync(100);
      await new Promise(setImmediate);
    }
    const charged = seconds();
    expect(charged).toBeGreaterThan(0);
    await jest.advanceTimersByTimeAsync(10_000);
    session.close();
    expect(seconds()).toBe(charged);
  } finally {
    session.close();
    await fake.close();
  }
});
