import type { CallerTurn } from '../../../src/lab/scenario/caller-player.js';
import { callerPlayedBy } from '../../../src/lab/scenario/model-caller.js';
import { playedModel } from './played-model.js';

const ADA = { persona: 'a hurried woman', goal: 'to learn the hours', success: 'the bot has named them' };
const NOTHING = { say: null, press: null, hangUp: false, succeeded: null, because: 'I wait' };
const { signal } = new AbortController();
const moment = (done: readonly CallerTurn[] = []) => ({
  talk: [{ speaker: 'bot' as const, text: 'This is Bluebird Bakery.' }],
  done,
  signal,
});

test('says, presses and hangs up what the model answers, which knows the talk, the keys and who it is', async () => {
  const { model, asked } = playedModel(
    JSON.stringify({ ...NOTHING, say: ' Are you open? ', press: '1#' }),
    JSON.stringify({ ...NOTHING, hangUp: true, succeeded: true, because: 'they are open' }),
  );
  const caller = callerPlayedBy(model, ADA);
  expect(await caller.next(moment())).toEqual({ say: 'Are you open?', press: '1#', because: 'I wait' });
  const last = await caller.next(moment([{ press: '1#' }]));
  expect(last).toEqual({ hangUp: true, succeeded: true, because: 'they are open' });
  for (const words of [
    'a hurried woman',
    'to learn the hours',
    'the bot has named them',
    'bot: This is Bluebird Bakery.',
  ])
    expect(asked[0]).toContain(words);
  expect(asked[0]).toContain('pressed: none');
  expect(asked[1]).toContain('pressed: 1#');
});

test('a model that hangs up without a word about success has not succeeded', async () => {
  const { model } = playedModel(JSON.stringify({ ...NOTHING, hangUp: true }));
  expect(await callerPlayedBy(model, ADA).next(moment())).toMatchObject({ hangUp: true, succeeded: false });
});

test('hangs up without success when all turns are used, and does not ask the model', async () => {
  const { model, asked } = playedModel();
  const turn = await callerPlayedBy(model, { ...ADA, turns: 2 }).next(moment([{}, {}]));
  expect(turn).toEqual({ hangUp: true, succeeded: false, because: 'the caller has not succeeded in 2 turns' });
  expect(asked).toEqual([]);
});

test.each([
  ['no answer', ''],
  ['no object', 'I would say hello.'],
  ['another object', '{"say":"Hello"}'],
  ['keys that no telephone has', JSON.stringify({ ...NOTHING, press: 'one' })],
])('rejects with a message: %s', async (_case, text) => {
  await expect(callerPlayedBy(playedModel(text).model, ADA).next(moment())).rejects.toThrow(/No object|No output/);
});

test('refuses a caller that is not one, with every problem', () => {
  expect(() => callerPlayedBy(playedModel().model, { persona: '', goal: 'x', success: ' ', turns: 0 })).toThrow(
    /persona must have words; success must have words; turns /,
  );
});
