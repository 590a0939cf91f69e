import { until } from '../e2e/processes.js';
import { CallStage, KEYS } from './call-stage.js';
import { answers, asks, goesOn, type Outcome, type Play, performAll, texts } from './failing-calls.js';

let failures = 0;

const PLAYS: Record<string, Play> = {
  'speech to text refuses the key': {
    play: (_scene, caller) => caller.ended(),
  },
  'the voice breaks in the middle, once': {
    texts,
    replies: answers,
    speech(text) {
      if (!text.includes('seven')) return 'speak';
      failures += 1;
      return failures === 1 ? { dropAfterMs: 300 } : 'speak';
    },
    async play(scene, caller) {
      await asks(caller);
      const isSaidAgain = () => scene.cartesia.requests.filter(({ text }) => text.includes('seven')).length === 2;
      await until(isSaidAgain, 'said again');
      await caller.hearsOut();
      await goesOn(scene, caller);
    },
  },
};

let stage: CallStage;
let outcomeOf: (name: string) => Outcome;

beforeAll(async () => {
  stage = await CallStage.start({ scenes: PLAYS });
  stage.scene('speech to text refuses the key').deepgram.refuse(401, `Who is ${KEYS.DEEPGRAM_API_KEY}?`);
  outcomeOf = await performAll(stage, PLAYS);
}, 60_000);

afterAll(() => stage[Symbol.asyncDispose]());

test('the caller hears the recorded apology, and the call ends for provider_error, when a key is refused', () => {
  const { hasApologised, record } = outcomeOf('speech to text refuses the key');
  expect(hasApologised).toBe(true);
  expect(record).toMatchObject({ endReason: 'provider_error', attempt: 1 });
});

test('the output has the words of the provider and the remedy, and no key', () => {
  const { output } = stage;
  expect(output).toContain('Deepgram: 401, Who is [redacted]?');
  expect(output).toContain('check DEEPGRAM_API_KEY: https://console.deepgram.com');
  const { problems, records } = stage.runner.served;
  const everything = [output, ...problems.all, JSON.stringify(records.all)].join('\n');
  for (const key of Object.values(KEYS)) expect(everything).not.toContain(key);
});

test('the call goes on when the voice breaks in the middle, once', () => {
  const name = 'the voice breaks in the middle, once';
  const { hasApologised, record } = outcomeOf(name);
  expect(hasApologised).toBe(false);
  expect(record).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
  expect(stage.told(name, 'failed')).toEqual([]);
});
