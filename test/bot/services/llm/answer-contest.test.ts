import { z } from 'zod';
import { ownSentence } from '../../../../src/bot/conversation/own-sentences.js';
import { defineTool } from '../../../../src/bot/conversation/tool.js';
import { TTSSpeakFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { FakeLanguageModel, type FakeModelReply } from '../../../../src/lab/kit/index.js';
import { LLMRig } from './llm-rig.js';

/** A turn of a model that was asked beside another one. @param hasLost the other one has begun when this one does */
async function contested(replies: FakeModelReply | FakeModelReply[], hasLost: boolean) {
  let [runs, wins] = [0, 0];
  const run = () => {
    runs += 1;
    return 'done';
  };
  const tools = [defineTool({ name: 'book', description: 'Books.', parameters: z.object({}), execute: run })];
  await using fake = await FakeLanguageModel.start({ replies });
  const rig = new LLMRig(fake, { tools });
  const lost = new AbortController();
  await rig.ask({
    lost: lost.signal,
    wins: () => {
      wins += 1;
      if (hasLost) lost.abort();
    },
  });
  const said = rig.after.of(TTSSpeakFrame).map(({ text }) => text);
  return { rig, runs, wins, said };
}

const CALL = { toolCalls: [{ name: 'book', input: {} }] };

test('a model that begins first answers', async () => {
  const { rig, wins } = await contested({ text: 'At nine.' }, false);
  expect(rig.text).toBe('At nine.');
  expect(wins).toBeGreaterThan(0);
});

test('a model that begins when the other one has says nothing, and leaves nothing in the context', async () => {
  const { rig } = await contested({ text: 'At nine.' }, true);
  expect(rig.pushed).toEqual([]);
  expect(rig.context.messages).toEqual([{ role: 'user', content: 'Hello?' }]);
  expect(rig.errors).toEqual([]);
});

test.each([false, true])('a function is run unless the other one has begun: %s', async (hasLost) => {
  const { runs } = await contested([CALL, { text: 'Done.' }], hasLost);
  expect(runs).toBe(hasLost ? 0 : 1);
});

test.each([false, true])(
  'a model without words has the bot say so unless the other one has begun: %s',
  async (hasLost) => {
    const { said } = await contested({}, hasLost);
    expect(said).toEqual(hasLost ? [] : [ownSentence('not_understood', 'en')]);
  },
);
