import { fileURLToPath } from 'node:url';
import { FakeCartesia, type FakeLiveOptions, FakeRealtime } from '../../src/lab/kit/index.js';
import { playScenarios } from './tested-scenarios.js';

const BOT = fileURLToPath(new URL('bots/live-desk.ts', import.meta.url));
const GREETING = 'Hello, this is Bluebird Bakery. How can I help you?';
const MESSAGE = 'This is Bluebird Bakery. Your cake is ready.';
const MACHINE = 'Please leave a message after the tone.';
const bye = { text: 'Goodbye!', toolCalls: [{ name: 'end_call', input: {} }] };

/** What the model does for what the caller has said or pressed last. */
const RULES: ReadonlyArray<readonly [words: RegExp, reply: { text?: string; toolCalls?: typeof bye.toolCalls }]> = [
  [/operator/, { toolCalls: [{ name: 'transfer', input: {} }] }],
  [/after the tone/, { text: 'Hello?' }],
  [/order/, { toolCalls: [{ name: 'look_up', input: {} }] }],
  [/pressed 4 2/, { ...bye, text: 'You have pressed forty-two. Goodbye!' }],
  [/baked/, { ...bye, text: 'It is baked. Goodbye!' }],
];

/** Says what it is told to say; answers words, keys and results of functions by the rules; ends the call for anything else. */
const model = (texts: readonly string[]): FakeLiveOptions => ({
  texts: () => texts,
  characterMs: 30,
  replies: ({ items, instructions }) => {
    const text = [MESSAGE, 'One moment please, I will connect you.', GREETING].find((one) =>
      instructions.includes(one),
    );
    const isSaid = items.some(({ role, text: said }) => role === 'assistant' && said === text);
    if (text && !isSaid) return { text };
    const last = items.at(-1)?.text ?? '';
    return RULES.find(([words]) => words.test(last))?.[1] ?? (items.length > 0 ? bye : { text: GREETING });
  },
});

/** @returns what failed in the calls of the scenarios */
async function play(scenarios: readonly object[], texts: readonly string[] = [], environment = {}) {
  await using fake = await FakeRealtime.start(model(texts));
  await using voice = await FakeCartesia.start({ characterMs: 30 });
  const played = scenarios.map((one) => ({ bot: BOT, services: 'real', ...one }));
  const { failed, passed } = await playScenarios(played, {
    LIVE_OPENAI_URL: fake.baseUrl,
    CARTESIA_API_KEY: 'key',
    CARTESIA_BASE_URL: voice.url,
    ...environment,
  });
  const spoken = voice.requests.map(({ text }) => text).join('');
  return { failed, passed, spoken };
}

const passes = { failed: [], passed: 1 };

test('stand-ins serve a bot with a live model', async () => {
  const caller = [{ say: 'Goodbye.' }];
  const expected = { heard: 'Bluebird Bakery', understood: 'Goodbye', end: 'bot_ended' };
  const scenario = { name: 'stand-ins', services: 'scripted', caller, expect: expected };
  expect(await play([scenario])).toMatchObject(passes);
}, 120_000);

test('a transfer on the function of a live model reaches the other party', async () => {
  const scenario = {
    name: 'transfer',
    environment: { OPERATOR_NUMBER: '+12025550101' },
    caller: [{ say: 'An operator, please.' }, { wait: '12s' }],
    expect: { transfer: { to: '+12025550101', outcome: 'answered' }, end: 'transferred' },
  };
  expect(await play([scenario], ['An operator, please.'])).toMatchObject(passes);
}, 120_000);

test('keys are told to a live model', async () => {
  const scenario = {
    name: 'keys',
    caller: [{ hear: 'help you' }, { press: '4 2' }],
    expect: { keysReceived: '42', heard: ['Bluebird Bakery', 'forty-two'], end: 'bot_ended' },
  };
  expect(await play([scenario])).toMatchObject(passes);
}, 120_000);

test('a caller of a live model hears a line while a function takes long', async () => {
  const scenario = {
    name: 'hold line',
    caller: [{ say: 'Where is my order?' }],
    expect: { heard: ['Bluebird Bakery', 'It is baked'], silentAtMost: '5500ms', end: 'bot_ended' },
  };
  expect(await play([scenario], ['Where is my order?'])).toMatchObject(passes);
}, 120_000);

test('a voice beside a live model says what the bot wants said word for word', async () => {
  const scenario = {
    name: 'voice',
    environment: { DESK_VOICE: 'yes' },
    caller: [{ say: 'Goodbye.' }],
    expect: { heard: ['Bluebird Bakery', 'Goodbye'], end: 'bot_ended' },
  };
  const { spoken, ...outcome } = await play([scenario], ['Goodbye.']);
  expect(outcome).toMatchObject(passes);
  expect(spoken).toBe(GREETING);
}, 120_000);

test('a message of a live model is left on a machine', async () => {
  const scenario = {
    name: 'voicemail',
    environment: { DESK_MESSAGE: MESSAGE },
    dialout: { machine: true },
    caller: [{ say: MACHINE }, { hear: 'cake is ready' }],
    expect: { heard: MESSAGE, end: 'voicemail' },
  };
  expect(await play([scenario], [MACHINE])).toMatchObject(passes);
}, 120_000);

test('a live model hears and speaks on a wideband line', async () => {
  const scenario = {
    name: 'wideband',
    environment: { VOICEBOT_AUDIO: 'wideband' },
    caller: [{ say: 'Goodbye.' }],
    expect: { heard: ['Bluebird Bakery', 'Goodbye'], understood: 'Goodbye', end: 'bot_ended' },
  };
  expect(await play([scenario], ['Goodbye.'], { VOICEBOT_AUDIO: 'wideband' })).toMatchObject(passes);
}, 120_000);
