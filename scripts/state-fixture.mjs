// Makes test/fixtures/<version>/ again: what this version leaves on the disk when its runner is killed in the middle of its work, and a live
// call as the runner of a cluster keeps it in Redis. Real processes on the sandbox's carrier; nothing leaves this machine. It needs
// redis-server. `--from` names another clone, compiled, whose code writes; `--to` another folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request as ask, createServer } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { freePort } from './free-port.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { from: { type: 'string', default: ROOT }, to: { type: 'string' } } });
const { version } = JSON.parse(readFileSync(join(values.from, 'package.json'), 'utf8'));
const target = values.to ?? join(ROOT, 'test', 'fixtures', version);

const NUMBER = '+12025550100';
/** On the sandbox the first answers, the second is busy, and the third rings for as long as it is let. */
const [ANSWERS, BUSY, RINGS] = ['+12025550101', '+12025550102', '+12025550103'];
const UNWANTED = '+12025550199';
const TOKEN = 'token-of-the-runner-of-the-fixture';
/** Of no account: they are in files that all can read. */
const [AUTH_ID, AUTH_TOKEN] = ['MAFIXTUREXXXXXXXXXXX', 'auth-token-of-the-fixture'];
const EVENTS_SECRET = `whsec_${Buffer.from('no secret: it is in a file that all read').toString('base64')}`;
const DEADLINE_MS = 60_000;

const BOT = `import { defineBot } from ${JSON.stringify(pathToFileURL(join(values.from, 'dist', 'index.js')).href)};
export default defineBot({
  onCall: async (call) => {
    if (call.body.stays) await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
    await call.hangUp();
  },
});
`;
const PRICES = {
  currency: 'USD',
  items: ['carrier', 'media_stream'].map((service) => ({
    provider: 'plivo',
    service,
    unit: 'minute',
    amount: '0.01',
    rounding: 60,
    source: 'fixture',
  })),
};

const closers = [];
try {
  await make();
} finally {
  for (const close of closers.reverse()) await close();
}

async function make() {
  const work = mkdtempSync(join(tmpdir(), 'voicebot-fixture-'));
  closers.push(() => until(() => isRemoved(work), 'bots that have outlived their runner write no more'));
  writeFileSync(join(work, 'bot.mjs'), BOT);
  writeFileSync(join(work, 'rules.yaml'), 'off: the sandbox plays the callees\n');
  writeFileSync(join(work, 'voicebot.prices.json'), JSON.stringify(PRICES));
  const { startSandbox } = await import(pathToFileURL(join(values.from, 'dist', 'lab', 'kit', 'index.js')).href);
  const sandbox = await startSandbox({ authId: AUTH_ID, authToken: AUTH_TOKEN });
  closers.push(() => sandbox.close());
  const carrier = await carrierThatEndsNothing(sandbox);
  const receiver = await receiverThatTakesNothing();
  const environment = {
    CARRIER: 'plivo',
    CARRIER_AUTH_ID: AUTH_ID,
    CARRIER_AUTH_TOKEN: AUTH_TOKEN,
    CARRIER_API_URL: carrier,
    CARRIER_PHONE_NUMBER: NUMBER,
    VOICEBOT_TOKEN: TOKEN,
    VOICEBOT_RECORD: 'on',
    VOICEBOT_EVENTS_URL: receiver,
    VOICEBOT_EVENTS_SECRET: EVENTS_SECRET,
    VOICEBOT_CALLING_RULES: join(work, 'rules.yaml'),
    VOICEBOT_DIAL_MINUTES_PER_DAY: '60',
    VOICEBOT_DIAL_MONEY_PER_DAY: '5',
    VOICEBOT_DIAL_SECONDS_PER_NUMBER: '0',
  };
  const state = join(work, 'state');
  await leaveState({ work, state, environment });
  const live = await liveCall({ work, environment });
  keep(work, state, live);
}

/** A runner that holds the number, owes a call its end, has done half of a campaign, and is killed. */
async function leaveState({ work, state, environment }) {
  const command = commands(work, { ...environment, VOICEBOT_HOME: state });
  await command('do-not-call', 'add', UNWANTED).ended;
  const port = await freePort();
  const run = command(
    'run',
    'bot.mjs',
    '--dialin',
    '--yes',
    '--port',
    String(port),
    '--public-url',
    `http://127.0.0.1:${port}`,
  );
  await run.event('ready');
  const { call_id } = await post(`http://127.0.0.1:${port}/start`, { phone_number: ANSWERS });
  const isOver = () => run.seen.some(({ call }) => call?.id === call_id && call.state === 'ended');
  await until(isOver, 'a call is over');
  const contacts = [UNWANTED, BUSY, ANSWERS, RINGS].map((phone_number, row) => ({
    phone_number,
    id: `row ${row + 1}`,
  }));
  await post(`http://127.0.0.1:${port}/campaigns`, { name: 'fixture', per_minute: 600, at_once: 1, contacts });
  await until(() => filesIn(join(state, 'hangups')).length > 0, 'the call of the third row is owed its end');
  await run.kill();
}

/** A live call as Redis has it. */
async function liveCall({ work, environment }) {
  const port = await freePort();
  const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', work, '--save', ''], {
    stdio: 'ignore',
  });
  closers.push(() => void redis.kill());
  const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 100, maxRetriesPerRequest: null });
  closers.push(() => void client.disconnect());
  client.on('error', () => {}); // until it listens
  await client.ping();
  const runnerPort = await freePort();
  const { VOICEBOT_EVENTS_URL: _, VOICEBOT_EVENTS_SECRET: __, ...settings } = environment;
  const command = commands(work, {
    ...settings,
    VOICEBOT_HOME: join(work, 'cluster'),
    VOICEBOT_CLUSTER: `redis://127.0.0.1:${port}`,
  });
  const own = `127.0.0.1:${runnerPort}`;
  const run = command(
    'run',
    'bot.mjs',
    '--port',
    String(runnerPort),
    '--public-url',
    `http://${own}`,
    '--advertise',
    `ws://${own}`,
  );
  await run.event('ready');
  // A cluster that has just begun dials nothing for some seconds.
  const start = () =>
    post(`http://${own}/start`, { phone_number: ANSWERS, body: { stays: true } }).catch(() => undefined);
  await until(start, 'the cluster dials');
  let kept = {};
  await until(async () => {
    for (const key of await client.keys('*:call:*'))
      if ((await client.type(key)) === 'hash') kept = await client.hgetall(key);
    return kept.record !== undefined && /^(?:joined|talking)$/.test(JSON.parse(kept.life).life.phase.is);
  }, 'a call goes on in the cluster');
  await run.kill();
  return { record: JSON.parse(kept.record), life: JSON.parse(kept.life) };
}

/** Everything of the state directory but what another process may still write there, without what is of this machine only. */
function keep(work, state, live) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, '..'), { recursive: true });
  cpSync(state, target, { recursive: true, filter: (path) => !/\.(?:lock|draft|owner)$|\/runners$/.test(path) });
  writeFileSync(join(target, 'live-call.json'), `${JSON.stringify(live, undefined, 2)}\n`);
  let bytes = 0;
  for (const name of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    const path = join(target, name);
    if (!statSync(path).isFile()) continue;
    if (!name.endsWith('.wav'))
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(hostname(), 'HOST').replaceAll(work, '/work'));
    bytes += statSync(path).size;
    console.log(name);
  }
  console.log(`${target}: ${bytes} bytes`);
}

/** The carrier, but that it refuses to end calls. */
async function carrierThatEndsNothing({ apiUrl }) {
  const { origin, pathname, hostname: host, port } = new URL(apiUrl);
  const server = createServer((request, response) => {
    if (request.method === 'DELETE' && /\/Call\//.test(request.url)) return void response.writeHead(503).end();
    const { method, url: path, headers } = request;
    const passed = ask({ host, port, method, path, headers: { ...headers, host: new URL(origin).host } }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  return `${await listening(server)}${pathname}`;
}

/** Of events: each stays where it is written down. */
async function receiverThatTakesNothing() {
  return `${await listening(createServer((_request, response) => void response.writeHead(503).end()))}/events`;
}

async function listening(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

/** Starts commands of the clone that writes. */
function commands(cwd, environment) {
  return (...words) => {
    const env = { PATH: process.env.PATH, HOME: cwd, ...environment };
    const child = spawn(process.execPath, [join(values.from, 'bin', 'voicebot.js'), ...words, '--json'], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    const kill = async () => {
      child.kill('SIGKILL');
      await ended;
    };
    closers.push(kill);
    const seen = [];
    createInterface({ input: child.stdout }).on('line', (line) => seen.push(JSON.parse(line)));
    const event = (name) =>
      until(() => seen.some((one) => one.event === name), `${words[0]} is ${name}: ${JSON.stringify(seen.at(-1))}`);
    return { ended, kill, event, seen };
  };
}

async function post(url, body) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

function filesIn(folder) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.draft')) : [];
  return names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
}

function isRemoved(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

async function until(holds, what) {
  const end = performance.now() + DEADLINE_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
    await pause(5);
  }
}
