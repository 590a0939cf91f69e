import { fileURLToPath } from 'node:url';
import {
  FakeCartesia,
  FakeGptLive,
  FakeLanguageModel,
  type FakeLiveOptions,
  type FakeModelMessage,
  type FakeModelReply,
  FakeRealtime,
} from '../../src/lab/kit/index.js';
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

/** A model that takes its turns itself hands over what the caller has said or pressed. */
const continuousModel = (texts: readonly string[]): FakeLiveOptions => ({
  texts: () => texts,
  characterMs: 30,
  replies: ({ items }) => (/after the tone/.test(items.at(-1)?.text ?? '') ? { text: 'Hello?' } : { delegates: true }),
  instructed: (content) => (/pressed 4 2/.test(content) ? { delegates: true } : undefined),
});

/** What such a model hands work to does for what the caller has said or a function has returned last. */
const delegateOf = (messages: readonly FakeModelMessage[]): FakeModelReply =>
  RULES.find(([words]) => words.test(messages.at(-1)?.text ?? ''))?.[1] ?? bye;

/** @returns what failed in the calls of the scenarios */
async function play(scenarios: readonly object[], texts: readonly string[] = [], environment = {}) {
  await using fake = await FakeRealtime.start(model(texts));
  return await playWith(fake.baseUrl, scenarios, environment);
}

async function playWith(url: string, scenarios: readonly object[], environment: Record<string, string> = {}) {
  await using voice = await FakeCartesia.start({ characterMs: 30 });
  const played = scenarios.map((one) => ({ bot: BOT, services: 'real', ...one }));
  const { failed, passed } = await playScenarios(played, {
    LIVE_OPENAI_URL: url,
    CARTESIA_API_KEY: 'key',
    CARTESIA_BASE_URL: voice.url,
    ...environment,
  });
  const spoken = voice.requests.map(({ text }) => text).join('');
  return { failed, passed, spoken };
}

const passes = { failed: [], passed: 1 };

const TRANSFER = {
  name: 'transfer',
  environment: { OPERATOR_NUMBER: '+12025550101' },
  caller: [{ say: 'An operator, please.' }, { wait: '12s' }],
  expect: { transfer: { to: '+12025550101', outcome: 'answered' }, end: 'transferred' },
};
const KEYS = {
  name: 'keys',
  caller: [{ hear: 'help you' }, { press: '4 2' }],
  expect: { keysReceived: '42', heard: ['Bluebird Bakery', 'forty-two'], end: 'bot_ended' },
};
const HOLD_LINE = {
  name: 'hold line',
  caller: [{ say: 'Where is my order?' }],
  expect: { heard: ['Bluebird Bakery', 'It is baked'], silentAtMost: '5500ms', end: 'bot_ended' },
};
const VOICE = {
  name: 'voice',
  environment: { DESK_VOICE: 'yes' },
  caller: [{ say: 'Goodbye.' }],
  expect: { heard: ['Bluebird Bakery', 'Goodbye'], end: 'bot_ended' },
};
const VOICEMAIL = {
  name: 'voicemail',
  environment: { DESK_MESSAGE: MESSAGE },
  dialout: { machine: true },
  caller: [{ say: MACHINE }, { hear: 'cake is ready' }],
  expect: { heard: MESSAGE, end: 'voicemail' },
};
const WIDEBAND = {
  name: 'wideband',
  environment: { VOICEBOT_AUDIO: 'wideband' },
  caller: [{ say: 'Goodbye.' }],
  expect: { heard: ['Bluebird Bakery', 'Goodbye'], understood: 'Goodbye', end: 'bot_ended' },
};

test('stand-ins serve a bot with a live model', async () => {
  const caller = [{ say: 'Goodbye.' }];
  const expected = { heard: 'Bluebird Bakery', understood: 'Goodbye', end: 'bot_ended' };
  const scenario = { name: 'stand-ins', services: 'scripted', caller, expect: expected };
  expect(await play([scenario])).toMatchObject(passes);
}, 120_000);

test('a transfer on the function of a live model reaches the other party', async () => {
  expect(await play([TRANSFER], ['An operator, please.'])).toMatchObject(passes);
}, 120_000);

test('keys are told to a live model', async () => {
  expect(await play([KEYS])).toMatchObject(passes);
}, 120_000);

test('a caller of a live model hears a line while a function takes long', async () => {
  expect(await play([HOLD_LINE], ['Where is my order?'])).toMatchObject(passes);
}, 120_000);

test('a voice beside a live model says what the bot wants said word for word', async () => {
  const { spoken, ...outcome } = await play([VOICE], ['Goodbye.']);
  expect(outcome).toMatchObject(passes);
  expect(spoken).toBe(GREETING);
}, 120_000);

test('a message of a live model is left on a machine', async () => {
  expect(await play([VOICEMAIL], [MACHINE])).toMatchObject(passes);
}, 120_000);

test('a live model hears and speaks on a wideband line', async () => {
  expect(await play([WIDEBAND], ['Goodbye.'], { VOICEBOT_AUDIO: 'wideband' })).toMatchObject(passes);
}, 120_000);

test('a live model that takes its turns itself, with a delegate, does all of that too', async () => {
  await using delegate = await FakeLanguageModel.start({ replies: delegateOf });
  const scenes = [TRANSFER, KEYS, HOLD_LINE, VOICE, VOICEMAIL];
  const fakes = await Promise.all(
    scenes.map(({ caller }) =>
      FakeGptLive.start(continuousModel(caller.flatMap((step) => ('say' in step ? [step.say] : [])))),
    ),
  );
  const scenarios = scenes.map((scene, index) => {
    const urls = { LIVE_OPENAI_URL: fakes[index]?.baseUrl, DELEGATE_URL: delegate.url };
    return { ...scene, environment: { ...('environment' in scene ? scene.environment : {}), ...urls } };
  });
  const { spoken, ...outcome } = await playWith('', scenarios);
  for (const fake of fakes) await fake.close();
  expect(outcome).toEqual({ failed: [], passed: scenarios.length });
  expect(spoken).toBe(GREETING);
}, 300_000);

test('a live model that takes its turns itself hears and speaks on a wideband line', async () => {
  await using delegate = await FakeLanguageModel.start({ replies: delegateOf });
  await using fake = await FakeGptLive.start(continuousModel(['Goodbye.']));
  const environment = { DELEGATE_URL: delegate.url, VOICEBOT_AUDIO: 'wideband' };
  expect(await playWith(fake.baseUrl, [WIDEBAND], environment)).toMatchObject(passes);
  expect(fake.session.settings).toMatchObject({ audio: { format: { type: 'audio/pcm', rate: 24_000 } } });
}, 120_000);
