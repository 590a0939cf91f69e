import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

const home = mkdtempSync(join(tmpdir(), 'next-app-'));
const token = randomBytes(24).toString('hex');
const started = [];
let app;
let runner;

/** A program of this folder, and its first line that matches. */
async function run(args, env, pattern) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const seen = [];
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(line);
    if (!pattern.test(line)) continue;
    child.stdout.resume();
    return line;
  }
  throw new Error(`${args.join(' ')} never said ${pattern}: ${seen.join('\n')}`);
}

before(async () => {
  const ports = createServer().listen(0, '127.0.0.1');
  await once(ports, 'listening');
  const { port } = ports.address();
  ports.close();
  app = `http://127.0.0.1:${port}`;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const secrets = { VOICEBOT_TOKEN: token, VOICEBOT_EVENTS_SECRET: secret };
  const bot = [
    'node_modules/voicebot/bin/voicebot.js',
    'run',
    'bot.js',
    '--stand-ins',
    '--sandbox',
    '--port',
    '0',
    '--json',
  ];
  const told = await run(
    bot,
    { ...secrets, VOICEBOT_HOME: home, VOICEBOT_EVENTS_URL: `${app}/api/events` },
    /"event":"ready"/,
  );
  runner = JSON.parse(told).url;
  const next = ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', String(port)];
  await run(next, { ...secrets, VOICEBOT_URL: runner, NEXT_TELEMETRY_DISABLED: '1' }, /Ready/);
});

after(async () => {
  for (const child of started.reverse()) {
    child.kill('SIGINT');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  rmSync(home, { recursive: true, force: true });
});

const post = (url, body, headers) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

/** The events of a call as the page gets them, to its end. */
async function* transcriptOf(callId) {
  const { body } = await fetch(`${app}/api/transcripts?call=${callId}`, { signal: AbortSignal.timeout(120_000) });
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split('\n\n');
    rest = parts.pop();
    for (const part of parts.filter((each) => each.startsWith('data: '))) {
      const event = JSON.parse(part.slice('data: '.length));
      yield event;
      if (event.type === 'call.ended') return;
    }
  }
}

test('the page places a call, and shows what is said in it as it goes on', async () => {
  const answer = await post(`${app}/api/calls`, JSON.stringify({ to: '+12025550101' }));
  assert.equal(answer.status, 202);
  const { callId } = await answer.json();
  const type = (text) =>
    post(`${runner}/calls/${callId}/typed`, JSON.stringify({ text }), { authorization: `Bearer ${token}` });
  const said = [];
  for await (const { type: kind, caller, bot, endReason } of transcriptOf(callId)) {
    if (kind === 'disclosure.heard') assert.equal((await type('When are you open on Sunday?')).status, 202);
    if (kind === 'turn.ended') said.push(`${caller} / ${bot}`);
    if (kind === 'call.ended') assert.match(endReason, /bot_ended|caller_hung_up/); // the sandbox's callee may be the first
  }
  assert.match(said.join('\n'), /open on Sunday.* \/ .*Bluebird Bakery/);
});

test('the page does not know the token, and an event without a signature is refused', async () => {
  const html = await (await fetch(app)).text();
  assert.match(html, /Calls with voicebot/);
  assert.ok(!html.includes(token));
  assert.equal((await post(`${app}/api/events`, '{"type":"call.ended"}')).status, 400);
  assert.equal((await post(`${app}/api/calls`, '{"to":"+12025550101"}', { 'content-type': 'text/plain' })).status, 415);
});
