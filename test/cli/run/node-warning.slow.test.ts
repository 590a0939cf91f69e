/** When commands warn of the Node.js that they run on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../in-process.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-node-'));
  writeFileSync(join(directory, 'bot.mjs'), 'export async function bot() {}\n');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const started = (args: string, nodeVersion: string) =>
  command(args.split(' '), directory, { VOICEBOT_HOME: directory }, '', undefined, nodeVersion);

const isAboutNode = ({ event, message }: Record<string, unknown>) =>
  event === 'problem' && String(message).startsWith('Node.js ');

test.each([
  ['20.20.2', 1],
  ['99.0.0', 0],
])(
  'run on Node.js %s: %i warnings',
  async (nodeVersion, count) => {
    const run = started('run bot.mjs --sandbox --port 0 --json', nodeVersion);
    await run.shown('"event":"ready"');
    process.emit('SIGINT', 'SIGINT');
    const { events } = await run.finished;
    expect(events.filter(isAboutNode)).toHaveLength(count);
  },
  60_000,
);

test('what makes calls to try a bot says nothing of it', async () => {
  const { events } = await started('load bot.mjs --calls 1 --seconds 5 --json', '20.20.2').finished;
  expect(events.map(({ event }) => event)).toContain('load_ended');
  expect(events.filter(isAboutNode)).toEqual([]);
}, 60_000);
