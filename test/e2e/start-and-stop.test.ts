import { allGone } from './processes.js';
import { ServedCalls } from './served-calls.js';

let served: ServedCalls;
beforeAll(() => {
  served = new ServedCalls();
});
afterEach(() => served.end(), 30_000);
afterAll(() => served.remove());

test('SIGINT with no call: exit 130 at once, and nothing is left', async () => {
  const voicebot = await served.serve();
  const pids = voicebot.children();
  expect(pids.length).toBeGreaterThanOrEqual(2); // a warm bot and the sandbox
  voicebot.signal('SIGINT');
  expect(await voicebot.exit).toBe(130);
  await allGone(pids);
  await expect(fetch(`${voicebot.url}/health`)).rejects.toThrow();
}, 60_000);
