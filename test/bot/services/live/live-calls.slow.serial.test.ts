import { fileURLToPath } from 'node:url';
import { FakeRealtime } from '../../../../src/lab/kit/index.js';
import { until } from '../../../e2e/processes.js';
import { RunnerOnSandbox } from '../../../runner/runner-on-sandbox.js';
import { FakeCaller } from '../../../sandbox/fake-caller.js';
import { NotingCaller } from '../../conversation/noting-caller.js';

const BOT = fileURLToPath(new URL('bots/talker.ts', import.meta.url));
const HOURS = 'On Sunday we are open from seven to noon.';

test.each(['carrier', 'rooms'] as const)(
  'a live bot serves a call by %s: greeting, a function, an interruption, the end',
  async (transport) => {
    await using fake = await FakeRealtime.start({
      texts: ['When are you open?', 'Thank you, bye.'],
      replies: ({ items, count }) => {
        if (count === 0) return { text: 'Hello, this is the bakery.' };
        if (count === 1) return { toolCalls: [{ name: 'opening_hours', input: { day: 'Sunday' } }] };
        if (items.at(-1)?.type === 'function_call_output') return { text: HOURS };
        return { text: 'Good bye.', toolCalls: [{ name: 'end_call', input: {} }] };
      },
    });
    await using runner = await RunnerOnSandbox.start({
      transport,
      botFile: BOT,
      environment: { LIVE_URL: fake.baseUrl },
      recording: 'unless_refused',
    });
    const phone = await FakeCaller.attach(runner.sandbox);
    await using caller = new NotingCaller(phone);
    phone.client.dial({ from: '+12025550123', to: runner.sandbox.number });
    await phone.events.next(({ type }) => type === 'answered', 20_000);
    await caller.hearsOut();
    await caller.says(4);
    await caller.hears();
    await until(() => fake.items.some(({ text }) => text === HOURS), 'the bot answers');
    await caller.says(6);
    await caller.ended();
    await until(() => runner.records.all.some(({ state }) => state === 'ended'), 'the call is over');
    expect(runner.records.all.find(({ state }) => state === 'ended')?.endReason).toBe('bot_ended');
    const cut = fake.items.find(({ isTruncated }) => isTruncated);
    expect(cut?.audioMs).toBeGreaterThan(0);
    expect(fake.items.filter(({ type }) => type === 'function_call_output').map(({ text }) => text)).toContain(
      '{"Sunday":"seven to noon"}',
    );
  },
);
