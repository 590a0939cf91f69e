/** What holds for the sources as a whole. The direction between layers is checked by dependency-cruiser. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const MOST_LINES = 350;

const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return { path, name: relative(SRC, path).split(sep).join('/'), text: readFileSync(path, 'utf8') };
  });

/** Its folder, at most two deep; undefined for a file that stands alone. */
function folderOf(path: string): string | undefined {
  const folders = relative(SRC, dirname(path)).split(sep);
  return folders[0] === '' ? undefined : folders.slice(0, 2).join('/');
}

const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, address = '']) => address);

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

test('the page of the runner imports only what a browser can run, and nobody imports it', () => {
  const pairs = files.flatMap(({ path, text }) =>
    importsOf(text).map((address) => [folderOf(path), folderOf(resolve(dirname(path), address))]),
  );
  const isPage = (folder: string | undefined) => /^page(\/|$)/.test(folder ?? '');
  const isAllowed = ([from, to]: (typeof pairs)[number]) =>
    isPage(from) && /^(audio|call|call-view|http|page|phone)(\/|$)/.test(to ?? '');
  expect(pairs.filter((pair) => pair.some(isPage) && !isAllowed(pair))).toEqual([]);
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
