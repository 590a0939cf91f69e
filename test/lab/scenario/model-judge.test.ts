import { judgedBy } from '../../../src/lab/scenario/model-judge.js';
import { playedModel } from './played-model.js';

const CALL = {
  talk: [{ speaker: 'bot' as const, text: 'We are closed.' }],
  tools: [{ name: 'opening_hours', input: { day: 'Sunday' } }],
  endReason: 'bot_ended',
};
const { signal } = new AbortController();

test('gives the verdict of the model, which is shown the rubric, the talk, the functions and the end', async () => {
  const { model, asked } = playedModel('{"because":"It names no price.","passed":true}');
  expect(await judgedBy(model, 'It names no price.')(CALL, signal)).toEqual({
    because: 'It names no price.',
    passed: true,
  });
  for (const words of ['It names no price.', 'bot: We are closed.', 'opening_hours', 'Sunday', 'bot_ended'])
    expect(asked[0]).toContain(words);
});

test.each(['', 'It was fine.', '{"passed":"maybe"}'])('rejects where the model gives no verdict: %j', async (text) => {
  await expect(judgedBy(playedModel(text).model, 'Any.')(CALL, signal)).rejects.toThrow(/No object|No output/);
});

test('refuses a rubric without words', () => {
  expect(() => judgedBy(playedModel().model, ' ')).toThrow('must have words');
});
