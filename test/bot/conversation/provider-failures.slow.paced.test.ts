import type { FakeModelMessage } from '../../../src/lab/kit/index.js';
import { ANSWERS_AND_HANGS_UP, BUSY } from '../../templates/scripted-model.js';
import { CallStage, KEYS } from './call-stage.js';
import { answers, asks, goesOn, OPEN, type Outcome, type Play, performAll, texts } from './failing-calls.js';

/**
 * No caller hears nothing for longer than this, in milliseconds. It is 5 s at most where the machine has nothing else to do;
 * what it was is printed.
 */
const LONGEST_SILENCE_MS = 8_000;
/** Makes the fake voice do something to one text. */
const always = (reply: 'hang' | { dropAfterMs: number }) => (text: string) =>
  text.includes('seven') ? reply : 'speak';
const lastOf = (messages: readonly FakeModelMessage[]) => messages.at(-1)?.text ?? '';

const asksInVain: Play['play'] = async (_scene, caller) => {
  await asks(caller);
  await caller.ended();
};

const losesTheModel: Play['play'] = async (scene, caller) => {
  await caller.hearsOut();
  await scene.model.close();
  await caller.says();
  await caller.ended();
};

/** The model stops in its first answer, and goes on from there when it is asked to. */
const stopsOnce = (how: { readonly breakOffAfter: number } | { readonly hang: true }): Play => ({
  texts,
  replies: (messages) => {
    if (lastOf(messages).includes('Go on from here')) return { text: 'and we close at six.' };
    return lastOf(messages).includes('open') ? { text: `${OPEN} We are there all day`, ...how } : answers(messages);
  },
  async play(scene, caller) {
    await asks(caller);
    await scene.says('and we close at six.');
    await caller.hearsOut();
    await goesOn(scene, caller);
  },
});

/** Providers that refuse the key, and say so in words that hold it. */
const KEY_PLAYS: Record<string, Play> = {
  'speech to text refuses the key': {
    play: (_scene, caller) => caller.ended(),
  },
  'the model refuses the key': {
    texts,
    replies: { status: 401, error: `Incorrect API key provided: ${KEYS.OPENAI_API_KEY}.` },
    play: asksInVain,
  },
  'the voice refuses the key': {
    play: (_scene, caller) => caller.ended(),
  },
};

const MODEL_PLAYS: Record<string, Play> = {
  'the model server is gone': {
    texts,
    replies: answers,
    async play(scene, caller) {
      await asks(caller);
      await caller.hearsOut();
      await scene.model.close();
      await caller.says();
      await caller.ended();
    },
  },
  'the model hangs': {
    texts,
    replies: { hang: true },
    play: asksInVain,
  },
  'the model breaks off, once': stopsOnce({ breakOffAfter: 6 }),
  'the model breaks off, and is gone': {
    texts,
    replies: { text: `${OPEN} We are there all day`, breakOffAfter: 6 },
    async play(scene, caller) {
      await asks(caller);
      await caller.hears();
      await scene.model.close();
      await caller.ended();
    },
  },
  'the model stops in the middle, once': stopsOnce({ hang: true }),
  'the model fails, once': {
    texts,
    replies: (() => {
      let count = 0;
      return (messages: readonly FakeModelMessage[]) => {
        count += 1;
        return count === 1 ? { status: 500, error: 'The server had an error.' } : answers(messages);
      };
    })(),
    async play(scene, caller) {
      await asks(caller);
      await caller.hearsOut();
      await goesOn(scene, caller);
    },
  },
};

const VOICE_PLAYS: Record<string, Play> = {
  'the voice breaks within each word, always': {
    texts,
    replies: answers,
    speech: always({ dropAfterMs: 50 }),
    play: asksInVain,
  },
  'the voice server is gone in the middle': {
    texts,
    replies: answers,
    betweenChunksMs: 100,
    async play(scene, caller) {
      await asks(caller);
      await caller.hears();
      await scene.cartesia.close();
      await caller.ended();
    },
  },
  'the voice hangs at the greeting': {
    speech: () => 'hang',
    play: (_scene, caller) => caller.ended(),
  },
  'the voice hangs': {
    texts,
    replies: answers,
    speech: always('hang'),
    play: asksInVain,
  },
};

const EAR_PLAYS: Record<string, Play> = {
  'speech to text is away while the caller speaks': {
    texts,
    replies: answers,
    async play(scene, caller) {
      await caller.hearsOut();
      const said = caller.says();
      scene.deepgram.hold(said);
      scene.deepgram.dropConnections();
      await said;
      scene.deepgram.recover();
      await caller.hearsOut();
      await goesOn(scene, caller);
    },
  },
  'speech to text is gone': {
    texts,
    replies: answers,
    async play(scene, caller) {
      await caller.hearsOut();
      const said = caller.says();
      await scene.deepgram.close();
      await said;
      await caller.ended();
    },
  },
  'speech to text falls silent': {
    texts,
    replies: answers,
    async play(scene, caller) {
      await caller.hearsOut();
      scene.deepgram.fallSilent();
      await caller.says(1);
      await caller.ended();
    },
  },
};

const TRANSFER_PLAYS: Record<string, Play> = {
  'the model server is gone, and somebody takes over': {
    texts,
    bot: { transferTo: ANSWERS_AND_HANGS_UP },
    play: losesTheModel,
  },
  'the model server is gone, and nobody takes over': {
    texts,
    bot: { transferTo: BUSY },
    play: losesTheModel,
  },
};

const ALL = { ...KEY_PLAYS, ...MODEL_PLAYS, ...VOICE_PLAYS, ...EAR_PLAYS, ...TRANSFER_PLAYS };
let stage: CallStage;
let outcomeOf: (name: string) => Outcome;

beforeAll(async () => {
  stage = await CallStage.start({ scenes: ALL });
  stage.scene('speech to text refuses the key').deepgram.refuse(401, `Who is ${KEYS.DEEPGRAM_API_KEY}?`);
  stage.scene('the voice refuses the key').cartesia.refuse(401, `There is no ${KEYS.CARTESIA_API_KEY}.`);
  outcomeOf = await performAll(stage, ALL);
}, 120_000);

afterAll(() => stage[Symbol.asyncDispose]());

test.each(Object.keys(ALL))('the caller is never left in silence when %s', (name) => {
  expect(outcomeOf(name).silenceMs).toBeLessThanOrEqual(LONGEST_SILENCE_MS);
});

test.each([
  ...Object.keys(KEY_PLAYS),
  'the model server is gone',
  'the model hangs',
  'the model breaks off, and is gone',
  'the voice breaks within each word, always',
  'the voice server is gone in the middle',
  'the voice hangs at the greeting',
  'the voice hangs',
  'speech to text is gone',
  'speech to text falls silent',
])('the caller hears the recorded apology, and the call ends for provider_error, when %s', (name) => {
  const { hasApologised, record } = outcomeOf(name);
  expect(hasApologised).toBe(true);
  expect(record).toMatchObject({ endReason: 'provider_error', attempt: 1 });
});

test.each([
  'the model breaks off, once',
  'the model stops in the middle, once',
  'the model fails, once',
  'speech to text is away while the caller speaks',
])('the call goes on when %s', (name) => {
  const { hasApologised, record } = outcomeOf(name);
  expect(hasApologised).toBe(false);
  expect(record).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
  expect(stage.told(name, 'failed')).toEqual([]);
});

test('what is said while speech to text is away is understood once it is back, and once only', () => {
  const { model } = stage.scene('speech to text is away while the caller speaks');
  const said = model.requests.at(-1)?.messages.filter(({ role }) => role === 'user' || role === 'assistant');
  expect(said?.map(({ text }) => text).slice(-3)).toEqual(['When do you open?', OPEN, 'Thank you.']);
});

test.each([
  ['the caller hears the apology and is transferred, when the bot says so', 'and somebody takes over', 'transferred'],
  ['the call ends for provider_error when nobody takes it over', 'and nobody takes over', 'provider_error'],
])('%s', (_title, how, endReason) => {
  const { hasApologised, record } = outcomeOf(`the model server is gone, ${how}`);
  expect(hasApologised).toBe(true);
  expect(record).toMatchObject({ endReason, attempt: 1 });
});

test('the output has the words of the providers and the remedy, and no key', () => {
  const { output } = stage;
  expect(output).toContain('Deepgram: 401, Who is [redacted]?');
  expect(output).toContain('check DEEPGRAM_API_KEY: https://console.deepgram.com');
  expect(output).toContain('OpenAI: 401, Incorrect API key provided: [redacted].');
  expect(output).toContain('check OPENAI_API_KEY: https://platform.openai.com/api-keys');
  expect(output).toContain('Cartesia: 401, There is no [redacted].');
  expect(output).toContain('check CARTESIA_API_KEY: https://play.cartesia.ai/keys');
  expect(output).toContain('OpenAI: 500, The server had an error.');
  const { problems, records } = stage.runner;
  const everything = [output, ...problems.all, JSON.stringify(records.all)].join('\n');
  for (const key of Object.values(KEYS)) expect(everything).not.toContain(key);
});
