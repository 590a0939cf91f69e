import { CallStage, KEYS } from './call-stage.js';
import { type Outcome, type Play, performAll } from './failing-calls.js';

/** The caller says something once there is silence, where the key is only needed then. */
const PLAYS: Record<string, Play> = {
  'speech to text refuses the key': {
    play: (_scene, caller) => caller.ended(60_000),
  },
  'the model refuses the key': {
    texts: ['When do you open?'],
    replies: { status: 401, error: `Incorrect API key provided: ${KEYS.OPENAI_API_KEY}.` },
    async play(scene, caller) {
      await scene.says('Bakery.', 40_000);
      await caller.hearsOut();
      await caller.says();
      await caller.ended(60_000);
    },
  },
  'the voice refuses the key': {
    play: (_scene, caller) => caller.ended(60_000),
  },
};

let stage: CallStage;
let outcomeOf: (name: string) => Outcome;

beforeAll(async () => {
  stage = await CallStage.start({ transport: 'rooms', scenes: PLAYS });
  stage.scene('speech to text refuses the key').deepgram.refuse(401, `Who is ${KEYS.DEEPGRAM_API_KEY}?`);
  stage.scene('the voice refuses the key').cartesia.refuse(401, `There is no ${KEYS.CARTESIA_API_KEY}.`);
  outcomeOf = await performAll(stage, PLAYS);
}, 120_000);

afterAll(() => stage[Symbol.asyncDispose]());

test.each(Object.keys(PLAYS))('a caller in a room hears the recorded apology when %s', (name) => {
  const { hasApologised, record } = outcomeOf(name);
  expect(hasApologised).toBe(true);
  expect(record).toMatchObject({ endReason: 'provider_error', attempt: 1 });
});

test('the output has the words of the providers, and no key', () => {
  expect(stage.output).toContain('Deepgram: 401, Who is [redacted]?');
  expect(stage.output).toContain('OpenAI: 401, Incorrect API key provided: [redacted].');
  expect(stage.output).toContain('Cartesia: 401, There is no [redacted].');
  for (const key of Object.values(KEYS)) expect(stage.output).not.toContain(key);
});
