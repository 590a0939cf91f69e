import { ProviderError } from '../../../../src/base/provider-error.js';
import { ServiceHealth, sharedHealth } from '../../../../src/bot/services/service-health.js';
import type { EarListener, EarSource } from '../../../../src/bot/services/stt/ear.js';
import { EarsInTurn } from '../../../../src/bot/services/stt/ears-in-turn.js';
import { socketEars } from '../../../../src/bot/services/stt/socket-ear.js';
import { FakeDeepgram } from '../../../../src/lab/kit/index.js';
import { HastyClock } from '../../../hasty-clock.js';
import { BROKEN_EARS, type EarFailures, refusedEars } from './ear-failures.js';
import { loud, silence, startEars } from './start-ears.js';
import { KEY, QuickDialect, until } from './start-stt.js';

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
const FAILURES: EarFailures = {
  ...BROKEN_EARS,
  ...Object.fromEntries([401, 429, 503].map((status) => [`refused with ${status}`, refusedEars(status)])),
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

test('ears that have failed are not asked first in the next call, and again when a probe has found them well', async () => {
  using _clock = new HastyClock();
  const health = new ServiceHealth();
  const refuse = (fake: FakeDeepgram) => fake.refuse(503, 'overloaded');
  await using call = await startEars({
    fakes: [{ texts: ['One.'], prepare: refuse }, { texts: ['Two.', 'Two.'] }],
    health,
  });
  await call.hear(silence(500));
  await call.hear(loud(500));
  await call.hear(silence(1_000));
  await until(() => call.words.finals.length === 1);
  const [first] = call.fakes as [FakeDeepgram];
  expect(new EarsInTurn(call.sources, health).model).toBe('ears-2');
  first.recover();
  await until(() => health.failing.length === 0);
  expect(first.session.audioMs).toBeGreaterThan(0);
  expect(new EarsInTurn(call.sources, health).model).toBe('ears-1');
});

test('a vendor that says when to come back is not asked before', async () => {
  using _clock = new HastyClock();
  const failed = jest.spyOn(ServiceHealth.prototype, 'failed');
  const prepare = (fake: FakeDeepgram) => fake.refuse(429, 'too many', 20);
  await using call = await startEars({ fakes: [{ prepare }, { texts: ['Two.'] }] });
  await call.hear(loud(500));
  await call.hear(silence(1_000));
  await until(() => call.words.finals.length === 1);
  expect(failed).toHaveBeenCalledWith(
    expect.objectContaining({ model: 'ears-1' }),
    expect.anything(),
    undefined,
    20_000,
  );
  failed.mockRestore();
});

test('the third ears listen where the second fail, too', async () => {
  using _clock = new HastyClock();
  const refuse = (fake: FakeDeepgram) => fake.refuse(503, 'overloaded');
  const hold = (fake: FakeDeepgram) => fake.hold(new Promise(() => {}));
  await using call = await startEars({ fakes: [{ prepare: refuse }, { prepare: hold }, { texts: [SENTENCE] }] });
  await call.hear(loud(1_600));
  await call.hear(silence(1_000));
  await until(() => call.words.finals.length === 1);
  expect(call.words.finals).toEqual([SENTENCE]);
  expect(call.switches).toMatchObject([{ from: { model: 'ears-1' }, to: { model: 'ears-3' } }]);
});

test('when all have failed, that is told once, as of one', async () => {
  using _clock = new HastyClock();
  const refuse = (fake: FakeDeepgram) => fake.refuse(503, 'overloaded');
  await using call = await startEars({ fakes: [{ prepare: refuse }, { prepare: refuse }] });
  await call.hear(loud(400));
  await until(() => call.words.errors.length > 0);
  await call.hear(silence(500));
  expect(call.words.errors).toMatchObject([{ error: { code: 'VB_PROVIDER_FAILED', isFinal: true, status: 503 } }]);
  expect(call.words.finals).toEqual([]);
  expect(call.health.failing.map(({ model }) => model).toSorted()).toEqual(['ears-1', 'ears-2']);
  expect(sharedHealth.failing.filter(({ model }) => model?.startsWith('ears-'))).toEqual([]); // the list is no service
});

test('ears that failed once may be needed again: they go on when the next fail later', async () => {
  using _clock = new HastyClock();
  await using call = await startEars({ fakes: [{ texts: [SENTENCE, 'Goodbye.'] }, { texts: [SENTENCE] }] });
  const [first, second] = call.fakes as [FakeDeepgram, FakeDeepgram];
  await call.hear(silence(1_200));
  first.refuse(503, 'overloaded');
  first.dropConnections();
  await call.hear(loud(1_600));
  await call.hear(silence(1_000));
  await until(() => call.words.finals.length === 1);
  first.recover();
  await second.close();
  await call.hear(loud(500));
  await call.hear(silence(1_500));
  await until(() => call.words.finals.length === 2);
  expect(call.words.finals[0]).toBe(SENTENCE);
  expect(call.switches.map(({ from, to }) => [from.model, to.model])).toEqual([
    ['ears-1', 'ears-2'],
    ['ears-2', 'ears-1'],
  ]);
});

test('ears that tell nothing of a sentence are joined by the next, whose words count', async () => {
  using _clock = new HastyClock();
  await using call = await startEars({ fakes: [{}, { texts: [SENTENCE] }] });
  await call.hear(silence(1_200));
  call.voice(true);
  await call.hear(loud(1_600));
  call.voice(false);
  await call.hear(silence(2_500));
  await until(() => call.words.finals.length === 1);
  expect(call.words.finals).toEqual([SENTENCE]);
  expect(call.switches).toMatchObject([{ to: { model: 'ears-2' } }]);
});

test('a cough costs a second connection for a moment, and not one for each cough', async () => {
  using _clock = new HastyClock();
  await using call = await startEars({ fakes: [{}, {}] });
  await call.hear(silence(1_200));
  for (let coughs = 0; coughs < 3; coughs += 1) {
    call.voice(true);
    await call.hear(loud(100));
    call.voice(false);
    await call.hear(silence(6_000));
  }
  expect(call.fakes[1]?.sessions).toHaveLength(1);
  expect(call.fakes[1]?.session.isOpen).toBe(false);
  expect(call.switches).toEqual([]);
  expect(call.health.failing).toEqual([]);
});

test('when the call is over, no connection is left, and nothing is told any more', async () => {
  using _clock = new HastyClock();
  const call = await startEars({ fakes: [{ prepare: (fake) => fake.hold(new Promise(() => {})) }, {}] });
  await call.hear(silence(800));
  await until(() => call.fakes[1]?.sessions.length === 1);
  await call.task.cancel();
  await call.fakes[1]?.session.closed;
  await until(() => call.fakes[0]?.open === 0);
  expect(call.switches).toEqual([]);
  await call[Symbol.asyncDispose]();
});

test('of a turn of 20 seconds the next ears hear all, where those before ask for so much to be kept', async () => {
  using _clock = new HastyClock();
  await using fake = await FakeDeepgram.start({ texts: [SENTENCE] });
  let listener: EarListener | undefined;
  const first: EarSource = {
    provider: 'Flux',
    backlogMs: 30_000,
    create: (_rate, its) => {
      listener = its;
      return { droppedMs: 0, write: () => {}, close: () => {} };
    },
  };
  const second = socketEars(new QuickDialect({ apiKey: KEY, baseUrl: fake.url }), 4_000);
  const finals: string[] = [];
  const ears = new EarsInTurn([first, second], new ServiceHealth()).create(8_000, {
    interim: () => {},
    final: (text) => finals.push(text),
    endOfTurn: () => {},
    troubled: () => {},
  });
  for (let ms = 0; ms < 20_000; ms += 100) ears.write(loud(100));
  listener?.troubled(new ProviderError('Flux', 'VB_PROVIDER_FAILED', 'is gone').asFinal());
  ears.write(silence(1_500));
  await until(() => finals.length === 1);
  expect(fake.session.audioMs).toBeCloseTo(21_500, -2);
  expect([finals, ears.droppedMs]).toEqual([[SENTENCE], 0]);
  ears.close();
});
