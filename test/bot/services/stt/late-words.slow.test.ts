import type { FakeDeepgram } from '../../../../src/lab/kit/index.js';
import { HastyClock } from '../../../hasty-clock.js';
import { BROKEN_EARS, type EarFailures, refusedEars } from './ear-failures.js';
import { loud, silence, startEars } from './start-ears.js';
import { until } from './start-stt.js';

const SENTENCE = 'I would like a table for two.';
const VOICE_MS = 1_500;
/** The longest that a failure may delay words beyond what the new ears need by themselves, in milliseconds. */
const MOST_ADDED_MS = 700;

const FAILURES: EarFailures = {
  ...BROKEN_EARS,
  401: refusedEars(401),
  429: refusedEars(429),
  503: refusedEars(503),
};

/** @param failAtMs after the beginning of the voice. @returns how long after the voice the final words came, in milliseconds */
async function lateness(
  fail: (fake: FakeDeepgram) => void,
  failAtMs: number,
): Promise<{ ms: number; without?: number }> {
  using _clock = new HastyClock();
  const texts = [SENTENCE];
  await using call = await startEars({ fakes: [{ texts }, { texts }] });
  await call.hear(silence(1_500));
  const spokenMs = Math.min(failAtMs, VOICE_MS);
  await call.hear(loud(spokenMs));
  const failNow = () => fail(call.fakes[0] as FakeDeepgram);
  if (failAtMs <= VOICE_MS) failNow();
  await call.hear(loud(VOICE_MS - spokenMs));
  const endedAt = performance.now();
  if (failAtMs > VOICE_MS) {
    await call.hear(silence(failAtMs - VOICE_MS));
    failNow();
  }
  const rest = call.hear(silence(3_000));
  await until(() => call.words.finals.length > 0);
  const ms = performance.now() - endedAt;
  await rest;
  expect(call.words.finals).toEqual(texts);
  return { ms, ...(call.switches[0] && { without: call.switches[0].ms }) };
}

const table: string[] = [];
let healthyMs = 0;
beforeAll(async () => {
  healthyMs = (await lateness(() => {}, 0)).ms;
  table.push(`nothing fails: final words ${Math.round(healthyMs)} ms after the voice`);
});
afterAll(() => {
  process.stderr.write(`\n${table.join('\n')}\n`);
});

test.each(
  Object.entries(FAILURES).flatMap(([name, fail]) =>
    [0, 100, 800, VOICE_MS, VOICE_MS + 100].map((failAtMs) => ({ name, fail, failAtMs })),
  ),
)(
  'ears that are $name $failAtMs ms after the voice began delay no words by more than 700 ms',
  async ({ name, fail, failAtMs }) => {
    const { ms, without } = await lateness(fail, failAtMs);
    table.push(
      `${name.padEnd(16)} at ${failAtMs} ms: final words ${Math.round(ms)} ms after the voice, none worked for ${without} ms`,
    );
    expect(ms - healthyMs).toBeLessThanOrEqual(MOST_ADDED_MS);
  },
);
