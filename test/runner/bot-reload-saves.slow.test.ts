import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { childrenOf, until } from '../e2e/processes.js';
import { Stream } from './hand-carrier.js';
import {
  at,
  code,
  expectLastGoodCode,
  expectLastGoodPart,
  namesInFolder,
  save,
  useBotFolder,
  Watching,
} from './watching-runner.js';

/** Every reload starts processes, and other tests run beside these. */
jest.setTimeout(60_000);

useBotFolder();

test('a broken save names file and line, and new calls keep the last good code', () =>
  expectLastGoodCode('bot.ts', [[`const a = = 1;\n${code('2')}`, ':1: ']]));

const OUR_ERROR =
  "Object.assign(new Error('Credentials are missing: KEY'), { name: 'VoicebotError', code: 'VB_CREDENTIALS_MISSING' })";

test('a save that lacks a key is told in the words of the bot file', async () => {
  save('bot.ts', code('1'));
  await using served = await Watching.of('bot.ts');
  save('bot.ts', `throw ${OUR_ERROR};\n${code('2')}`);
  expect(await served.failed()).toBe('Credentials are missing: KEY');
  expect(await served.version()).toBe('1');
});

test('an error of what the bot file imports names that file and line', () =>
  expectLastGoodPart('bot.ts', 'part.ts', [
    ["export const part = 'a';\n\nthrow new Error('bad part');", ':3: bad part'],
  ]));

test('what the bot file imports is watched, also what it imports only since a reload, and data', async () => {
  const partOf = async (served: Watching) => {
    const stream = await served.carrier.call();
    stream.order('return');
    return stream.hello.query.part;
  };
  mkdirSync(at('lib'));
  save('lib/part.ts', "export const part: string = 'a';");
  save('bot.ts', code('1', "import { part } from './lib/part.js';"));
  await using served = await Watching.of('bot.ts');
  expect(await partOf(served)).toBe('a');

  save('lib/part.ts', "export const part: string = 'b';");
  expect((await served.reloaded()).file).toBe(at('lib/part.ts'));
  expect(await partOf(served)).toBe('b');

  mkdirSync(at('data'));
  save('data/words.json', '{ "part": "c" }');
  save('lib/part.ts', "import words from '../data/words.json';\nexport const { part } = words;");
  await served.reloaded();
  expect(await partOf(served)).toBe('c');

  save('data/words.json', '{ "part": "d" }');
  expect((await served.reloaded()).file).toBe(at('data/words.json'));
  expect(await partOf(served)).toBe('d');
});

test('a save while a reload goes on is not lost', async () => {
  save('bot.mjs', code('1'));
  await using served = await Watching.of('bot.mjs');
  const gate = JSON.stringify(at('gate'));
  const waiting = `import { existsSync, writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(at('loading'))}, '');
while (!existsSync(${gate})) await new Promise((resolve) => setTimeout(resolve, 10));`;
  save('bot.mjs', `${waiting}\n${code('2')}`);
  await until(() => namesInFolder().includes('loading'), 'the new code is being loaded');
  save('bot.mjs', code('3'));
  expect(await served.version()).toBe('1'); // nobody waits for it
  save('gate', '');
  await served.reloaded();
  await served.reloaded();
  expect(await served.version()).toBe('3');
});

test('the bot that takes over from a failed one has the new code', async () => {
  save('bot.mjs', code('1'));
  await using served = await Watching.of('bot.mjs');
  const stream = await served.carrier.call();
  save('bot.mjs', code('2'));
  await served.reloaded();
  stream.order('exit');
  await stream.closed;
  const again = await Stream.open((await served.carrier.resume(stream.callId)).streamUrl);
  expect(again.hello).toMatchObject({ call: { attempt: 2 }, query: { version: '2' } });
});

test('requests to reload that come together are done together', async () => {
  save('bot.mjs', code('1'));
  await using served = await Watching.of('bot.mjs');
  await Promise.all(Array.from({ length: 5 }, () => served.runner.reload()));
  expect(served.reloads.all.length).toBeLessThanOrEqual(2);
});

function watchesOf(descriptor: string): number {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8').split('\ninotify ').length - 1;
  } catch {
    return 0; // the one that has listed the others
  }
}

test('a runner that stops in the middle of a reload leaves nothing', async () => {
  // What the system watches for this process.
  const watchers = () =>
    process.platform === 'linux'
      ? readdirSync('/proc/self/fdinfo').reduce((sum, fd) => sum + watchesOf(fd), 0)
      : Number.NaN;
  const before = watchers();
  save('bot.mjs', code('1'));
  {
    await using served = await Watching.of('bot.mjs');
    expect(watchers()).toBe(before + 1); // NaN is NaN
    save('bot.mjs', `await new Promise((resolve) => setTimeout(resolve, 60_000));\n${code('2')}`);
    await until(() => childrenOf(process.pid, /bot-main/).length === 2, 'the new code is being loaded');
    void served;
  }
  await until(() => childrenOf(process.pid, /bot-main/).length === 0, 'no bot process is left');
  expect(watchers()).toBe(before);
  await until(() => namesInFolder().join() === 'bot.mjs', 'nothing is left beside the bot');
});
