import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav, type WavAudio } from '../../src/audio/wav.js';
import { concat, sine } from '../audio/signals.js';
import { speak, speechTest } from './espeak.js';
import { isAlive, until } from './processes.js';
import { readRecording, returnedShare, type Side } from './recording.js';
import { type CliEvent, type Served, Voicebot } from './voicebot.js';

interface FinishedCall {
  readonly exitCode: number | null;
  readonly events: readonly CliEvent[];
  /** The event that tells how the call ended. */
  readonly end: CliEvent | undefined;
  readonly caller: Side;
  readonly bot: Side;
}

const SENTENCE = 'The quick brown fox jumps over the lazy dog, and nobody minds at all.';

const SILENT_MS = 2_500;
const KILL_RUNNER_AT_MS = 4_000;

let home: string;
const open: Voicebot[] = [];
const figures: string[] = [];
// Calls take their time, so all of them are made at once, and each test looks at one.
let calls: Record<'echo' | 'botKilled' | 'runnerKilled' | 'crashing', Promise<FinishedCall>>;
/** What the runner that is killed leaves behind. */
let orphans: number[];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-e2e-'));
  const speech = join(home, 'speech.wav');
  writeFileSync(speech, afterSilence(speak(SENTENCE) ?? tone(1)));
  const [demo, echo, doomed, crashing] = await Promise.all([
    serve('test/e2e/bots/demo-with-pid.ts', 2),
    serve('templates/echo/bot.ts', 1),
    serve('templates/echo/bot.ts', 1),
    serve('test/e2e/bots/crash.mjs', 3),
  ]);
  calls = {
    echo: place(echo, 'echo', ['--wav', speech, '--talk-over', '--seconds', '8']).finished,
    botKilled: callAndKillBot(demo),
    runnerKilled: callAndKillRunner(doomed),
    crashing: place(crashing, 'crashing', []).finished,
  };
  for (const call of Object.values(calls)) call.catch(() => {}); // told by the test that waits for it
}, 30_000);

afterAll(async () => {
  await Promise.allSettled(Object.values(calls ?? {}));
  for (const voicebot of open) await voicebot[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
  process.stderr.write(figures.map((figure) => `  ${figure}\n`).join(''));
}, 30_000);

/** Starts a runner and waits until all its warm bots are there. */
async function serve(bot: string, warm: number): Promise<Served> {
  const served = await Voicebot.serve(bot, { home }, ['--warm', `${warm}`]);
  open.push(served);
  await until(async () => (await served.readyBots()) === warm, `${warm} warm bots of ${bot}`);
  return served;
}

/** Places a call that is recorded. */
function place({ port }: Served, name: string, args: string[]) {
  const record = join(home, `${name}.wav`);
  const voicebot = new Voicebot(['call', '--port', `${port}`, '--record', record, ...args], { home });
  open.push(voicebot);
  const finish = async (): Promise<FinishedCall> => {
    const exitCode = await voicebot.exit;
    const events = voicebot.events.all;
    return { exitCode, events, end: events.find(({ event }) => event === 'ended'), ...readRecording(record) };
  };
  return { voicebot, finished: finish() };
}

/** Kills the bot while it greets. */
async function callAndKillBot(demo: Served): Promise<FinishedCall> {
  const from = '+12025550177';
  const { voicebot, finished } = place(demo, 'bot-killed', ['--from', from, '--seconds', '6']);
  const { line } = await demo.events.next((event) => event.line?.endsWith(`serves ${from}`));
  await voicebot.event('bot_speaking');
  process.kill(Number.parseInt(line.slice('pid '.length), 10), 'SIGKILL');
  return await finished;
}

/** Kills the runner in the middle of the call, while the bot is heard: when the caller presses a key. */
async function callAndKillRunner(doomed: Served): Promise<FinishedCall> {
  const toneFile = join(home, 'tone.wav');
  writeFileSync(toneFile, afterSilence(tone(10)));
  const keys = ['--dtmf', `w${KILL_RUNNER_AT_MS / 1_000} 1`];
  const { voicebot, finished } = place(doomed, 'runner-killed', [
    '--wav',
    toneFile,
    '--talk-over',
    '--seconds',
    '8',
    ...keys,
  ]);
  await voicebot.event('key_pressed');
  orphans = doomed.children();
  doomed.signal('SIGKILL');
  return await finished;
}

function tone(seconds: number): WavAudio {
  return { sampleRate: 8_000, channels: [sine(440, 8_000, seconds * 8_000)] };
}

/** A WAV file in which the caller first listens for a while: until all the processes of this test have started. */
function afterSilence({ sampleRate, channels }: WavAudio): Uint8Array {
  const silence = new Int16Array((sampleRate * SILENT_MS) / 1_000);
  return encodeWav({ sampleRate, channels: [concat(silence, ...channels)], encoding: 'L16' });
}

/** When the call told this for the first time, in milliseconds from the answer. */
function timeOf(call: FinishedCall, event: string, fields: object = {}): number {
  const found = call.events.find(
    (candidate) =>
      candidate.event === event && Object.entries(fields).every(([name, value]) => candidate[name] === value),
  );
  if (!found) throw new Error(`no ${event} in ${JSON.stringify(call.events)}`);
  return found.atMs;
}

speechTest()('real speech comes back from the echo bot as it was said (needs espeak-ng)', async () => {
  const call = await calls.echo;
  expect(call.end).toMatchObject({ succeeded: true, endReason: 'caller_hung_up' });
  expect(call.exitCode).toBe(0);
  expect(call.caller.audibleMs()).toBeGreaterThan(2_500);
  const { share, delayMs } = returnedShare(call.caller.from(SILENT_MS), call.bot.from(SILENT_MS), 1_000);
  figures.push(`echo bot: ${Math.round(share * 100)} % came back, ${delayMs} ms later`);
  expect(share).toBeGreaterThanOrEqual(0.9);
});

test('when the bot is killed the caller hears another one', async () => {
  const call = await calls.botKilled;
  const killedAtMs = timeOf(call, 'progress', { hop: 'stream', ok: false });
  expect(call.bot.audibleMs(killedAtMs)).toBeGreaterThan(1_500);
  expect(call.end).toMatchObject({ succeeded: true, endReason: 'caller_hung_up' });
  expect(call.exitCode).toBe(0);
});

test('when the runner is killed the call goes on to its end, and then everything ends', async () => {
  const call = await calls.runnerKilled;
  expect(call.exitCode).toBe(0);
  expect(call.end).toMatchObject({ succeeded: true, source: 'Caller' });
  expect(call.end).not.toHaveProperty('endReason'); // nobody is left who could tell
  expect(call.bot.durationMs).toBeGreaterThanOrEqual(8_000);
  const firstMs = call.bot.firstAudibleMs() ?? Number.POSITIVE_INFINITY;
  expect(firstMs).toBeLessThan(KILL_RUNNER_AT_MS - 500);
  const gapMs = call.bot.longestGapMs(firstMs, call.bot.durationMs);
  figures.push(`runner killed: largest gap ${gapMs} ms`);
  expect(gapMs).toBeLessThanOrEqual(100);
  expect(orphans.length).toBeGreaterThanOrEqual(2); // the sandbox and the bot
  await until(() => !orphans.some(isAlive), 'the bot and the sandbox end after the call');
});

test('when every bot crashes the caller hears the recorded line, and the call counts as failed', async () => {
  const call = await calls.crashing;
  expect(call.end).toMatchObject({ succeeded: false, endReason: 'bot_crashed', source: 'Answer XML' });
  expect(call.exitCode).toBe(8);
  const apologyAtMs = timeOf(call, 'progress', { hop: 'play' });
  expect(call.bot.audibleMs(0, apologyAtMs)).toBe(0);
  expect(call.bot.audibleMs(apologyAtMs)).toBeGreaterThan(3_000);
  figures.push(`every bot crashed: recorded line ${apologyAtMs} ms after the answer`);
});
