import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecording } from './recording.js';
import { type CliEvent, type Served, Voicebot } from './voicebot.js';

const [BUSY, HANGS_UP] = ['+12025550102', '+12025550107'];

let home: string;
let served: Served;
const open: Voicebot[] = [];
// Calls take their time, so all of them are made at once, and each test looks at one.
let called: Voicebot;
let dialled: Voicebot;
let busy: Voicebot;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-e2e-'));
  served = await Voicebot.serve(undefined, { home }, ['--warm', '2']);
  called = start(['call', '--record', join(home, 'demo.wav'), '--dtmf', 'w3 1 w2 9']);
  dialled = start(['dialout', HANGS_UP, '--wait']);
  busy = start(['dialout', BUSY, '--wait']);
}, 30_000);

afterAll(async () => {
  for (const voicebot of open) await voicebot[Symbol.asyncDispose]();
  await served?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
}, 30_000);

function start(args: string[]): Voicebot {
  const voicebot = new Voicebot([...args, '--port', `${served.port}`], { home });
  open.push(voicebot);
  return voicebot;
}

const found = ({ events }: Voicebot, name: string): CliEvent | undefined =>
  events.all.find(({ event }) => event === name);

test('the demo bot greets, tells the time, says goodbye and hangs up', async () => {
  expect(await called.exit).toBe(0);
  expect(found(called, 'ended')).toMatchObject({ succeeded: true, isAnswered: true, endReason: 'bot_ended' });
  const keys = called.events.all.filter(({ event }) => event === 'key_pressed');
  expect(keys).toMatchObject([
    { digit: '1', atMs: 3_000 },
    { digit: '9', atMs: 5_100 },
  ]);
  const { caller, bot } = readRecording(join(home, 'demo.wav'));
  for (const [fromMs, toMs] of [
    [0, 3_000],
    [3_000, 5_100],
    [5_100, bot.durationMs],
  ] as const) {
    expect(bot.audibleMs(fromMs, toMs)).toBeGreaterThan(400);
    expect(bot.rangeDb(fromMs, toMs)).toBeGreaterThan(12); // speech goes up and down, a tone does not
  }
  expect(caller.audibleMs()).toBe(0);
}, 30_000);

test('it calls a number, and talks until the other side hangs up', async () => {
  expect(await dialled.exit).toBe(0);
  expect(found(dialled, 'ended')).toMatchObject({ succeeded: true, endReason: 'caller_hung_up' });
}, 30_000);

test('a number that is busy: exit 8', async () => {
  expect(await busy.exit).toBe(8);
  expect(found(busy, 'ended')).toMatchObject({ succeeded: false, endReason: 'busy' });
  expect(found(busy, 'error')).toMatchObject({ code: 'VB_CALL_FAILED' });
}, 30_000);
