import { RunnerUnderTest } from './runner-under-test.js';
import { at, code, expectNewCodeForNextCall, save, useBotFolder } from './watching-runner.js';

useBotFolder();

test('a call keeps its code when the bot file is saved, and the next call has the new code', () =>
  expectNewCodeForNextCall('bot.ts'));

test('a runner that has not started cannot reload', async () => {
  save('bot.mjs', code('1'));
  await expect(new RunnerUnderTest({ botFile: at('bot.mjs') }).runner.reload()).rejects.toThrow('not started');
});
