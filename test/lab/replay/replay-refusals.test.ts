import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../../cli/in-process.js';
import { callOf } from './recorded-call.js';

const { record } = callOf([], 1_000);

/** A state directory with folders of calls: name, and what `call.json` adds. */
function homeWith(folders: Readonly<Record<string, object>>): string {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-replay-refusals-'));
  for (const [name, changes] of Object.entries(folders)) {
    mkdirSync(join(home, 'calls', name), { recursive: true });
    writeFileSync(join(home, 'calls', name, 'call.json'), JSON.stringify({ version: 1, ...record, ...changes }));
  }
  return home;
}

async function replay(home: string, ...args: string[]) {
  const { exitCode, events } = await command(['replay', ...args, '--json'], home, { VOICEBOT_HOME: home }).finished;
  const { code, message } = events.at(-1) as { code: string; message: string };
  return [exitCode, code, message];
}

test.each([
  ['a call that nobody knows', ['gone'], /there is no folder of a call gone/],
  ['a beginning that several calls have', ['one'], /2 calls begin with one: one-b, one-a/],
  ['a folder of something else', ['.'], /is not the folder of a call/],
  [
    'a folder that holds nothing of a call',
    ['one-a'],
    /holds nothing that could be replayed: events\.ndjson is missing/,
  ],
  ['a call that goes on', ['two'], /the call two goes on/],
])('%s is refused with exit code 2', async (_, args, says) => {
  const live = { id: 'two', state: 'connected', endedAt: undefined, endReason: undefined };
  const home = homeWith({ '2026-01-31-one-a': {}, '2026-01-31-one-b': {}, '2026-01-31-two': live });
  expect(await replay(home, ...args)).toEqual([2, 'VB_REQUEST_INVALID', expect.stringMatching(says)]);
});

test('options that contradict each other are refused, all at once', async () => {
  const options = ['--real', '--recorded', '--carrier', 'twilio', '--transport', 'rooms', '--save', 'x.ts'];
  const [exitCode, code, message] = await replay(homeWith({}), 'x', ...options);
  expect([exitCode, code]).toEqual([2, 'VB_USAGE']);
  for (const part of ['--real and --recorded', '--carrier means nothing', '--save writes a .yaml'])
    expect(message).toContain(part);
});
