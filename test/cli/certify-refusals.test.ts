import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from './in-process.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voicebot-certify-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PLIVO = {
  CARRIER_AUTH_ID: 'MATESTTESTTESTTEST00',
  CARRIER_AUTH_TOKEN: 'token',
  CARRIER_PHONE_NUMBER: '+12025550100',
};

async function certify(args: readonly string[], environment: Record<string, string> = {}) {
  const given = { VOICEBOT_HOME: join(folder, 'home'), ...environment };
  const { exitCode, events } = await command(['certify', ...args, '--port', '0', '--json'], folder, given).finished;
  return { exitCode, error: events.find(({ event }) => event === 'error') };
}

test('refuses all that was typed wrong at once, before anything is asked', async () => {
  const { exitCode, error } = await certify([
    '--my-number',
    '555',
    '--only',
    'call-in,dance',
    '--sandbox',
    '--tunnel',
    'auto',
  ]);
  expect(exitCode).toBe(2);
  expect(error?.message).toContain('--my-number 555');
  expect(error?.message).toContain('dance is no step: there are call-in, bot-hangs-up');
  expect(error?.message).toContain('--sandbox is on this machine');
});

test('says what a tour needs where there is no account, and how to rehearse', async () => {
  const { exitCode, error } = await certify(['--yes']);
  expect(exitCode).toBe(3);
  expect(error).toMatchObject({ code: 'VB_CREDENTIALS_MISSING', next: 'npx voicebot certify --sandbox' });
  expect(error?.hint).toContain('Set CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN in .env');
  const ofTwilio = await certify(['--yes', '--carrier', 'twilio']);
  expect(ofTwilio.error?.hint).toContain('Set TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN in .env');
  const ofRooms = await certify(['--yes', '--transport', 'rooms']);
  expect(ofRooms.error?.hint).toContain('Set ROOMS_API_KEY in .env');
});

test('begins without a question only with --yes', async () => {
  const { exitCode, error } = await certify(['--my-number', '+12025550142'], PLIVO);
  expect(exitCode).toBe(2);
  expect(error).toMatchObject({ code: 'VB_USAGE', message: 'the tour was not begun' });
});

test('is taken by a runner that is alone', async () => {
  const { exitCode, error } = await certify(['--yes'], { ...PLIVO, VOICEBOT_CLUSTER: 'redis://127.0.0.1:1' });
  expect(exitCode).toBe(2);
  expect(error?.message).toContain('leave VOICEBOT_CLUSTER out');
});

test('writes into no folder that holds something else', async () => {
  mkdirSync(join(folder, 'taken'));
  writeFileSync(join(folder, 'taken', 'letter.txt'), 'Dear Ada');
  const { error } = await certify(['--yes', '--output', 'taken'], PLIVO);
  expect(error).toMatchObject({ code: 'VB_FILE_EXISTS' });
});

test('goes on with no folder that is none of a tour, and with none of another version', async () => {
  expect((await certify(['--yes', '--resume', 'none'], PLIVO)).error).toMatchObject({ code: 'VB_CONFIG_INVALID' });
  mkdirSync(join(folder, 'later'));
  writeFileSync(join(folder, 'later', 'steps.json'), JSON.stringify({ version: 2 }));
  const { error } = await certify(['--yes', '--resume', 'later'], PLIVO);
  expect(error?.message).toContain('is of another version of voicebot');
});
