import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOMS_CLIENTS } from '../runner/rooms-on-sandbox/rooms-on-sandbox.js';
import { readRecording, type Side } from './recording.js';
import { type CliEvent, type Served, Voicebot } from './voicebot.js';

interface FinishedCall {
  readonly exitCode: number | null;
  /** How the call ended. */
  readonly end: CliEvent | undefined;
}

/** Bots for rooms that play recorded prompts and listen to keys. */
const BOTS = ['menu', 'message', 'reception'] as const;
type BotName = (typeof BOTS)[number];
const OPERATOR = '+12025550101';
/** The sandbox's number that is always busy. */
const BUSY = '+12025550102';
const HANGS_UP = '+12025550107';

let home: string;
const open: Voicebot[] = [];
const served = {} as Record<BotName, Served>;
// Calls take their time, so all of them are made at once, and each test looks at one.
let calls: Record<'transferred' | 'goodbye' | 'busyTransfer' | 'message' | 'busy', Promise<FinishedCall>>;

const recording = (name: string) => join(home, `${name}.wav`);

/** Places a call that is recorded. */
const call = (bot: BotName, name: string, args: string[]) =>
  finish(bot, ['call', '--record', recording(name), ...args]);

async function finish(bot: BotName, args: string[]): Promise<FinishedCall> {
  const voicebot = new Voicebot([...args, '--port', `${served[bot].port}`], { home });
  open.push(voicebot);
  const exitCode = await voicebot.exit;
  return { exitCode, end: voicebot.events.all.find(({ event }) => event === 'ended') };
}

const heard = (name: string): Side => readRecording(recording(name)).bot;

/** Whether the bot has written this line. */
const hasSaid = (bot: BotName, line: string) =>
  served[bot].events.all.some((event) => event.event === 'bot_output' && String(event.line).includes(line));

describe.each(ROOMS_CLIENTS)('where bots join with the %s client', (client) => {
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'voicebot-menus-'));
    for (const name of BOTS) {
      const environment = { ROOMS_CLIENT: client, OPERATOR_NUMBER: name === 'reception' ? BUSY : OPERATOR };
      const options = { home, environment, transport: 'rooms' } as const;
      served[name] = await Voicebot.serve(`test/e2e/bots/${name}/bot.ts`, options, [
        '--warm',
        name === 'menu' ? '2' : '1',
      ]);
      open.push(served[name]);
    }
    calls = {
      transferred: call('menu', 'transferred', ['--dtmf', 'w5 0', '--seconds', '20']),
      // Twice: on a busy machine nobody listens yet at the first time.
      goodbye: call('menu', 'goodbye', ['--dtmf', 'w5 9 w6 9', '--seconds', '20']),
      busyTransfer: call('reception', 'busy', ['--dtmf', 'w5 0', '--seconds', '22']),
      message: finish('message', ['dialout', HANGS_UP, '--wait']),
      busy: finish('message', ['dialout', BUSY, '--wait']),
    };
    for (const finished of Object.values(calls)) finished.catch(() => {}); // told by the test that waits for it
  }, 60_000);

  afterAll(async () => {
    await Promise.allSettled(Object.values(calls ?? {}));
    for (const voicebot of open.splice(0)) await voicebot[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
  }, 30_000);

  test('a menu connects the caller with the operator', async () => {
    const { end, exitCode } = await calls.transferred;
    expect(end).toMatchObject({ succeeded: true, endReason: 'transferred' });
    expect(exitCode).toBe(0);
    expect(hasSaid('menu', 'transfer to the operator: answered')).toBe(true);
    expect(heard('transferred').audibleMs(10_000)).toBeGreaterThan(1_000); // the operator
  }, 30_000);

  test('a menu says goodbye and hangs up', async () => {
    const { end, exitCode } = await calls.goodbye;
    expect(end).toMatchObject({ succeeded: true, endReason: 'bot_ended' });
    expect(exitCode).toBe(0);
    expect(heard('goodbye').audibleMs(5_200)).toBeGreaterThan(1_000);
  }, 30_000);

  test('a reception goes on with a caller whose destination is busy', async () => {
    const { end, exitCode } = await calls.busyTransfer;
    expect(end).toMatchObject({ succeeded: true, endReason: 'caller_hung_up' });
    expect(exitCode).toBe(0);
    expect(hasSaid('reception', `transfer to ${BUSY}: busy`)).toBe(true);
    expect(heard('busy').audibleMs(11_000)).toBeGreaterThan(1_500); // that it is busy, and the greeting again
  }, 30_000);

  test('a message is spoken to who answers, and the call ends when they hang up', async () => {
    const { end, exitCode } = await calls.message;
    expect(end).toMatchObject({ succeeded: true, endReason: 'caller_hung_up' });
    expect(exitCode).toBe(0);
  }, 30_000);

  test('a call ends when the number is busy', async () => {
    const { end, exitCode } = await calls.busy;
    expect(end).toMatchObject({ succeeded: false, endReason: 'busy' });
    expect(exitCode).toBe(8);
    expect(hasSaid('message', 'not reached: Busy')).toBe(true);
  }, 30_000);
});
