import type { FakeDeepgram } from '../../../../src/lab/kit/index.js';
import { HastyClock } from '../../../hasty-clock.js';
import { loud, silence, startEars } from './start-ears.js';
import { until } from './start-stt.js';

const SENTENCE = 'I would like a table for two.';

test('the first ears of the list listen, and the others are not connected', async () => {
  using _clock = new HastyClock();
  await using call = await startEars({ fakes: [{ texts: [SENTENCE] }, { texts: ['never'] }] });
  await call.hear(silence(600));
  await call.hear(loud(1_600));
  await call.hear(silence(1_500));
  await until(() => call.words.finals.length === 1);
  expect(call.words.finals).toEqual([SENTENCE]);
  expect(call.fakes[1]?.sessions).toHaveLength(0);
  expect(call.switches).toEqual([]);
  expect(call.noted).toMatchObject([{ type: 'service', provider: 'Deepgram', model: 'ears-1' }]);
});

test('a break in mid-word that is mended soon costs nothing: the first ears go on', async () => {
  using _clock = new HastyClock();
  await using call = await startEars({ fakes: [{ texts: [SENTENCE] }, { texts: ['never'] }] });
  await call.hear(silence(1_200));
  await call.hear(loud(600));
  call.fakes[0]?.dropConnections();
  await call.hear(loud(1_000));
  await call.hear(silence(1_500));
  await until(() => call.words.finals.length === 1);
  expect(call.words.finals).toEqual([SENTENCE]);
  expect(call.fakes[1]?.sessions).toHaveLength(0);
  expect(call.switches).toEqual([]);
});

test('ears that are killed in mid-word are followed by the next, which hear the sentence from its beginning', async () => {
  using _clock = new HastyClock();
  await using call = await startEars({ fakes: [{ texts: ['lost'] }, { texts: [SENTENCE] }] });
  await call.hear(silence(1_200));
  await call.hear(loud(600));
  void call.fakes[0]?.close();
  await call.hear(loud(1_000));
  await call.hear(silence(1_500));
  await until(() => call.words.finals.length === 1);
  expect(call.words.finals).toEqual([SENTENCE]);
  expect(call.fakes[1]?.session.audioMs).toBeGreaterThan(1_600);
  expect(call.switches).toMatchObject([
    { does: 'speech_to_text', from: { model: 'ears-1' }, to: { provider: 'Deepgram', model: 'ears-2' } },
  ]);
  expect(call.switches[0]?.why).toContain('Deepgram: ');
  expect(call.health.failing).toMatchObject([{ does: 'speech_to_text', model: 'ears-1' }]);
  expect(call.words.errors).toEqual([]);
});

type Call = Awaited<ReturnType<typeof startEars>>;

const firstOf = (call: Call) => call.fakes[0] as FakeDeepgram;

/** What becomes of the first ears. */
const FAILURES: Record<string, (fake: FakeDeepgram) => void> = {
  killed: (fake) => void fake.close(),
  hung: (fake) => fake.fallSilent(),
  'silent and deaf at connect': (fake) => {
    fake.hold(new Promise(() => {}));
    fake.dropConnections();
  },
  ...Object.fromEntries(
    [401, 429, 503].map((status) => [
      `refused with ${status}`,
      (fake: FakeDeepgram) => {
        fake.refuse(status, 'not now');
        fake.dropConnections();
      },
    ]),
  ),
};

describe.each(Object.entries(FAILURES))('ears that are %s', (_, fail) => {
  const fakes = [{ texts: [SENTENCE, 'Goodbye.'] }, { texts: [SENTENCE, 'Goodbye.'] }];

  test.each<[string, { failAt: number }]>([
    ['before the first word', { failAt: 0 }],
    ['in the middle of the first word', { failAt: 1 }],
    ['in the middle of the sentence', { failAt: 2 }],
    ['right behind the last word', { failAt: 3 }],
  ])('are followed by the next %s: no word is lost, and none is understood twice', async (_, { failAt }) => {
    using _clock = new HastyClock();
    await using call = await startEars({
      fakes: fakes.map((fake, index) => (index === 0 && failAt === 0 ? { ...fake, prepare: fail } : fake)),
    });
    const sounds = [silence(1_500), loud(100), loud(700), loud(700), silence(2_500)];
    for (const [index, sound] of sounds.entries()) {
      await call.hear(sound);
      if (index + 1 === failAt + 1 && failAt > 0) fail(firstOf(call));
    }
    await until(() => call.words.finals.length === 1);
    await call.hear(loud(500));
    await call.hear(silence(1_000));
    await until(() => call.words.finals.length === 2);
    expect(call.words.finals).toEqual([SENTENCE, 'Goodbye.']);
    expect(call.switches).toHaveLength(1);
    expect(call.health.failing).toMatchObject([{ model: 'ears-1', isWell: false }]);
    expect(call.words.errors).toEqual([]);
  });
});
