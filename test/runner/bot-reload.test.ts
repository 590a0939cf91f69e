import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf, isAlive, until } from '../e2e/processes.js';
import { Inbox } from '../sandbox/inbox.js';
import { Stream } from './hand-carrier.js';
import { RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

/** Every reload starts processes, and other tests run beside these. */
jest.setTimeout(60_000);

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-reload-'));
});
afterEach(async () => {
  await until(() => childrenOf(process.pid, /bot-main/).length === 0, 'no bot process is left');
  rmSync(directory, { recursive: true, force: true });
});

const at = (name: string) => join(directory, name);
const save = (name: string, content: string) => writeFileSync(at(name), content);

/** A bot that says which code it is, and again when it is asked; `imports` may say what `part` is. */
const code = (version: string, imports = 'const part = undefined;') => `${imports}
export function bot({ websocket, call }) {
  return new Promise((resolve) => {
    const say = (event) => websocket.send(JSON.stringify({ event, pid: process.pid, call, query: { version: '${version}', part } }));
    websocket.on('message', (data) => {
      const { order } = JSON.parse(data);
      if (order === 'exit') process.exit(3);
      if (order === 'return') resolve();
      say('done');
    });
    websocket.on('close', () => resolve());
    say('hello');
    websocket.resume();
  });
}
`;

/** How long a reload may take on a busy machine, in milliseconds. */
const RELOAD_LIMIT_MS = 12_000;

/** A runner that watches its bot file, and what it tells of reloads. */
class Watching extends RunnerUnderTest {
  readonly reloads = new Inbox<{ file: string; ms: number } | { error: Error }>();

  static async of(file: string, options: TestRunnerOptions = {}): Promise<Watching> {
    const watching = new Watching({ botFile: at(file), watch: true, ...options });
    watching.runner.on('reloaded', (saved, ms) => watching.reloads.push({ file: saved, ms }));
    watching.runner.on('reload_failed', (error) => watching.reloads.push({ error }));
    await watching.runner.start();
    return watching;
  }

  async reloaded(): Promise<{ file: string; ms: number }> {
    const news = await this.reloads.next(() => true, RELOAD_LIMIT_MS);
    if ('error' in news) throw news.error;
    return news;
  }

  async failed(): Promise<string> {
    const news = await this.reloads.next(() => true, RELOAD_LIMIT_MS);
    if (!('error' in news)) throw new Error(`reloaded for ${news.file} instead of failing`);
    return news.error.message;
  }

  /** What a new call is served by. */
  async version(): Promise<string | undefined> {
    const stream = await this.carrier.call();
    stream.order('return');
    return stream.hello.query.version;
  }
}

/** What serves a call that goes on. */
async function versionOf(stream: Stream): Promise<string | undefined> {
  stream.order('say');
  return (await stream.event<{ query: { version: string } }>('done')).query.version;
}

test.each(['bot.mjs', 'bot.ts', 'bot.cjs'])(
  'a call keeps its code when %s is saved, and the next call has the new code',
  async (name) => {
    const asWritten = (version: string) =>
      name === 'bot.cjs'
        ? code(version).replace('export function bot', 'module.exports.bot = function')
        : code(version);
    save(name, asWritten('1'));
    await using served = await Watching.of(name);
    const first = await served.carrier.call();
    expect(first.hello.query.version).toBe('1');
    await until(() => childrenOf(process.pid, /bot-main/).length === 2, 'another process is warm');
    const [idle] = childrenOf(process.pid, /bot-main/).filter((pid) => pid !== first.hello.pid) as [number];

    save(name, asWritten('2'));
    const { file, ms } = await served.reloaded();
    expect(file).toBe(at(name));
    expect(ms).toBeGreaterThan(0);
    const second = await served.carrier.call();
    expect(second.hello.query.version).toBe('2');
    expect(await versionOf(first)).toBe('1');
    await until(() => !isAlive(idle), 'the process that waited with the old code ends');

    first.order('return');
    await until(() => !isAlive(first.hello.pid), 'the old code ends with its call');
    expect(await versionOf(second)).toBe('2');
  },
);

const OUR_ERROR =
  "Object.assign(new Error('Credentials are missing: KEY'), { name: 'VoicebotError', code: 'VB_CREDENTIALS_MISSING' })";

describe.each(['bot.mjs', 'bot.ts'])('a broken save of %s', (name) => {
  test.each([
    ['a syntax error', `${code('2')}\nconst a = = 1;`, (content: string) => `:${lineOf(content, '= =')}: `],
    ['an error while it loads', `\n\nthrow new Error('bad luck');\n${code('2')}`, () => ':3: bad luck'],
    [
      'an import that leads nowhere',
      code('2', "import { part } from './nowhere.mjs';"),
      () => ':1: Could not resolve "./nowhere.mjs"',
    ],
    ['nothing in it', '', () => ': it exports no `bot` function'],
  ])('with %s names file and line, and new calls keep the last good code', async (_what, broken, reason) => {
    save(name, code('1'));
    await using served = await Watching.of(name);
    save(name, broken);
    expect(await served.failed()).toContain(`${at(name)}${reason(broken)}`);
    // More calls than there were processes when it happened.
    for (let n = 0; n < 2; n += 1) expect(await served.version()).toBe('1');
    expect(served.problems.all).toEqual([]);

    save(name, code('3'));
    await served.reloaded();
    expect(await served.version()).toBe('3');
  });
});

function lineOf(content: string, text: string): number {
  return content.slice(0, content.indexOf(text)).split('\n').length;
}

test('a save that lacks a key is told in the words of the bot file', async () => {
  save('bot.ts', code('1'));
  await using served = await Watching.of('bot.ts');
  save('bot.ts', `throw ${OUR_ERROR};\n${code('2')}`);
  expect(await served.failed()).toBe('Credentials are missing: KEY');
  expect(await served.version()).toBe('1');
});

test.each([
  ['bot.mjs', 'part.mjs', 'a syntax error', "export const part = 'a';\nexport const b = = 1;", ':2: '],
  [
    'bot.mjs',
    'part.mjs',
    'an error while it loads',
    "export const part = 'a';\n\nthrow new Error('bad part');",
    ':3: bad part',
  ],
  ['bot.ts', 'part.ts', 'a syntax error', "export const part = 'a';\nexport const b = = 1;", ':2: '],
  [
    'bot.ts',
    'part.ts',
    'an error while it loads',
    "export const part = 'a';\n\nthrow new Error('bad part');",
    ':3: bad part',
  ],
])('in %s that imports %s, %s of the import names that file and line', async (name, part, _what, broken, reason) => {
  const imports = `import { part } from './${part.replace('.ts', '.js')}';`;
  save(part, "export const part = 'a';");
  save(name, code('1', imports));
  await using served = await Watching.of(name);
  save(part, broken);
  expect(await served.failed()).toContain(`${at(part)}${reason}`);
  expect(await served.version()).toBe('1');
});

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

test('of ten quick saves the last one counts', async () => {
  save('bot.ts', code('0'));
  await using served = await Watching.of('bot.ts');
  for (let n = 1; n <= 10; n += 1) save('bot.ts', code(String(n)));
  await until(async () => (await served.version()) === '10', 'the last save serves');
  // Each save by itself, while reloads go on.
  for (let n = 11; n <= 20; n += 1) {
    save('bot.ts', code(String(n)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(async () => (await served.version()) === '20', 'the last save serves');
});

test('a save while a reload goes on is not lost', async () => {
  save('bot.mjs', code('1'));
  await using served = await Watching.of('bot.mjs');
  const gate = JSON.stringify(at('gate'));
  const waiting = `import { existsSync, writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(at('loading'))}, '');
while (!existsSync(${gate})) await new Promise((resolve) => setTimeout(resolve, 10));`;
  save('bot.mjs', `${waiting}\n${code('2')}`);
  await until(() => readdirSync(directory).includes('loading'), 'the new code is being loaded');
  save('bot.mjs', code('3'));
  expect(await served.version()).toBe('1'); // nobody waits for it
  save('gate', '');
  await served.reloaded();
  await served.reloaded();
  expect(await served.version()).toBe('3');
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
  await until(() => readdirSync(directory).join() === 'bot.mjs', 'nothing is left beside the bot');
});

test('a runner that has not started cannot reload', async () => {
  save('bot.mjs', code('1'));
  await expect(new RunnerUnderTest({ botFile: at('bot.mjs') }).runner.reload()).rejects.toThrow('not started');
});
