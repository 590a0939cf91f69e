import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentOf } from '../../../src/runner/bots/bot-source.js';
import { BotWatch } from '../../../src/runner/bots/bot-watch.js';
import { Inbox } from '../../sandbox/inbox.js';

let directory: string;
let watch: BotWatch;
let changes: Inbox<string>;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-watch-'));
  changes = new Inbox();
  begin(3_600_000);
});
afterEach(() => {
  watch.close();
  rmSync(directory, { recursive: true, force: true });
});

/** @param lookEveryMs how often to look unasked */
function begin(lookEveryMs: number): void {
  watch = new BotWatch(lookEveryMs);
  watch.on('change', (file) => changes.push(file));
}

const at = (name: string) => join(directory, name);
const save = (name: string, content: string) => writeFileSync(at(name), content);
/** Watches files as they are. */
const follow = (...names: string[]) => watch.follow(new Map(names.map((name) => [at(name), contentOf(at(name))])));
const change = () => changes.next(() => true, 10_000);

test('tells which file has changed, each change once', async () => {
  save('a.ts', '1');
  save('b.ts', '1');
  follow('a.ts', 'b.ts');
  save('b.ts', '2');
  expect(await change()).toBe(at('b.ts'));
  save('a.ts', '2');
  expect(await change()).toBe(at('a.ts'));
  expect(changes.all).toHaveLength(2);
});

test('tells with a change what is in all files, so that no file has to be read again', async () => {
  save('a.ts', '1');
  save('b.ts', '1');
  const seen = new Promise((resolve) => watch.once('change', (_file, _noticedAt, contents) => resolve(contents)));
  follow('a.ts', 'b.ts');
  save('b.ts', '2');
  expect(await seen).toEqual(
    new Map([
      [at('a.ts'), '1'],
      [at('b.ts'), '2'],
    ]),
  );
});

test('a save that came before it was asked to watch is told', async () => {
  save('a.ts', '2');
  watch.follow(new Map([[at('a.ts'), '1']]));
  expect(await change()).toBe(at('a.ts'));
});

test('a folder that is replaced by another one is watched on', async () => {
  mkdirSync(at('lib'));
  save('lib/a.ts', '1');
  follow('lib/a.ts');
  for (const content of ['2', '3']) {
    mkdirSync(at('new'));
    save('new/a.ts', content);
    renameSync(at('lib'), at('old'));
    renameSync(at('new'), at('lib'));
    rmSync(at('old'), { recursive: true });
    expect(await change()).toBe(at('lib/a.ts'));
  }
  save('lib/a.ts', '4');
  expect(await change()).toBe(at('lib/a.ts'));
});

test('a folder that is deleted may come back', async () => {
  mkdirSync(at('lib/deep'), { recursive: true });
  save('lib/deep/a.ts', '1');
  follow('lib/deep/a.ts');
  rmSync(at('lib'), { recursive: true });
  expect(await change()).toBe(at('lib/deep/a.ts'));
  mkdirSync(at('lib/deep'), { recursive: true });
  save('lib/deep/a.ts', '1');
  expect(await change()).toBe(at('lib/deep/a.ts'));
  save('lib/deep/a.ts', '2');
  expect(await change()).toBe(at('lib/deep/a.ts'));
});

test('a file that was looked for in vain is told when it comes to be', async () => {
  follow('later/deep/a.ts');
  mkdirSync(at('later/deep'), { recursive: true });
  save('later/deep/a.ts', '1');
  expect(await change()).toBe(at('later/deep/a.ts'));
});

test('a change that the system announces nowhere is found all the same', async () => {
  for (const version of ['1', '2']) {
    mkdirSync(at(version));
    save(`${version}/a.ts`, version);
  }
  symlinkSync(at('1'), at('current'));
  watch.close();
  begin(50);
  follow('current/a.ts');
  symlinkSync(at('2'), at('next'));
  renameSync(at('next'), at('current'));
  expect(await change()).toBe(at('current/a.ts'));
});

test('other files of the folder are nobody’s business, and after the end nothing is told', async () => {
  save('a.ts', '1');
  save('b.ts', '1');
  follow('a.ts');
  save('.a.ts.4194305.mjs', '1');
  save('b.ts', '2');
  follow('b.ts'); // no longer the other one
  save('a.ts', '2');
  save('b.ts', '3');
  expect(await change()).toBe(at('b.ts'));
  const other = new BotWatch();
  const told = new Promise((resolve) => other.once('change', resolve));
  other.follow(new Map([[at('b.ts'), '3']]));
  watch.close();
  save('b.ts', '4');
  await told;
  other.close();
  expect(changes.all).toHaveLength(1);
});
