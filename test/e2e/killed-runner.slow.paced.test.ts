import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../src/base/audio/wav.js';
import { concat, sine } from '../base/audio/signals.js';
import { isAlive, until } from './processes.js';
import { readRecording } from './recording.js';
import { Voicebot } from './voicebot.js';

const LISTENS_MS = 2_500;
const KILL_AT_MS = 4_000;

test('when the runner is killed the call goes on to its end, and then everything ends', async () => {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-e2e-'));
  const [wav, record] = [join(home, 'tone.wav'), join(home, 'call.wav')];
  const tone = concat(new Int16Array((8_000 * LISTENS_MS) / 1_000), sine(440, 8_000, 80_000));
  writeFileSync(wav, encodeWav({ sampleRate: 8_000, channels: [tone], encoding: 'L16' }));
  await using served = await Voicebot.serve('templates/echo/bot.ts', { home }, ['--warm', '1']);
  await until(async () => (await served.readyBots()) === 1, 'a bot is warm');
  const saying = ['--wav', wav, '--talk-over', '--seconds', '8', '--dtmf', `w${KILL_AT_MS / 1_000} 1`];
  await using caller = new Voicebot(['call', '--port', `${served.port}`, '--record', record, ...saying], { home });

  await caller.event('key_pressed');
  const orphans = served.children();
  served.signal('SIGKILL');

  expect(await caller.exit).toBe(0);
  const end = caller.events.all.find(({ event }) => event === 'ended');
  expect(end).toMatchObject({ succeeded: true, source: 'Caller' });
  expect(end).not.toHaveProperty('endReason'); // nobody is left who could tell
  const { bot } = readRecording(record);
  expect(bot.durationMs).toBeGreaterThanOrEqual(8_000);
  const firstMs = bot.firstAudibleMs() ?? Number.POSITIVE_INFINITY;
  expect(firstMs).toBeLessThan(KILL_AT_MS - 500);
  const gapMs = bot.longestGapMs(firstMs, bot.durationMs);
  process.stderr.write(`  runner killed: largest gap ${gapMs} ms\n`);
  expect(gapMs).toBeLessThanOrEqual(250);
  expect(orphans.length).toBeGreaterThanOrEqual(2); // the sandbox and the bot
  await until(() => !orphans.some(isAlive), 'the bot and the sandbox end after the call');
  rmSync(home, { recursive: true });
}, 60_000);
