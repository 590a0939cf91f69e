import { encodeMulaw } from '../../src/base/audio/mulaw.js';
import { TunnelServer } from '../runner/tunnel/tunnel-server.js';
import type { FakeCaller } from '../sandbox/fake-caller.js';
import { until } from './processes.js';
import { hearsItself, noise, TunnelledRun } from './tunnelled-run.js';

/** What localtunnel's own server carries at once, and what the runner leaves free for webhooks. */
const [CONNECTIONS, SPARE] = [10, 2];
const MOST_CALLS = CONNECTIONS - SPARE;

let tunnelled: TunnelledRun;
/** The calls of the tests before. */
let before: ReadonlySet<string>;

const idsOf = (state: string) => new Set<string>(tunnelled.calls(state).map(({ call }) => call.id));
/** What was told in this test of calls that came to this state. */
const calls = (state: 'connected' | 'ended') => tunnelled.calls(state).filter(({ call }) => !before.has(call.id));

beforeAll(async () => {
  tunnelled = await TunnelledRun.open();
}, 60_000);
afterAll(() => tunnelled[Symbol.asyncDispose](), 30_000);
beforeEach(async () => {
  const areOver = () => {
    const ended = idsOf('ended');
    return [...idsOf('connected')].every((id) => ended.has(id));
  };
  await until(() => tunnelled.accounts.sandbox.liveCalls === 0 && areOver(), 'the calls before are over', 20_000);
  before = idsOf('ended');
}, 30_000);

test('a call over localtunnel sounds as the caller spoke, frame for frame', async () => {
  await using caller = await tunnelled.noisyCaller();
  await until(() => hearsItself(caller, 250), 'five seconds come back', 30_000);
  // What waited for the bot at the beginning is played a little faster, until the echo is in time.
  const frames = caller.heard.all.slice(-100).map((frame) => Buffer.from(frame).toString('base64'));
  const said = caller.heard.all.map((_, n) => Buffer.from(encodeMulaw(noise(n + 50))).toString('base64'));
  const order = frames.map((frame) => said.indexOf(frame)).filter((n) => n >= 0);
  // On a busy machine a frame may be late, and silence heard in its place; none is damaged, and none out of order.
  expect(order.length).toBeGreaterThan(80);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
}, 60_000);

test('as many callers as the tunnel carries are served, the tenth and the eleventh are told that it is busy', async () => {
  const callers: FakeCaller[] = [];
  try {
    for (let n = 1; n <= MOST_CALLS; n += 1) {
      callers.push(await tunnelled.noisyCaller());
      await until(() => calls('connected').length === n, `call ${n} is served`, 20_000);
    }
    for (const n of [9, 10, 11]) {
      await using caller = await tunnelled.accounts.call();
      expect([n, await caller.ended()]).toEqual([n, expect.objectContaining({ cause: 'Busy Line' })]);
    }
    const problems = tunnelled.run.events.all.filter(({ event }) => event === 'problem');
    expect(problems.map(({ message }) => message).join('\n')).toContain('turned away');

    await callers.shift()?.[Symbol.asyncDispose]();
    await until(() => calls('ended').some(({ call }) => call.endReason === 'caller_hung_up'), 'one has left', 20_000);
    callers.push(await tunnelled.noisyCaller());
    await until(() => calls('connected').length === MOST_CALLS + 1, 'the next one is served', 20_000);
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
  await using caller = await tunnelled.noisyCaller();
  await until(() => hearsItself(caller, 50), 'the first call is heard', 30_000);
  const { port } = tunnelled.accounts.tunnels;
  await tunnelled.accounts.tunnels.stop();
  await tunnelled.run.event('tunnel_lost', {}, 15_000);
  tunnelled.accounts.tunnels = await TunnelServer.start({ port, baseName: 'other.localhost' });
  const { publicUrl } = await tunnelled.run.event('tunnel_back', { moved: true }, 20_000);
  expect(publicUrl).not.toBe(tunnelled.publicUrl);

  await using next = await tunnelled.noisyCaller();
  await until(() => hearsItself(next, 25), 'a new caller is heard', 20_000);
  const frames = caller.heard.all.length;
  const isBack = () => hearsItself({ heard: { all: caller.heard.all.slice(frames) } } as FakeCaller, 50);
  await until(isBack, 'the first call goes on', 20_000);
  expect(calls('ended')).toEqual([]);

  tunnelled.run.signal('SIGINT');
  expect(await tunnelled.run.exit).toBe(130);
}, 120_000);
