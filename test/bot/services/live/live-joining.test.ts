import { setImmediate as settled } from 'node:timers/promises';
import { ProviderError } from '../../../../src/base/provider-error.js';
import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import { LLMContextFrame } from '../../../../src/bot/conversation/llm-context-frame.js';
import { Turn } from '../../../../src/bot/pipeline/frames/index.js';
import { LiveJoining } from '../../../../src/bot/services/live/live-joining.js';
import type { SlowAnswer } from '../../../../src/bot/services/live/slow-answer.js';

/** A session that is slow when a test says so, and a cascade whose model is asked. */
function joiningOf({ words = async () => {} }: { words?: () => Promise<void> } = {}) {
  const asked: LLMContextFrame[] = [];
  const taken: Array<{ readonly slow: SlowAnswer; readonly isForGood: boolean }> = [];
  const given: { last: LLMContextFrame | undefined } = { last: undefined };
  const joining = new LiveJoining({
    asked: () => given.last,
    words,
    ask: (frame) => asked.push(frame),
    takeOver: (slow, isForGood) => taken.push({ slow, isForGood }),
  });
  return {
    joining,
    asked,
    taken,
    /** The session is asked, and does not begin in its time. */
    slowTurn: async (id: number) => {
      const turn = new Turn(id);
      given.last = new LLMContextFrame(new LLMContext({}), turn);
      const begun = new AbortController();
      const slow = slowOf({ turn }, begun);
      joining.join(slow);
      await settled();
      return { turn, begun, slow };
    },
    contest: () => asked.at(-1)?.contest,
  };
}

function slowOf(of: Partial<SlowAnswer['question']>, begun = new AbortController()): SlowAnswer {
  const failure = new ProviderError('live', 'VB_PROVIDER_FAILED', 'no answer', { isFinal: true });
  return { question: { key: {}, ...of }, awaitedAt: 0, begun: begun.signal, isOver: false, failure, handOn: () => {} };
}

test('a model that begins before the session does answers in its place, this time', async () => {
  const stage = joiningOf();
  const { turn, slow } = await stage.slowTurn(1);
  stage.contest()?.wins();
  expect(stage.taken).toEqual([{ slow, isForGood: false }]);
  expect(stage.joining.end(turn)).toBe(true);
});

test('a session that begins before the model does answers, and the model is told', async () => {
  const stage = joiningOf();
  const { turn, begun } = await stage.slowTurn(1);
  begun.abort();
  expect(stage.contest()?.lost.aborted).toBe(true);
  stage.contest()?.wins();
  expect(stage.taken).toEqual([]);
  expect(stage.joining.end(turn)).toBe(false);
});

test('a session that begins too late is not asked to answer any more, and the model goes on', async () => {
  const stage = joiningOf();
  const { begun } = await stage.slowTurn(1);
  stage.contest()?.wins();
  begun.abort();
  expect(stage.contest()?.lost.aborted).toBe(false);
});

test('a session that was slower twice in a row is given up; not one that has spoken in between', async () => {
  const stage = joiningOf();
  for (const id of [1, 2, 3]) {
    const { turn } = await stage.slowTurn(id);
    stage.contest()?.wins();
    stage.joining.end(turn);
    if (id === 1) stage.joining.begins(new Turn(9));
  }
  expect(stage.taken.map(({ isForGood }) => isForGood)).toEqual([false, false, true]);
});

test('a sentence that the session is slow to say is said by the cascade at once', () => {
  const stage = joiningOf();
  const slow = slowOf({ text: 'Hello.' });
  stage.joining.join(slow);
  expect(stage.taken).toEqual([{ slow, isForGood: false }]);
  expect(stage.asked).toEqual([]);
});

test('a model is not asked while the words of the caller are awaited, nor when the session has begun meanwhile', async () => {
  let known = () => {};
  const stage = joiningOf({ words: () => new Promise<void>((resolve) => (known = resolve)) });
  const { turn, begun } = await stage.slowTurn(1);
  expect(stage.asked).toEqual([]);
  begun.abort();
  known();
  await settled();
  expect(stage.asked).toEqual([]);
  expect(stage.joining.end(turn)).toBe(false);
});

test('a turn whose model has failed is asked again when the session fails, too', async () => {
  const stage = joiningOf();
  const { turn } = await stage.slowTurn(1);
  stage.joining.fails();
  stage.joining.forget(true);
  expect(stage.joining.end(turn)).toBe(false);
});

test('a model that was asked answers in any case when the session is given up', async () => {
  const stage = joiningOf();
  const { turn } = await stage.slowTurn(1);
  stage.joining.forget(true);
  expect(stage.joining.end(turn)).toBe(true);
});

test('nothing is asked any more of a turn that the caller has interrupted', async () => {
  let known = () => {};
  const stage = joiningOf({ words: () => new Promise<void>((resolve) => (known = resolve)) });
  await stage.slowTurn(1);
  stage.joining.forget();
  known();
  await settled();
  expect(stage.asked).toEqual([]);
});
