import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { WebSocket, WebSocketServer } from 'ws';
import { start } from './server.js';

/** Calls of this test only: no other runner of this machine is found. */
process.env.VOICEBOT_HOME = mkdtempSync(join(tmpdir(), 'express-embedded-'));
let app;
before(async () => {
  app = await start(0);
});
after(async () => {
  await app?.stop();
  rmSync(process.env.VOICEBOT_HOME, { recursive: true, force: true });
});

async function until(look) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('it never came');
}

const calls = async () => (await fetch(`${app.url}/calls`)).json();
const post = (path, body, headers) => fetch(app.url + path, { method: 'POST', body, headers });

test('a caller reaches the bot through the server of the application', async () => {
  const { stdout } = await promisify(execFile)('npx', ['voicebot', 'call', '--dtmf', 'w1 1', '--json']);
  assert.match(stdout, /"reason":"bot_ended"|"endReason":"bot_ended"/);
  const call = await until(async () => (await calls()).find(({ last }) => last === 'call.ended'));
  assert.equal(call.direction, 'inbound');
});

test('the application places a call, and is told how it ended', async () => {
  const answer = await post('/calls', JSON.stringify({ to: '+12025550101', name: 'Ada' }), {
    'content-type': 'application/json',
  });
  assert.equal(answer.status, 202);
  const { callId } = await answer.json();
  const call = await until(async () => (await calls()).find(({ id, last }) => id === callId && last === 'call.ended'));
  assert.equal(call.direction, 'outbound');
});

test('page, routes and WebSockets of the application and the runner live beside each other', async () => {
  assert.match(await (await fetch(`${app.url}/`)).text(), /My shop/);
  assert.match(await (await fetch(`${app.url}/voicebot/`)).text(), /<title>voicebot<\/title>/);
  assert.equal((await (await fetch(`${app.url}/voicebot/health`)).json()).status, 'ok');
  new WebSocketServer({ server: app.server, path: '/chat' }).on('connection', (socket) => socket.send('hello'));
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/chat`);
  assert.equal(await new Promise((resolve) => socket.once('message', (data) => resolve(String(data)))), 'hello');
  socket.terminate();
});

test('what is not signed is refused, by the runner and by the application', async () => {
  assert.equal((await post('/voicebot/answer', 'CallUUID=1')).status, 403);
  assert.equal((await post('/events', '{}')).status, 400);
  assert.equal((await post('/calls', '{}', { 'content-type': 'application/json' })).status, 400);
});
