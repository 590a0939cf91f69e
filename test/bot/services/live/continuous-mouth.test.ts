import { ContinuousMouth } from '../../../../src/bot/services/live/continuous-mouth.js';
import { buzz } from '../../../../src/lab/kit/index.js';

const RATE = 8_000;
const LIMIT_MS = 6_000;

const settle = () => new Promise(setImmediate);

/** A mouth whose model is silent or speaks, so many milliseconds of its stream. */
function mouthOf() {
  const mouth = new ContinuousMouth(
    {
      push() {},
      begins() {},
      finished() {},
      place: () => ({ utterance: { id: 1, appendToContext: true }, over() {} }),
    },
    LIMIT_MS,
  );
  const hear = async (ms: number, sound: (ms: number) => Int16Array) => {
    for (let at = 0; at < ms; at += 100) mouth.hear(sound(100), RATE);
    await Promise.resolve();
  };
  return {
    mouth,
    isSilent: (ms: number) => hear(ms, (part) => new Int16Array((part * RATE) / 1_000)),
    speaks: (ms: number) => hear(ms, (part) => buzz(part, RATE)),
    /** What {@link ContinuousMouth.said} has come to. */
    async asked() {
      const asked: { answer?: boolean } = {};
      void mouth.said().then((answer) => {
        asked.answer = answer;
      });
      await settle();
      return asked;
    },
  };
}

test('a model that was given nothing to say has said all', async () => {
  const { mouth } = mouthOf();
  expect(await mouth.said()).toBe(true);
});

test('what a model was given to say is said when it has begun, and is silent again', async () => {
  const { mouth, isSilent, speaks, asked } = mouthOf();
  mouth.give();
  const said = await asked();
  await isSilent(LIMIT_MS - 100);
  await speaks(1_000);
  await settle();
  expect(said.answer).toBeUndefined();
  await isSilent(500);
  await settle();
  expect(said.answer).toBe(true);
});

test('a model that does not say what it was given is waited for as long as an answer may take', async () => {
  const { mouth, isSilent, asked } = mouthOf();
  mouth.give();
  const said = await asked();
  await isSilent(LIMIT_MS);
  await settle();
  expect(said.answer).toBeUndefined();
  await isSilent(100);
  await settle();
  expect(said.answer).toBe(false);
  expect(mouth.isToSpeak).toBe(false);
});

test('what a model was given while it spoke may be a part of that: it is waited for 2 s more', async () => {
  const { mouth, isSilent, speaks, asked } = mouthOf();
  await speaks(500);
  mouth.give();
  await speaks(500);
  const said = await asked();
  await isSilent(500 + 1_900);
  await settle();
  expect(said.answer).toBeUndefined();
  await isSilent(200);
  await settle();
  expect(said.answer).toBe(false);
});

test.each(['drop', 'renew'] as const)('what a model was given is not waited for after %s', async (method) => {
  const { mouth, asked } = mouthOf();
  mouth.give();
  const said = await asked();
  mouth[method]();
  await settle();
  expect(said.answer).toBe(false);
});
