/** What the demo takes for a sentence of the caller's, and what not: noise, the tone of a key, the bot's own voice. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { generateDtmf } from '../../src/base/audio/dtmf.js';
import { encodeWav } from '../../src/base/audio/wav.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { testScenarios } from '../e2e/tested-scenarios.js';
import { TemplateUnderTest } from './template-under-test.js';

const ECHO_DELAY_FRAMES = 10;

const folder = mkdtempSync(join(tmpdir(), 'voicebot-demo-ears-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a recording of a key that is held, with silence behind it. */
function putTone(name: string, durationMs: number, silenceMs: number): string {
  const pcm = new Int16Array((durationMs + silenceMs) * 8);
  pcm.set(generateDtmf('1', { durationMs, levelDb: -20 }));
  writeFileSync(join(folder, name), encodeWav({ sampleRate: 8_000, channels: [pcm], encoding: 'L16' }));
  return name;
}

const SCENARIOS = [
  {
    name: 'noise that does not end is answered twice, and then with goodbye',
    limit: '95s', // three times the patience, and not four times
    caller: [{ repeat: [{ play: putTone('noise.wav', 1_000, 4_000), talkOver: true }] }],
    expect: {
      heard: ['only understand the keys', 'only understand the keys', 'Goodbye'],
      end: 'bot_ended',
    },
  },
  ...[300, 600].map((ms) => ({
    name: `a key that sounds for ${ms} ms is answered to the end`,
    caller: [
      { press: '1', during: 'Press 1 for the time' },
      { play: putTone(`key-${ms}.wav`, ms, 0), talkOver: true },
      { hear: '/It is .* or 9 to hang up/' },
      { press: '9' },
    ],
    expect: {
      heard: ['/It is .* or 9 to hang up/', 'Goodbye'],
      notHeard: ['only understand the keys'],
      end: 'bot_ended',
    },
  })),
  {
    name: 'a caller who talks to the echo and presses a key hears the menu to the end',
    caller: [
      { press: '2', during: 'Press 1 for the time' },
      { play: putTone('talk.wav', 1_500, 0), during: 'Press any key' },
      { press: '5', talkOver: true },
      { hear: 'or 9 to hang up' },
      { press: '9' },
    ],
    expect: { heard: ['or 9 to hang up', 'Goodbye'], notHeard: ['only understand the keys'], end: 'bot_ended' },
  },
];

test('noise, and the tones of keys', async () => {
  const bot = join(PACKAGE_ROOT, 'templates/demo/bot.ts');
  writeFileSync(join(folder, 'ears.yaml'), stringify({ bot, scenarios: SCENARIOS }));
  const outcome = await testScenarios([folder], ['--speed']);
  expect(outcome).toEqual({ exitCode: 0, passed: SCENARIOS.length, notRun: 0, failed: [] });
}, 300_000);

test('the demo does not answer its own echo', async () => {
  await using demo = await TemplateUnderTest.start('demo', { transport: 'carrier', replies: {} });
  await using caller = await demo.caller();
  const { phone } = caller;
  phone.says = () => phone.heard.all.at(-ECHO_DELAY_FRAMES) ?? new Uint8Array(160).fill(0xff);
  await caller.begins();
  await caller.quiet(20_000);
  const quietMs = caller.heardMs;
  await phone.heard.next(() => caller.heardMs > quietMs + 3_000, 10_000);
  expect(caller.heard.audibleMs(quietMs)).toBe(0);
}, 60_000);
