import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { childrenOf, isAlive, until } from '../e2e/processes.js';
import type { Stream } from './hand-carrier.js';
import {
  at,
  type BrokenSave,
  code,
  expectLastGoodCode,
  expectLastGoodPart,
  expectNewCodeForNextCall,
  save,
  useBotFolder,
  versionOf,
  Watching,
} from './watching-runner.js';

/** Every reload starts processes, and other tests run beside these. */
jest.setTimeout(60_000);

useBotFolder();

test.each(['bot.mjs', 'bot.cjs'])(
  'a call keeps its code when %s is saved, and the next call has the new code',
  expectNewCodeForNextCall,
);

const THROWS: BrokenSave = [`\n\nthrow new Error('bad luck');\n${code('2')}`, ':3: bad luck'];
const SYNTAX_ERROR: BrokenSave = [`const a = = 1;\n${code('2')}`, ':1: '];
const MISSING_PART: BrokenSave = [
  code('2', "import { part } from './nowhere.mjs';"),
  ':1: Could not resolve "./nowhere.mjs"',
];
const NOTHING: BrokenSave = ['', ': it exports no `bot` function'];

test.each(['bot.mjs', 'bot.ts'])(
  'broken saves of %s name file and line, and new calls keep the last good code: a syntax error, an error while it loads, an import that leads nowhere, nothing in it',
  async (name) => {
    await expectLastGoodCode(name, [SYNTAX_ERROR, THROWS, MISSING_PART, NOTHING]);
  },
);

const SYNTAX_ERROR_IN_PART: BrokenSave = ["export const part = 'a';\nexport const b = = 1;", ':2: '];
const PART_THROWS: BrokenSave = ["export const part = 'a';\n\nthrow new Error('bad part');", ':3: bad part'];

test.each([
  ['bot.mjs', 'part.mjs', [SYNTAX_ERROR_IN_PART, PART_THROWS]],
  ['bot.ts', 'part.ts', [SYNTAX_ERROR_IN_PART]],
])('in %s that imports %s, what is wrong in the import names that file and line', async (name, part, saves) => {
  await expectLastGoodPart(name, part, saves);
});

test('an import that was looked for in vain mends the bot when it comes to be', async () => {
  save('bot.ts', code('1'));
  await using served = await Watching.of('bot.ts');
  save('bot.ts', code('2', "import { part } from './later/part.js';"));
  expect(await served.failed()).toContain(`${at('bot.ts')}:1: `);
  mkdirSync(at('later'));
  save('later/part.ts', "export const part: string = 'a';");
  await served.reloaded();
  expect(await served.version()).toBe('2');
});

test('a file that is replaced by another one is noticed every time', async () => {
  save('bot.mjs', code('1'));
  await using served = await Watching.of('bot.mjs');
  for (const version of ['2', '3']) {
    save('.bot.mjs.tmp', code(version));
    renameSync(at('.bot.mjs.tmp'), at('bot.mjs'));
    await served.reloaded();
    expect(await served.version()).toBe(version);
  }
});

test('of ten quick saves the last one counts', async () => {
  save('bot.ts', code('0'));
  await using served = await Watching.of('bot.ts');
  for (let n = 1; n <= 10; n += 1) save('bot.ts', code(String(n)));
  await until(async () => (await served.version()) === '10', 'the last save serves');
  // Each save by itself, while reloads go on.
  for (let n = 11; n <= 15; n += 1) {
    save('bot.ts', code(String(n)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(async () => (await served.version()) === '15', 'the last save serves');
});

test('a save that changes nothing is none', async () => {
  save('bot.mjs', code('1'));
  await using served = await Watching.of('bot.mjs');
  save('bot.mjs', code('1'));
  save('notes.txt', 'something else in the folder');
  const first = await served.carrier.call();
  save('bot.mjs', code('2'));
  await served.reloaded();
  expect(await served.version()).toBe('2');
  expect(await versionOf(first)).toBe('1');
  expect(served.reloads.all).toHaveLength(1);
});

test('a process with room for five calls gets no more of them once its code is old, and ends with its last', async () => {
  save('bot.mjs', code('1'));
  await using served = await Watching.of('bot.mjs', { callsPerProcess: 5 });
  const old = [await served.carrier.call(), await served.carrier.call()];
  const [{ hello }] = old as [Stream];
  save('bot.mjs', code('2'));
  await served.reloaded();
  const fresh = await Promise.all(Array.from({ length: 3 }, () => served.carrier.call()));
  for (const stream of fresh) expect(stream.hello).toMatchObject({ query: { version: '2' } });
  expect(new Set(fresh.map(({ hello: { pid } }) => pid)).size).toBe(1);
  for (const stream of old) {
    expect(await versionOf(stream)).toBe('1');
    expect(stream.hello.pid).toBe(hello.pid);
  }
  old[0]?.order('return');
  await old[0]?.closed;
  expect(await versionOf(old[1] as Stream)).toBe('1');
  old[1]?.order('return');
  await until(() => !isAlive(hello.pid), 'the old process ends with its last call');
  for (const stream of fresh) expect(await versionOf(stream)).toBe('2');
});

test('processes can be replaced on demand, in a run that watches nothing, too', async () => {
  save('bot.mjs', code('1'));
  await using served = await Watching.of('bot.mjs', { watch: false, warm: 2 });
  const bots = () => childrenOf(process.pid, /bot-main/);
  await until(() => bots().length === 2, 'both are warm');
  const old = bots();
  await served.runner.reload();
  await served.reloaded();
  await until(() => bots().length === 2 && !old.some(isAlive), 'both are other ones');

  save('bot.mjs', 'nonsense;');
  await served.runner.reload();
  expect(await served.failed()).toContain(`${at('bot.mjs')}:1: nonsense is not defined`);
  expect(await served.version()).toBe('1');
});

test('a file that is deleted is told, the last code serves, and the file may come back', async () => {
  save('bot.ts', code('1'));
  await using served = await Watching.of('bot.ts');
  rmSync(at('bot.ts'));
  expect(await served.failed()).toContain(`${at('bot.ts')}: there is no such file`);
  for (let n = 0; n < 2; n += 1) expect(await served.version()).toBe('1');
  save('bot.ts', code('2'));
  await served.reloaded();
  expect(await served.version()).toBe('2');
});
