import { fileURLToPath } from 'node:url';
import { decodeMulaw, encodeMulaw } from '../../src/audio/mulaw.js';
import type { FakeCaller } from '../sandbox/fake-caller.js';
import { TunnelServer } from '../tunnel/tunnel-server.js';
import { Accounts } from './accounts.js';
import { until } from './processes.js';
import { type CliEvent, Voicebot } from './voicebot.js';

const ECHO = fileURLToPath(new URL('../../templates/echo/bot.ts', import.meta.url));
const FRAME_SAMPLES = 160;
/** What localtunnel's own server carries at once, and what the runner leaves free for webhooks. */
const [CONNECTIONS, SPARE] = [10, 2];
const MOST_CALLS = CONNECTIONS - SPARE;

let accounts: Accounts;
let run: Voicebot;
let ready: CliEvent;

beforeEach(async () => {
  accounts = await Accounts.open();
  run = new Voicebot(['run', ECHO, '--transport', 'carrier', '--dialin', '--port', '0', '--calls-per-process', '20'], {
    home: accounts.home,
    environment: accounts.environment(),
  });
  ready = await run.event('ready', {}, 30_000);
}, 60_000);

afterEach(async () => {
  await run[Symbol.asyncDispose]();
  await accounts[Symbol.asyncDispose]();
}, 30_000);

/** Noise whose loudness changes every 20 ms, so that it fits nothing but itself; frame `n` is always the same. */
function noise(frame: number): Int16Array {
  let seed = (frame + 1) * 2_654_435_761;
  return Int16Array.from({ length: FRAME_SAMPLES }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return ((seed >>> 16) - 32_768) * ((frame % 7) + 1) * 0.05;
  });
}

/** A caller who says noise from the beginning on. */
async function noisyCaller(): Promise<FakeCaller> {
  const caller = await accounts.call();
  caller.says = (frame) => encodeMulaw(noise(frame));
  return caller;
}

const hearsItself = ({ heard }: FakeCaller, frames: number) =>
  heard.all.filter((frame) => decodeMulaw(frame).some((sample) => Math.abs(sample) > 300)).length >= frames;
const states = (state: string) => run.events.all.filter(({ event, call }) => event === 'call' && call.state === state);

test('a call over localtunnel sounds as the caller spoke, frame for frame', async () => {
  await using caller = await noisyCaller();
  await until(() => hearsItself(caller, 250), 'five seconds come back', 30_000);
  const frames = caller.heard.all.map((frame) => Buffer.from(frame).toString('base64'));
  const said = frames.map((_, n) => Buffer.from(encodeMulaw(noise(n))).toString('base64'));
  const order = frames.map((frame) => said.indexOf(frame)).filter((n) => n >= 0);
  // On a busy machine a frame may be late, and silence heard in its place; none is damaged, and none out of order.
  expect(order.length).toBeGreaterThan(200);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
}, 60_000);

test('as many callers as the tunnel carries are served, the tenth and the eleventh are told that it is busy', async () => {
  const callers: FakeCaller[] = [];
  try {
    for (let n = 1; n <= MOST_CALLS; n += 1) {
      callers.push(await noisyCaller());
      await until(() => states('connected').length === n, `call ${n} is served`, 20_000);
    }
    for (const n of [9, 10, 11]) {
      await using caller = await accounts.call();
      expect([n, await caller.ended()]).toEqual([n, expect.objectContaining({ cause: 'Busy Line' })]);
    }
    const problems = run.events.all.filter(({ event }) => event === 'problem');
    expect(problems.map(({ message }) => message).join('\n')).toContain('turned away');

    await callers.shift()?.[Symbol.asyncDispose]();
    await until(() => states('ended').some(({ call }) => call.endReason === 'caller_hung_up'), 'one has left', 20_000);
    callers.push(await noisyCaller());
    await until(() => states('connected').length === MOST_CALLS + 1, 'the next one is served', 20_000);
    const since = callers.map(({ heard }) => heard.all.length);
    await until(
      () => callers.every(({ heard }, n) => heard.all.length > (since[n] ?? 0) + 100),
      'two more seconds',
      20_000,
    );
    for (const caller of callers) expect(hearsItself(caller, 50)).toBe(true);
  } finally {
    for (const caller of callers) await caller[Symbol.asyncDispose]();
  }
}, 120_000);

test('a tunnel server that comes back under another name: the live call goes on, and new callers get through', async () => {
  await using caller = await noisyCaller();
  await until(() => hearsItself(caller, 50), 'the first call is heard', 30_000);
  const { port } = accounts.tunnels;
  await accounts.tunnels.stop();
  await run.event('tunnel_lost', {}, 15_000);
  accounts.tunnels = await TunnelServer.start({ port, baseName: 'other.localhost' });
  const backAt = performance.now();
  const { publicUrl } = await run.event('tunnel_back', { moved: true }, 20_000);
  expect(publicUrl).not.toBe(ready.publicUrl);

  await using next = await noisyCaller();
  await until(() => hearsItself(next, 25), 'a new caller is heard', 20_000);
  const frames = caller.heard.all.length;
  const isBack = () => hearsItself({ heard: { all: caller.heard.all.slice(frames) } } as FakeCaller, 50);
  await until(isBack, 'the first call goes on', 20_000);
  process.stdout.write(
    `new callers get through ${Math.round(performance.now() - backAt)} ms after the server is back\n`,
  );
  expect(run.events.all.filter(({ event, call }) => event === 'call' && call.state === 'ended')).toEqual([]);

  run.signal('SIGINT');
  expect(await run.exit).toBe(130);
}, 120_000);
