/** What a runner says when the configuration lacks what the code of its bot needs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/logger.js';
import { startCall } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

let directory: string;
let botFile: string;
let warned: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-warnings-'));
  botFile = join(directory, 'bot.mjs');
  warned = [];
  save('operatorNumber()');
});
afterEach(() => rmSync(directory, { recursive: true }));

const save = (code: string) =>
  writeFileSync(botFile, `const operatorNumber = () => '';\nexport async function bot() { ${code}; }\n`);

const serve = (options: TestRunnerOptions = {}) => {
  const warn = (message: string) => void warned.push(message);
  return RunnerUnderTest.start({ ...IN_PROCESS, botFile, logger: { ...silentLogger, warn }, ...options });
};

const NO_OPERATOR = expect.stringContaining('the bot transfers callers to OPERATOR_NUMBER, which is not set');

test('a bot that transfers to an operator whose number is not set: a warning at the start, and with every call', async () => {
  await using served = await serve();
  expect(warned).toEqual([NO_OPERATOR]);
  const { body } = await startCall(served.runner, { phone_number: '+12025550142' });
  expect(body).toMatchObject({ call_id: expect.anything(), warnings: [NO_OPERATOR] });
  await served.runner.reload();
  expect(warned).toHaveLength(1);
});

test('also one that does so only since it was saved', async () => {
  save('');
  await using served = await serve();
  expect(warned).toEqual([]);
  save('operatorNumber()');
  await served.runner.reload();
  expect(warned).toEqual([NO_OPERATOR]);
});

test('no word where the number is set', async () => {
  await using served = await serve({ operatorNumber: '+12025550142' });
  const { body } = await startCall(served.runner, { phone_number: '+12025550142' });
  expect(body).not.toHaveProperty('warnings');
  expect(warned).toEqual([]);
});

test('no word any more of one that transfers to nobody since it was saved', async () => {
  await using served = await serve();
  save('');
  await served.runner.reload();
  const { body } = await startCall(served.runner, { phone_number: '+12025550142' });
  expect(body).not.toHaveProperty('warnings');
  save('operatorNumber()');
  await served.runner.reload();
  expect(warned).toEqual([NO_OPERATOR, NO_OPERATOR]);
});

test.each([
  ['transcriptionEnabled: true', [expect.stringContaining('over a carrier it understands no words. Add stt')]],
  ['transcriptionEnabled: true, stt: ears', []],
  ['transcriptionEnabled: true, live: model', []],
])('of a bot with { %s } over a carrier', async (parts, expected) => {
  save(`const ears = {}, model = {}; const parts = { ${parts} }`);
  await using served = await serve();
  expect(warned).toEqual(expected);
});
