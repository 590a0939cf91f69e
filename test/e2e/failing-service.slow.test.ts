/** A vendor that fails in a call: what the caller, the operator and the next caller have of it. Real runners and bots. */
import type { TimelineEvent } from '../../src/call/timeline.js';
import { FakeDeepgram } from '../../src/lab/kit/index.js';
import { until } from './processes.js';
import { ServedCalls } from './served-calls.js';
import type { Served } from './voicebot.js';

const BOT = 'test/e2e/bots/two-ears.ts';
const CALL = ['--say', 'w2 I would like two loaves.'];

const runs = new ServedCalls();
afterEach(() => runs.end());
afterAll(() => runs.remove());

const status = async ({ url }: Served) => (await (await fetch(`${url}/status`)).json()) as { services?: unknown };
const metric = async ({ url }: Served, model: string) =>
  (await (await fetch(`${url}/metrics`)).text())
    .split('\n')
    .find((line) => line.startsWith('voicebot_service_up') && line.includes(model))
    ?.at(-1);
const noted = ({ events }: Served, type: TimelineEvent['type']) =>
  events.all.flatMap(({ noted }) => (noted?.type === type ? [noted] : []));

test('the first ears fail: the second hear the call, the next call asks them first, and the runner tells both ends of it', async () => {
  await using first = await FakeDeepgram.start({ texts: ['Good morning.'] });
  await using second = await FakeDeepgram.start({ texts: ['Good morning.'] });
  first.refuse(503, 'overloaded');
  const served = await runs.serve(BOT, [], {
    DEEPGRAM_API_KEY: 'test',
    DEEPGRAM_BASE_URL: first.url,
    SECOND_URL: second.url,
  });
  const call = async () => {
    const caller = await runs.call(served, CALL);
    expect(await caller.exit).toBe(0);
  };
  await call();
  expect(noted(served, 'service_switched')).toMatchObject([
    { does: 'speech_to_text', from: { model: 'ears-1' }, to: { provider: 'Deepgram', model: 'ears-2' } },
  ]);
  expect(noted(served, 'said').map(({ text }) => text)).toContain('You said Good morning.');
  const failing = { does: 'speech_to_text', provider: 'Deepgram', model: 'ears-1' };
  expect(await status(served)).toMatchObject({
    services: [{ ...failing, isWell: false, instead: { provider: 'Deepgram', model: 'ears-2' } }],
  });
  expect([await metric(served, 'ears-1'), await metric(served, 'ears-2')]).toEqual(['0', '1']);
  const refused = first.refused;
  await call();
  expect(noted(served, 'said').at(-1)).toMatchObject({ text: 'You said Good morning.' });
  expect(noted(served, 'service_switched')).toHaveLength(1);
  expect(second.sessions).toHaveLength(2);
  first.recover();
  await until(async () => (await status(served)).services === undefined, 'the first ears work again', 90_000);
  expect(first.refused).toBeGreaterThanOrEqual(refused);
  expect(served.events.all.filter(({ event }) => event === 'service')).toMatchObject([
    { ...failing, well: false, why: expect.stringContaining('503') },
    { ...failing, well: true },
  ]);
  expect(await metric(served, 'ears-1')).toBe('1');
}, 180_000);
