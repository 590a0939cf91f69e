import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../cli/in-process.js';
import { type CliEvent, type Served, Voicebot } from './voicebot.js';

interface DialledCall {
  readonly exitCode: number | null;
  readonly end: CliEvent | undefined;
  readonly error: CliEvent | undefined;
}

const SETTINGS = {
  VOICEBOT_DIAL_AT_ONCE: '20',
  VOICEBOT_DIAL_PER_MINUTE: '100',
  VOICEBOT_RING_SECONDS: '6',
  VOICEBOT_MACHINE_DETECTION: 'hangup',
};
const DATA = { user: { firstName: 'Ådå', plan: '+/=&' }, campaign: 7 };

/** What each of the sandbox's numbers does, and what the command says of it. */
const NUMBERS: ReadonlyArray<[does: string, number: string, reason: string, exitCode: number]> = [
  ['answers and talks', '+12025550101', 'bot_ended', 0],
  ['is busy', '+12025550102', 'busy', 8],
  ['does not answer', '+12025550103', 'no_answer', 8],
  ['declines', '+12025550104', 'rejected', 8],
  ['is a voicemail', '+12025550105', 'voicemail', 8],
  ['screens its calls', '+12025550106', 'bot_ended', 0],
  ['hangs up after three seconds', '+12025550107', 'caller_hung_up', 0],
  ['cannot be transferred to', '+12025550108', 'bot_ended', 0],
  ['is nobody in particular', '+15551234567', 'bot_ended', 0],
];

let home: string;
let served: Served;
const open: Voicebot[] = [];
// Calls take their time, so all of them are made at once, and each test looks at one.
const calls = new Map<string, Promise<DialledCall>>();

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-dial-'));
  served = await Voicebot.serve('test/e2e/bots/greeter.ts', { home, environment: SETTINGS }, ['--warm', '4']);
  for (const [, number] of NUMBERS) {
    const call = dialOut(number);
    call.catch(() => {}); // told by the test that waits for it
    calls.set(number, call);
  }
}, 30_000);

afterAll(async () => {
  await Promise.allSettled(calls.values());
  for (const voicebot of open) await voicebot[Symbol.asyncDispose]();
  await served?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
}, 30_000);

async function dialOut(number: string): Promise<DialledCall> {
  const data = ['--body', JSON.stringify(DATA), '--query', `campaign_id=${number.slice(-4)}`];
  const args = ['dialout', number, '--port', `${served.port}`, '--wait', ...data];
  const { exitCode, events } = await command([...args, '--json'], home, { VOICEBOT_HOME: home }).finished;
  const find = (name: string) => events.find(({ event }) => event === name) as CliEvent | undefined;
  return { exitCode, end: find('ended'), error: find('error') };
}

test.each(NUMBERS)(
  'a number that %s (%s) ends with %s, and the command with %d',
  async (_, number, reason, exitCode) => {
    const call = (await calls.get(number)) as DialledCall;
    const error = exitCode === 0 ? undefined : expect.objectContaining({ code: 'VB_CALL_FAILED' });
    const end = expect.objectContaining({ endReason: reason, succeeded: exitCode === 0 });
    expect(call).toEqual({ exitCode, error, end });
  },
  30_000,
);

test('the custom data of a call and its parameters reach the bot', async () => {
  await Promise.all(calls.values());
  const said = served.events.all.filter(({ event }) => event === 'bot_output').map(({ line }) => String(line));
  const greeted = said
    .filter((line) => line.startsWith('greets'))
    .map((line) => JSON.parse(line.slice('greets '.length)));
  expect(greeted).toContainEqual({ to: '+15551234567', body: DATA, query: { campaign_id: '4567' } });
  expect(greeted.map(({ to }) => to)).not.toContain('+12025550102');
}, 30_000);

test('a number in another country is refused by name, and the setting that would allow it', async () => {
  const voicebot = new Voicebot(['dialout', '+442079460000', '--port', `${served.port}`], { home });
  open.push(voicebot);
  expect(await voicebot.exit).toBe(8);
  expect(voicebot.events.all).toContainEqual(
    expect.objectContaining({
      event: 'error',
      code: 'VB_TARGET_REFUSED',
      hint: expect.stringContaining('VOICEBOT_DIAL_COUNTRIES'),
    }),
  );
});
