import { joinSamples } from '../../src/base/audio/join-samples.js';
import { levelDb } from '../../src/base/audio/level.js';
import { decodeMulaw } from '../../src/base/audio/mulaw.js';
import { RunnerOnSandbox } from './runner-on-sandbox.js';
import { botFile } from './runner-under-test.js';

test('a bot on wideband streams hears and is heard, and is recorded, at their rate', async () => {
  const heard: Int16Array[] = [];
  await using served = await RunnerOnSandbox.start({
    botFile: botFile('wideband.ts'),
    isWideband: true,
    recording: 'unless_refused',
    sandbox: { overhear: (_number, frame) => heard.push(decodeMulaw(frame)) },
  });
  await served.startedCall({ phone_number: '+12025550101' });
  await served.nextRecord({ state: 'ended' }, 14_000);
  expect(
    served.noted.some((event) => event.type === 'document' && event.document.includes('audio/x-l16;rate=16000')),
  ).toBe(true);
  const told = JSON.parse(served.output.all.find((line) => line.startsWith('{')) ?? '{}');
  expect(told.rates.at(-1)).toBe('320 at 16000');
  const tone = joinSamples(heard.filter((frame) => levelDb(frame) > -20));
  expect(tone.length).toBeGreaterThan(8_000 * 0.9);
  const crossings = tone.filter((sample, n) => sample >= 0 && (tone[n - 1] ?? 0) < 0).length;
  expect((crossings * 8_000) / tone.length / 1_000).toBeCloseTo(1, 1);
  expect(served.noted).toContainEqual(
    expect.objectContaining({ type: 'recording', is: 'started', sampleRate: 16_000 }),
  );
});
