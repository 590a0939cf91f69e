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
  expect(call.switches[0]?.why).toMatch(/^Provider failed: Deepgram: |^.*Deepgram: /);
  expect(call.health.failing).toMatchObject([{ does: 'speech_to_text', model: 'ears-1' }]);
  expect(call.words.errors).toEqual([]);
});
