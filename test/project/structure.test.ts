/** What holds for the sources as a whole. The direction between wings is checked by dependency-cruiser. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documents, filesIn, read } from './repository.js';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const MOST_LINES = 350;

const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return { path, name: relative(SRC, path).split(sep).join('/'), text: readFileSync(path, 'utf8') };
  });

const paths = new Set(files.map(({ path }) => path));

/** Its folder, at most two deep; undefined for a file that stands alone. */
function folderOf(path: string): string | undefined {
  const folders = relative(SRC, dirname(path)).split(sep);
  return folders[0] === '' ? undefined : folders.slice(0, 2).join('/');
}

const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, address = '']) => address);

/** The source that `import '….js'` means; none for a style sheet. */
const fileAt = (path: string): string[] =>
  ['.ts', '.tsx'].map((ending) => path.replace(/\.js$/, ending)).filter((one) => paths.has(one));

test('no two folders import each other', () => {
  const pairs = new Set<string>();
  for (const { path, text } of files) {
    for (const address of importsOf(text)) {
      const [from, to] = [folderOf(path), folderOf(resolve(dirname(path), address))];
      if (from && to && from !== to) pairs.add(`${from} ${to}`);
    }
  }
  expect(pairs.size).toBeGreaterThan(50);
  expect([...pairs].filter((pair) => pairs.has(pair.split(' ').reverse().join(' ')))).toEqual([]);
});

/** dependency-cruiser sees values and types, and no `.tsx`. */
test('no files import each other in a circle, the pages among them', () => {
  const imports = new Map(
    files.map(({ path, text }) => [path, importsOf(text).flatMap((to) => fileAt(resolve(dirname(path), to)))]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (path: string, way: readonly string[]): void => {
    if (way.includes(path))
      circles.push([...way.slice(way.indexOf(path)), path].map((one) => relative(SRC, one)).join(' > '));
    if (way.includes(path) || done.has(path)) return;
    for (const to of imports.get(path) ?? []) walk(to, [...way, path]);
    done.add(path);
  };
  for (const path of imports.keys()) walk(path, []);
  expect([...imports.values()].flat().length).toBeGreaterThan(4_000);
  expect(circles).toEqual([]);
});

test('the pages import only what a browser can run', () => {
  const wrong = files
    .filter(({ name }) => name.startsWith('page/'))
    .flatMap(({ path, name, text }) => importsOf(text).map((to) => [name, relative(SRC, resolve(dirname(path), to))]))
    .filter(([, to]) => !/^(base|call|page)\//.test(to ?? ''));
  expect(wrong).toEqual([]);
});

test('no two types have the same name', () => {
  const places = new Map<string, string[]>();
  for (const { name, text } of files) {
    for (const [, type = ''] of text.matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class|enum)\s+(\w+)/gm)) {
      places.set(type, [...(places.get(type) ?? []), name]);
    }
  }
  expect(places.size).toBeGreaterThan(500);
  expect([...places].filter(([, names]) => names.length > 1)).toEqual([]);
});

test(`no file has more than ${MOST_LINES} lines`, () => {
  const long = files.filter(({ text }) => text.trimEnd().split('\n').length > MOST_LINES);
  expect(long.map(({ name }) => name)).toEqual([]);
});

test('time limits are `timeLimit`: on Node 20, `AbortSignal.timeout` may never abort within `AbortSignal.any`', () => {
  const places = files.filter(({ text }) => /AbortSignal\.timeout\(/.test(text)).map(({ name }) => name);
  expect(places).toEqual([]);
});

test('no page and no template has the marks of a merge that is not finished', () => {
  const names = [...documents(), ...filesIn('templates', '.yaml', '.ts', '.json')];
  expect(names.filter((name) => /^(<<<<<<<|>>>>>>>) /m.test(read(name)))).toEqual([]);
});

test('what test files import has no hooks of its own: it is loaded once for all files of a process, and its hooks run in the first one only', () => {
  const names = filesIn('test', '.ts').filter((name) => !name.endsWith('.test.ts'));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => /^(before|after)(All|Each)\(/m.test(read(name)))).toEqual([]);
});
