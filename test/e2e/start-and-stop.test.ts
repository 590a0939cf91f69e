import { allGone } from './processes.js';
import { endReasons, ServedCalls } from './served-calls.js';

let served: ServedCalls;
beforeAll(() => {
  served = new ServedCalls();
});
afterEach(() => served.end(), 30_000);
afterAll(() => served.remove());

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  '%s with no call: exit %i at once, and nothing is left',
  async (signal, code) => {
    const voicebot = await served.serve();
    const pids = voicebot.children();
    expect(pids.length).toBeGreaterThanOrEqual(2); // a warm bot and the sandbox
    voicebot.signal(signal);
    expect(await voicebot.exit).toBe(code);
    await allGone(pids);
    await expect(fetch(`${voicebot.url}/health`)).rejects.toThrow();
  },
  60_000,
);

test('SIGTERM lets a running call go on to its end, and then exit 143', async () => {
  const voicebot = await served.serve();
  const caller = await served.call(voicebot, ['--dtmf', 'w2 9']);
  await caller.event('bot_speaking');
  const pids = voicebot.children();
  voicebot.signal('SIGTERM');
  expect(await voicebot.event('stopping')).toMatchObject({ signal: 'SIGTERM', liveCalls: 1 });
  // Nobody finds a runner that takes no more calls.
  const late = served.start(['call', '--port', `${voicebot.port}`]);
  expect(await late.exit).toBe(5);
  expect(await caller.event('key_pressed', { digit: '9' })).toMatchObject({ atMs: 2_000 });
  expect(await caller.event('ended')).toMatchObject({ succeeded: true });
  expect(await caller.exit).toBe(0);
  expect(await voicebot.exit).toBe(143);
  expect(endReasons(voicebot)).toEqual(['bot_ended']);
  await allGone(pids);
}, 60_000);
