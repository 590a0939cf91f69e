import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { openDatabase } from './database.js';

/** Numbers of the sandbox: two answer, one is busy. */
const CONTACTS = [
  ['1', '+12025550101', 'Ada'],
  ['2', '+12025550102', 'Ben'],
  ['3', '+12025550108', 'Cleo'],
];

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Resolves with the line that matches. */
async function line(stream, pattern) {
  const seen = [];
  for await (const each of createInterface({ input: stream })) {
    seen.push(each);
    if (pattern.test(each)) {
      stream.resume();
      return each;
    }
  }
  throw new Error(`it never said ${pattern}: ${seen.join('\n')}`);
}

test('each contact is called once and each event written once, also when the program is killed meanwhile', async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'campaign-database-'));
  let runner;
  context.after(async () => {
    runner?.kill('SIGINT');
    if (runner?.exitCode === null && runner.signalCode === null) await once(runner, 'exit');
    rmSync(home, { recursive: true, force: true });
  });
  const DATABASE = join(home, 'data');
  const database = await openDatabase(DATABASE);
  for (const contact of CONTACTS) await database.addContact(...contact);
  await database.close();

  const EVENTS_PORT = String(await freePort());
  const secrets = {
    VOICEBOT_TOKEN: randomBytes(24).toString('hex'),
    VOICEBOT_EVENTS_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  };
  const run = ['node_modules/voicebot/bin/voicebot.js', 'run', 'bot.js', '--sandbox', '--port', '0', '--json'];
  const VOICEBOT_EVENTS_URL = `http://127.0.0.1:${EVENTS_PORT}/`;
  runner = spawn(process.execPath, run, {
    env: { ...process.env, VOICEBOT_HOME: home, VOICEBOT_EVENTS_URL, ...secrets },
  });
  runner.stderr.pipe(process.stderr);
  const { url: VOICEBOT_URL } = JSON.parse(await line(runner.stdout, /"event":"ready"/));

  const start = () => {
    const env = { ...process.env, ...secrets, DATABASE, EVENTS_PORT, VOICEBOT_URL };
    return spawn(process.execPath, ['campaign.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  };
  const first = start();
  const killed = once(first, 'exit');
  await line(first.stdout, /^campaign /);
  first.kill('SIGKILL');
  await killed;
  const second = start();
  second.stdout.resume();
  assert.deepEqual(await once(second, 'exit'), [0, null]);

  const after = await openDatabase(DATABASE);
  const contacts = await after.contacts();
  const events = await after.events();
  await after.close();
  assert.deepEqual(
    contacts.map(({ id, outcome, attempts }) => [id, outcome, attempts]),
    [
      ['1', 'bot_ended', 1],
      ['2', 'busy', 2],
      ['3', 'bot_ended', 1],
    ],
  );
  const started = events.filter(({ type }) => type === 'call.started').map(({ data }) => data.to);
  assert.deepEqual(started.sort(), ['+12025550101', '+12025550102', '+12025550102', '+12025550108']);
  assert.equal(events.filter(({ type }) => type === 'call.ended').length, 4);
});
