import { LLMContextFrame } from '../../../../src/bot/conversation/llm-context-frame.js';
import { ownSentence } from '../../../../src/bot/conversation/own-sentences.js';
import { TTSSpeakFrame, Turn } from '../../../../src/bot/pipeline/frames/index.js';
import { FakeLanguageModel, type FakeModelReply } from '../../../../src/lab/kit/index.js';
import { LLMRig } from './llm-rig.js';

/** A turn that is asked before the caller has finished, to the end of the last of `requests`. */
async function askedEarly(replies: FakeModelReply, requests: number) {
  const fake = await FakeLanguageModel.start({ replies });
  const rig = new LLMRig(fake, { messages: [{ role: 'assistant', content: 'Hello!' }] });
  const turn = new Turn(1, true);
  rig.context.addEarlyWords(turn, 'How do I');
  const done = rig.service.process(new LLMContextFrame(rig.context, turn), 'downstream');
  const last = await fake.request(requests - 1);
  await last.ended;
  for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  const said = () => rig.after.of(TTSSpeakFrame).map(({ text }) => text);
  return { fake, rig, turn, done, said, [Symbol.asyncDispose]: () => fake.close() };
}

const CASES: ReadonlyArray<[string, FakeModelReply, number, 'not_understood' | 'cannot_answer', number]> = [
  ['says nothing', {}, 2, 'not_understood', 0],
  ['is not let answer', { status: 400, error: 'Blocked by content_filter.' }, 1, 'cannot_answer', 1],
];

describe.each(CASES)('where the model %s before the caller has finished', (_, replies, requests, sentence, errors) => {
  test('the bot says so when they have', async () => {
    await using it = await askedEarly(replies, requests);
    expect([it.said(), it.rig.errors]).toEqual([[], []]);
    it.rig.context.adopt(it.turn, 'How do I.');
    it.turn.release();
    await it.done;
    expect(it.said()).toEqual([ownSentence(sentence, 'en')]);
    expect(it.rig.errors).toHaveLength(errors);
    const isKept = sentence === 'not_understood';
    expect(it.rig.context.messages.some(({ role }) => role === 'user')).toBe(isKept);
  });

  test('a caller who goes on hears nothing of it', async () => {
    await using it = await askedEarly(replies, requests);
    it.turn.drop();
    it.rig.context.forgetTurn(it.turn);
    await it.done;
    expect([it.said(), it.rig.errors, it.rig.context.messages.length]).toEqual([[], [], 1]);
    expect(it.fake.requests).toHaveLength(requests);
  });
});
