import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { readRecording, type Side } from '../e2e/recording.js';
import { type CliEvent, type Served, Voicebot } from '../e2e/voicebot.js';

interface FinishedCall {
  readonly exitCode: number | null;
  /** How the call ended. */
  readonly end: CliEvent | undefined;
}

const MAX_LINES = 80;
const TEMPLATES = ['rooms-dialin', 'rooms-dialout', 'cold-transfer'] as const;
const OPERATOR = '+12025550101';
/** The sandbox's number that is always busy. */
const BUSY = '+12025550102';
const HANGS_UP = '+12025550107';

let home: string;
const open: Voicebot[] = [];
const served = {} as Record<(typeof TEMPLATES)[number], Served>;
// Calls take their time, so all of them are made at once, and each test looks at one.
let calls: Record<'transferred' | 'goodbye' | 'busyTransfer' | 'message' | 'busy', Promise<FinishedCall>>;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-templates-'));
  for (const name of TEMPLATES) {
    const environment = { OPERATOR_NUMBER: name === 'cold-transfer' ? BUSY : OPERATOR };
    const options = { home, environment, transport: 'rooms' } as const;
    served[name] = await Voicebot.serve(`templates/${name}/bot.ts`, options, ['--warm', '1']);
    open.push(served[name]);
  }
  calls = {
    transferred: call('rooms-dialin', 'transferred', ['--dtmf', 'w3 0', '--seconds', '16']),
    goodbye: call('rooms-dialin', 'goodbye', ['--dtmf', 'w4 9']),
    busyTransfer: call('cold-transfer', 'busy', ['--dtmf', 'w3 0', '--seconds', '18']),
    message: finish('rooms-dialout', ['dialout', HANGS_UP, '--wait']),
    busy: finish('rooms-dialout', ['dialout', BUSY, '--wait']),
  };
  for (const finished of Object.values(calls)) finished.catch(() => {}); // told by the test that waits for it
}, 60_000);

afterAll(async () => {
  await Promise.allSettled(Object.values(calls ?? {}));
  for (const voicebot of open) await voicebot[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
}, 30_000);

const recording = (name: string) => join(home, `${name}.wav`);

/** Places a call that is recorded. */
const call = (template: (typeof TEMPLATES)[number], name: string, args: string[]) =>
  finish(template, ['call', '--record', recording(name), ...args]);

async function finish(template: (typeof TEMPLATES)[number], args: string[]): Promise<FinishedCall> {
  const voicebot = new Voicebot([...args, '--port', `${served[template].port}`], { home });
  open.push(voicebot);
  const exitCode = await voicebot.exit;
  return { exitCode, end: voicebot.events.all.find(({ event }) => event === 'ended') };
}

const heard = (name: string): Side => readRecording(recording(name)).bot;

/** Whether the bot has written this line. */
const hasSaid = (template: (typeof TEMPLATES)[number], line: string) =>
  served[template].events.all.some((event) => event.event === 'bot_output' && String(event.line).includes(line));

test.each(TEMPLATES)('%s is short enough to be read at once', (name) => {
  const lines = readFileSync(join(PACKAGE_ROOT, 'templates', name, 'bot.ts'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
});

test('every template is called, here or as a bot for streams', () => {
  expect(readdirSync(join(PACKAGE_ROOT, 'templates')).sort()).toEqual([...TEMPLATES, 'demo', 'echo'].sort());
});

test('rooms-dialin connects the caller with the operator', async () => {
  const { end, exitCode } = await calls.transferred;
  expect(end).toMatchObject({ succeeded: true, endReason: 'transferred' });
  expect(exitCode).toBe(0);
  expect(hasSaid('rooms-dialin', 'transfer to the operator: answered')).toBe(true);
  expect(heard('transferred').audibleMs(8_000)).toBeGreaterThan(1_000); // the operator
}, 30_000);

test('rooms-dialin says goodbye and hangs up', async () => {
  const { end, exitCode } = await calls.goodbye;
  expect(end).toMatchObject({ succeeded: true, endReason: 'bot_ended' });
  expect(exitCode).toBe(0);
  expect(heard('goodbye').audibleMs(4_200)).toBeGreaterThan(1_000);
}, 30_000);

test('cold-transfer goes on with a caller whose destination is busy', async () => {
  const { end, exitCode } = await calls.busyTransfer;
  expect(end).toMatchObject({ succeeded: true, endReason: 'caller_hung_up' });
  expect(exitCode).toBe(0);
  expect(hasSaid('cold-transfer', `transfer to ${BUSY}: busy`)).toBe(true);
  expect(heard('busy').audibleMs(9_000)).toBeGreaterThan(1_500); // that it is busy, and the greeting again
}, 30_000);

test('rooms-dialout speaks to who answers, and ends when they hang up', async () => {
  const { end, exitCode } = await calls.message;
  expect(end).toMatchObject({ succeeded: true, endReason: 'caller_hung_up' });
  expect(exitCode).toBe(0);
}, 30_000);

test('rooms-dialout ends when the number is busy', async () => {
  const { end, exitCode } = await calls.busy;
  expect(end).toMatchObject({ succeeded: false, endReason: 'busy' });
  expect(exitCode).toBe(8);
  expect(hasSaid('rooms-dialout', 'not reached: Busy')).toBe(true);
}, 30_000);
