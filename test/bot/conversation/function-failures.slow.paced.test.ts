import type { FakeModelMessage, FakeModelReply } from '../../../src/lab/kit/index.js';
import { CallStage } from './call-stage.js';
import { type Outcome, type Play, performAll } from './failing-calls.js';

/** It is 5 s at most where the machine has nothing else to do. In milliseconds. */
const LONGEST_SILENCE_MS = 8_000;

/** The model calls this function, and then says what came of it. */
function calls(name: string, input: object = {}): Play {
  const replies = (messages: readonly FakeModelMessage[]): FakeModelReply => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: 'That did not work.' };
    return last?.text.includes('bread') ? { toolCalls: [{ name, input }] } : { text: 'You are welcome.' };
  };
  return {
    texts: ['Is there bread?', 'Thank you.'],
    replies,
    async play(scene, caller) {
      await caller.hearsOut();
      await caller.says();
      await scene.says('That did not work.', 40_000);
      await caller.hearsOut();
      await caller.says(2);
      await scene.says('You are welcome.');
      await caller.hearsOut();
      caller.phone.client.hangUp();
    },
  };
}

/** What a function does, as the bot of `bots/scene.ts` has them, and what the model is told of it. */
const PLAYS: Record<string, Play> = {
  throws: calls('throws'),
  'takes longer than its tool allows': calls('hangs'),
  'takes longer than ten seconds': calls('sleeps'),
  'gets input that does not fit': calls('counts', { loaves: 'two' }),
  'is not there': calls('bakes'),
};

const TOLD: Record<string, string> = {
  throws: 'the oven is cold',
  'takes longer than its tool allows': 'no result within 800 ms',
  'takes longer than ten seconds': 'no result within 10000 ms',
  'gets input that does not fit': 'the input does not fit: loaves:',
  'is not there': 'there is no function bakes; the functions are throws, hangs',
};

let stage: CallStage;
let outcomeOf: (name: string) => Outcome;

beforeAll(async () => {
  stage = await CallStage.start({ scenes: PLAYS });
  outcomeOf = await performAll(stage, PLAYS);
}, 120_000);

afterAll(() => stage[Symbol.asyncDispose]());

test.each(Object.keys(PLAYS))('the model is told, and the call goes on, when a function %s', (name) => {
  const { record, silenceMs, hasApologised } = outcomeOf(name);
  const told = stage.scene(name).model.requests.map(({ messages }) => messages.at(-1));
  const last = told.find((message) => message?.role === 'tool');
  expect(last?.text).toContain(TOLD[name]);
  expect(record).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
  expect(hasApologised).toBe(false);
  expect(silenceMs).toBeLessThanOrEqual(LONGEST_SILENCE_MS);
});
