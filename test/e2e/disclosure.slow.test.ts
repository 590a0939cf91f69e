import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../cli/in-process.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { type StartOptions, Voicebot } from './voicebot.js';

const GERMAN = '+4930901820';
const MISSING = { code: 'VB_DISCLOSURE_MISSING', message: expect.stringContaining('callees in DE must be told so') };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-disclosure-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const settings = { VOICEBOT_DIAL_COUNTRIES: 'US,DE', VOICEBOT_RING_SECONDS: '5' };
const serve = (bot: string, environment: StartOptions['environment'] = settings) =>
  Voicebot.serve(`test/e2e/bots/${bot}`, { home, environment });

async function dialout(port: number) {
  const args = ['dialout', GERMAN, '--port', `${port}`, '--json'];
  const { exitCode, events } = await command(args, home, { VOICEBOT_HOME: home }).finished;
  return { exitCode, error: events.find(({ event }) => event === 'error') };
}

async function start(url: string) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/start`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ phone_number: GERMAN }),
  });
  return { status: response.status, body: (await response.json()) as object };
}

test('sentences that cannot be said are all told at the start: exit 3', async () => {
  const bot = join(PACKAGE_ROOT, 'test/e2e/bots/misdisclosing.ts');
  const args = ['run', bot, '--transport', 'carrier', '--sandbox', '--port', '0', '--json'];
  const { PATH } = process.env;
  const { exitCode, events } = await command(args, home, { PATH, VOICEBOT_HOME: home }).finished;
  expect(exitCode).toBe(3);
  const [error] = events.filter(({ event }) => event === 'error');
  expect(error).toMatchObject({ code: 'VB_CONFIG_INVALID' });
  for (const problem of [
    'disclosure.text.en must have words',
    'disclosure.text.fr takes about 23 s to say: at most 20 s',
    "disclosure.text.fr is in French (fr), which the bot's voice does not speak",
    "disclosure.text.de is in German (de), which the bot's voice does not speak",
    'record.notice takes about 23 s to say: at most 20 s',
  ])
    expect(error?.message).toContain(problem);
}, 60_000);

test('a number of the Union is refused by dialout and POST /start, with all that would have it dialled', async () => {
  await using served = await serve('greeter.ts');
  const { exitCode, error } = await dialout(served.port);
  expect({ exitCode, error }).toMatchObject({ exitCode: 8, error: MISSING });
  expect(error?.hint).toContain('disclosure: { text:');
  const { status, body } = await start(served.url);
  expect({ status, body }).toMatchObject({ status: 403, body: { error: MISSING } });
}, 60_000);

test('a bare function is told that only the setting helps it, and with the setting the number is dialled', async () => {
  {
    await using served = await serve('bare.ts');
    expect(await dialout(served.port)).toMatchObject({ exitCode: 8, error: MISSING });
    const { error } = await dialout(served.port);
    expect(error?.hint).toContain('VOICEBOT_DISCLOSURE_NOT_NEEDED=reason');
    expect(error?.hint).toContain('bare function');
  }
  await using served = await serve('bare.ts', { ...settings, VOICEBOT_DISCLOSURE_NOT_NEEDED: 'it says so itself' });
  expect(await start(served.url)).toMatchObject({ status: 202 });
}, 90_000);
