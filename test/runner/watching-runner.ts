import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf, isAlive, until } from '../e2e/processes.js';
import { Inbox } from '../sandbox/inbox.js';
import type { Stream } from './hand-carrier.js';
import { RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

let directory: string;

/** Gives every test of a file a folder of its own for its bot. */
export function useBotFolder(): void {
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'voicebot-reload-'));
  });
  afterEach(async () => {
    await until(() => childrenOf(process.pid, /bot-main/).length === 0, 'no bot process is left');
    rmSync(directory, { recursive: true, force: true });
  });
}

/** The names of everything in that folder. */
export const namesInFolder = () => readdirSync(directory);

export const at = (name: string) => join(directory, name);
export const save = (name: string, content: string) => writeFileSync(at(name), content);

/** A bot that says which code it is, and again when it is asked; `imports` may say what `part` is. */
export const code = (version: string, imports = 'const part = undefined;') => `${imports}
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
export class Watching extends RunnerUnderTest {
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
export async function versionOf(stream: Stream): Promise<string | undefined> {
  stream.order('say');
  return (await stream.event<{ query: { version: string } }>('done')).query.version;
}

/** Checks that a call keeps its code when the file is saved, and that the next call has the new code. */
export async function expectNewCodeForNextCall(name: string): Promise<void> {
  const asWritten = (version: string) =>
    name === 'bot.cjs' ? code(version).replace('export function bot', 'module.exports.bot = function') : code(version);
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
}

/** What is saved, and how the runner tells what is wrong with it, from the file's name on. */
export type BrokenSave = readonly [content: string, reason: string];

/** Checks that broken saves are told with file, line and reason, and that new calls keep the last good code. */
export async function expectLastGoodCode(name: string, saves: readonly BrokenSave[]): Promise<void> {
  save(name, code('1'));
  await using served = await Watching.of(name);
  for (const [broken, reason] of saves) {
    save(name, broken);
    expect(await served.failed()).toContain(`${at(name)}${reason}`);
    expect(await served.version()).toBe('1');
  }
  expect(await served.version()).toBe('1'); // more calls than there were processes when it happened
  expect(served.problems.all).toEqual([]);

  save(name, code('3'));
  await served.reloaded();
  expect(await served.version()).toBe('3');
}

/** Checks the same for a file that the bot file imports. */
export async function expectLastGoodPart(name: string, part: string, saves: readonly BrokenSave[]): Promise<void> {
  const imports = `import { part } from './${part.replace('.ts', '.js')}';`;
  save(part, "export const part = 'a';");
  save(name, code('1', imports));
  await using served = await Watching.of(name);
  for (const [broken, reason] of saves) {
    save(part, broken);
    expect(await served.failed()).toContain(`${at(part)}${reason}`);
    expect(await served.version()).toBe('1');
  }
}
