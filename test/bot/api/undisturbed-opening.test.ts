import { cartesia } from '../../../src/bot/api/index.js';
import { recordedLine } from '../../../src/bot/pipeline/recorded-lines.js';
import { sharedHealth } from '../../../src/bot/services/service-health.js';
import type { CallRunnerLink } from '../../../src/call/runner-link.js';
import { FakeCartesia, type FakeCartesiaOptions } from '../../../src/lab/kit/index.js';
import { until } from '../../e2e/processes.js';
import { hurried } from '../../hasty-clock.js';
import { OpenedCall, type Opening } from './opened-call.js';

hurried();

/** Two seconds of the voice. */
const TEXT =
  'Hello. You are talking to a machine that calls for Bluebird Bakery, about your order of today. One moment.';
const disclosure = { text: TEXT, when: 'outbound' } as const;
const LISTED = 'Your number is on our do-not-call list now. We will not call you again.';
const REMOVED = 'This call is not recorded any more, and what was recorded has been deleted.';
const LATE = { withinMs: 60_000 };

/** Everything else that is heard is much shorter. */
const APOLOGY_MS = recordedLine('apology').pcm.length / 8;

/** A call that goes out; the callee hears the disclosure now. */
async function openedCall({ parts, runner, ...more }: Partial<Opening>): Promise<OpenedCall> {
  const done: string[] = [];
  const noted: Partial<CallRunnerLink> = {
    doNotCall: async (how) => {
      done.push(`lists ${how}`);
      return { outcome: 'listed' };
    },
    tellDoNotCall: (isHeard) => void done.push(`told ${isHeard}`),
  };
  const options = { runner: { ...noted, ...runner }, hasEars: true, done, ...more };
  const call = await OpenedCall.begin({
    parts: { disclosure, doNotCall: { key: '5' }, onCall: (it) => it.hangUp(), ...parts },
    ...options,
  });
  await call.phone.hears(LATE);
  return call;
}

test.each<[how: string, way: string, asks: (call: OpenedCall) => void]>([
  ['says so', 'said', (call) => call.understands('Please do not call me again.')],
  ['presses the key', 'pressed', (call) => call.phone.press('5')],
])(
  'a callee who does not want to be called again and %s meanwhile is listed at once, and hears so behind it',
  async (_how, way, asks) => {
    await using call = await openedCall({});
    asks(call);
    await until(() => call.done.includes(`lists ${way}`), 'the number is listed', 60_000);
    expect(call.done).not.toContain('heard disclosure');
    await call.phone.ended;
    expect(call.done.filter((one) => one !== 'goes on')).toEqual([
      `says ${TEXT}`,
      `lists ${way}`,
      'heard disclosure',
      `says ${LISTED}`,
      'told true',
    ]);
  },
);

test('a callee who objects to the recording meanwhile hears behind it that there is none, and no notice that there is', async () => {
  let isRecorded = true;
  const record = { notice: 'This call is recorded.', objectKey: '9' };
  const runner: Partial<CallRunnerLink> = {
    isRecorded: () => isRecorded,
    removeRecording: () => {
      isRecorded = false;
    },
  };
  await using call = await openedCall({ parts: { record }, runner });
  call.phone.press('9');
  await until(() => !isRecorded, 'it is removed', 60_000);
  expect(call.done).toEqual([`says ${TEXT}`]);
  await call.phone.ended;
  expect(call.done.filter((one) => one !== 'goes on')).toEqual([`says ${TEXT}`, 'heard disclosure', `says ${REMOVED}`]);
});

describe('a voice that fails', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    for (const failing of sharedHealth.failing) sharedHealth.works(failing);
  });

  /** A call with a bot whose voice fails: what is heard of it, and how it ends. */
  async function failing(
    options: FakeCartesiaOptions,
    { apology, parts, runner }: Partial<Opening> & { apology?: false } = {},
  ) {
    jest.spyOn(console, 'error').mockImplementation(() => {}); // the failures
    const fake = await FakeCartesia.start({ characterMs: 20, ...options });
    const call = await OpenedCall.begin({
      hasVoice: false,
      parts: {
        tts: cartesia({ apiKey: 'right', baseUrl: fake.url, cache: false, ...(apology === false && { apology }) }),
        disclosure,
        ...parts,
      },
      ...(runner && { runner }),
    });
    const { reason } = await call.phone.ended;
    const heardMs = call.phone.heard.filter((sample) => Math.abs(sample) > 100).length / 8;
    for (const one of [call, fake]) await one[Symbol.asyncDispose]();
    return { reason, heardMs, done: call.done };
  }

  const breaks: FakeCartesiaOptions = { reply: () => ({ dropAfterMs: 100 }) };
  test.each<[how: string, options: FakeCartesiaOptions, how: { apology?: false }]>([
    ['refuses the key', { apiKey: 'another' }, {}],
    ['breaks within each sentence', breaks, {}],
    ['breaks within each sentence, of a bot that apologises itself,', breaks, { apology: false }],
  ])(
    'and %s does not apologise to who has not heard the disclosure: it counts as unheard, and the call is ended',
    async (_how, options, more) => {
      const { reason, heardMs, done } = await failing(options, more);
      expect([reason, done]).toEqual(['provider_error', []]);
      expect(heardMs).toBeLessThan(APOLOGY_MS / 2);
    },
  );

  test('within the notice of the recording leaves the call, unrecorded', async () => {
    const record = { notice: 'It is recorded.' };
    const reply: FakeCartesiaOptions['reply'] = (text) => (text.includes('recorded') ? { dropAfterMs: 50 } : 'speak');
    const { reason, done } = await failing({ reply }, { parts: { record }, runner: { isRecorded: () => true } });
    expect([reason, done]).toEqual(['bot_ended', ['heard disclosure', 'goes on']]);
  });
});
