import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VoicebotError } from '../../src/base/errors.js';
import { botLoadError } from '../../src/runner/bots/bot-load-error.js';
import { childrenOf, until } from '../e2e/processes.js';
import { Stream } from './hand-carrier.js';
import { holdTimers } from './hold-timers.js';
import { RunnerUnderTest } from './runner-under-test.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-bot-'));
});
afterEach(() => {
  jest.useRealTimers();
  rmSync(directory, { recursive: true });
});

const noBotIsLeft = () => until(() => childrenOf(process.pid, /bot-main/).length === 0, 'no bot process is left');

const GOOD = 'export async function bot({ websocket }) { websocket.send(\'{"event":"hello"}\'); }\n';

test.each([
  [
    'throws while it is imported',
    'bot.mjs',
    "\n\nthrow new Error('no key for the service');",
    ':3: no key for the service',
  ],
  ['throws while it is imported', 'bot.ts', 'const n: number = 1;\n\nthrow new Error("no key " + n);', ':3: no key 1'],
  ['throws inside a function', 'bot.mjs', 'const f = () => { null.x; };\n\nf();', ':1: Cannot read properties of null'],
  ['throws what is no error', 'bot.mjs', "throw 'just text';", ': just text'],
  ['has a syntax error', 'bot.mjs', 'export const a = 1;\nexport async function bot( {', ':2: Unexpected end of input'],
  ['has a syntax error', 'bot.ts', 'export const a: number = 1;\nexport const b = = 2;', ':2'],
  ['imports what is not there', 'bot.mjs', "import 'no-such-package';", "Cannot find package 'no-such-package'"],
  ['imports a file that is not there', 'bot.ts', "import './no-such-file.js';", 'no-such-file.js'],
  ['exports nothing', 'bot.mjs', 'const a = 1;', ': it exports no `bot` function'],
  ['exports something else as bot', 'bot.ts', 'export const bot: string = "x";', ': it exports no `bot` function'],
  ['ends its process', 'bot.mjs', 'process.exit(7);', ' ended its process with code 7 while loading'],
  [
    'is killed',
    'bot.mjs',
    "process.kill(process.pid, 'SIGKILL');",
    ' ended its process with signal SIGKILL while loading',
  ],
])('a bot file that %s (%s) is named with line and reason', async (_, name, content, reason) => {
  const botFile = join(directory, name);
  writeFileSync(botFile, content);
  const refused = new RunnerUnderTest({ botFile });
  const error = await refused.runner.start().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(VoicebotError);
  const { code, message } = error as VoicebotError;
  expect(code).toBe('VB_BOT_LOAD_FAILED');
  expect(message).toContain(`${botFile}${/^[: ]/.test(reason) ? reason : ''}`);
  expect(message).toContain(reason);
  expect(message).not.toContain('\n');
  expect(() => refused.runner.port).toThrow('not started');
  await noBotIsLeft();
  expect(readdirSync(directory)).toEqual([name]);
});

test.each(['bot.mjs', 'bot.ts'])('a %s that throws an error of ours is refused with that error', async (name) => {
  const botFile = join(directory, name);
  const error =
    "Object.assign(new Error('Credentials are missing: X'), { name: 'VoicebotError', code: 'VB_CREDENTIALS_MISSING', hint: 'get X' })";
  writeFileSync(botFile, `throw ${error};`);
  await expect(new RunnerUnderTest({ botFile }).runner.start()).rejects.toMatchObject({
    code: 'VB_CREDENTIALS_MISSING',
    message: 'Credentials are missing: X',
    hint: expect.stringMatching(/^get X; /),
  });
  await noBotIsLeft();
});

test('a code nobody knows makes no error of ours', async () => {
  const botFile = join(directory, 'bot.mjs');
  writeFileSync(botFile, "throw Object.assign(new Error('odd'), { name: 'VoicebotError', code: 'VB_NO_SUCH_CODE' });");
  await expect(new RunnerUnderTest({ botFile }).runner.start()).rejects.toMatchObject({
    code: 'VB_BOT_LOAD_FAILED',
    message: expect.stringContaining(`${botFile}:1: odd`),
  });
});

test('the values a bot is given are there while its file loads', async () => {
  const botFile = join(directory, 'bot.mjs');
  writeFileSync(botFile, "throw new Error('the key is ' + process.env.SOME_KEY);");
  const { runner } = new RunnerUnderTest({ botFile, botEnvironment: { SOME_KEY: 'k-1' } });
  await expect(runner.start()).rejects.toMatchObject({ message: expect.stringContaining('the key is k-1') });
});

test('a package that is missing is named with the command that installs it', async () => {
  const botFile = join(directory, 'bot.mjs');
  writeFileSync(botFile, "import '@no-such/package';");
  await expect(new RunnerUnderTest({ botFile }).runner.start()).rejects.toMatchObject({
    code: 'VB_BOT_LOAD_FAILED',
    hint: 'npm install @no-such/package',
  });
});

test.each([
  ['espeak', 'voicebot'],
  ['EspeakTTS', 'voicebot/services'],
])('a bot file that imports the voice %s, which there is no more, is told of flite', async (name, door) => {
  const failure = {
    message: `The requested module '${door}' does not provide an export named '${name}'`,
    stack: `file:///bots/bot.mjs:1\nimport { ${name} } from '${door}';`,
  };
  expect(botLoadError('/bots/bot.mjs', failure)).toMatchObject({
    code: 'VB_BOT_LOAD_FAILED',
    message: expect.stringContaining('/bots/bot.mjs:1: '),
    hint: expect.stringContaining('flite()'),
  });
});

test('a bot file that is not there is named', async () => {
  const botFile = join(directory, 'nowhere.ts');
  await expect(new RunnerUnderTest({ botFile }).runner.start()).rejects.toMatchObject({
    code: 'VB_BOT_LOAD_FAILED',
    message: expect.stringContaining(botFile),
    hint: expect.stringContaining('export default defineBot({ … })'),
  });
});

test('a bot file that never finishes loading is given up after 20 s', async () => {
  const botFile = join(directory, 'bot.mjs');
  writeFileSync(botFile, 'setInterval(() => {}, 1000);\nawait new Promise(() => {});');
  holdTimers();
  const starting = new RunnerUnderTest({ botFile }).runner.start();
  await until(() => jest.getTimerCount() > 0, 'the bot is being loaded');
  jest.advanceTimersByTime(20_000);
  await expect(starting).rejects.toMatchObject({
    code: 'VB_BOT_LOAD_FAILED',
    message: expect.stringContaining('did not finish loading within 20000 ms'),
  });
  await noBotIsLeft();
});

test.each([
  ['bot.mjs', GOOD.replace('function bot', 'function anyName').replace('export', 'export default')],
  ['bot.cjs', `module.exports = { ${GOOD.replace('export async function', 'async')} };`],
  [
    'bot.ts',
    `enum Kind { A }\n${GOOD.replace('{ websocket }', '{ websocket }: { websocket: { send(text: string): void } }')}`,
  ],
  [
    'bot.ts',
    GOOD.replace('function bot', 'function')
      .replace('export', 'export default')
      .replace('{ websocket }', '{ websocket }: any'),
  ],
  ['bot.mts', GOOD.replace('{ websocket }', '{ websocket }: any')],
  ['bot with spaces and ünïcode #1.mjs', GOOD],
])('a bot file may be %s', async (name, content) => {
  const botFile = join(directory, name);
  writeFileSync(botFile, content);
  {
    await using served = await RunnerUnderTest.start({ botFile });
    expect(await (await Stream.open((await served.carrier.answer()).streamUrl)).closed).toBe(1000);
  }
  await noBotIsLeft();
  expect(readdirSync(directory)).toEqual([name]); // nothing is left beside it, also of a bot that was still being loaded
});

describe('botLoadError', () => {
  const FILE = '/home/dev/bot.ts';
  const place = (message: string, stack = '') => botLoadError(FILE, { message, stack }).message.replace(/^[^:]+: /, '');

  test.each([
    ['boom', `Error: boom\n    at file://${FILE}:12:7`, `${FILE}:12: boom`],
    ['boom', `Error: boom\n    at f (/home/dev/lib.ts:3:1)\n    at ${FILE}:9:1`, `${FILE}:9: boom`],
    ['boom', 'Error: boom\n    at node:internal/modules:1:1', `${FILE}: boom`],
    ['boom', 'Error: boom\n    at /home/dev/bot.tsx:4:1', `${FILE}: boom`],
    [`${FILE}:5:3: ERROR: Unexpected "="`, '', `${FILE}:5: `],
    ['first line\nsecond line', '', `${FILE}: first line`],
  ])('%j in %j', (message, stack, expected) => {
    expect(place(message, stack)).toContain(expected);
    expect(place(message, stack)).not.toContain('\n');
  });

  test('names the place where Windows gives the file as an address', () => {
    const failure = { message: 'boom', stack: 'Error: boom\n    at file:///C:/Users/ada/bot.ts:12:7' };
    expect(botLoadError('C:\\Users\\ada\\bot.ts', failure).message).toContain('C:\\Users\\ada\\bot.ts:12: boom');
  });
});
