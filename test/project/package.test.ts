import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { OPTIONAL_PACKAGES } from '../../src/base/optional-package.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { documents, read } from './repository.js';

interface Installed {
  version?: string;
  dev?: boolean;
  inBundle?: boolean;
}

const json = (path: string) => JSON.parse(read(path));
const manifest = json('package.json');
const lock: Record<string, Installed> = json('package-lock.json').packages;

/** Names of what a user installs with this package, beside what it brings inside itself. */
const installed = Object.entries(lock)
  .filter(([path, { dev, inBundle }]) => path.startsWith('node_modules/') && !dev && !inBundle)
  .map(([path]) => path.replace(/^.*node_modules\//, ''));

test("brings no types into a user's project but those that its own declarations need", () => {
  // `tsc` reads every package below node_modules/@types, whether anybody imports it or not.
  const types = installed.filter((name) => name.startsWith('@types/'));
  const own = Object.keys(manifest.dependencies).filter((name) => name.startsWith('@types/'));
  expect(types.filter((name) => !own.includes(name))).toEqual(['@types/node']);
});

test('brings no HTTP client of another with it but a current one, inside itself', () => {
  const clients = Object.entries(lock)
    .filter(([path, { dev }]) => !dev && /(^|\/)node_modules\/(axios|request|got|node-fetch)$/.test(path))
    .map(([path, { version, inBundle }]) => ({ path, major: version?.split('.')[0], inBundle }));
  expect(clients).toEqual([{ path: 'node_modules/axios', major: '1', inBundle: true }]);
});

test('declares as optional peers what the code looks for beside it, but for the compiler and the runtime that two of them bring', () => {
  const optional = Object.entries<{ optional: boolean }>(manifest.peerDependenciesMeta);
  expect(optional.every(([, meta]) => meta.optional)).toBe(true);
  expect(optional.map(([name]) => name).sort()).toEqual(Object.keys(manifest.peerDependencies).sort());
  expect([...optional.map(([name]) => name), 'esbuild', 'onnxruntime-web'].sort()).toEqual(
    [...OPTIONAL_PACKAGES].sort(),
  );
});

test('takes the model packages of the versions that are current', () => {
  expect(manifest.peerDependencies.ai).toContain('^7.');
});

test.each([
  ['@modelcontextprotocol/sdk', ['1.26.0'], 'GHSA-345p-7cg4-v4c7'],
  ['ai', ['6.0.214', '7.0.4'], 'GHSA-866g-f22w-33x8, in its @ai-sdk/provider-utils'],
  ['undici', ['7.29.0'], 'CVE-2026-13697'],
  ['ws', ['8.21.0'], 'GHSA-96hv-2xvq-fx4p'],
])('takes no version of %s from before %j, which mends %s', (name, mended) => {
  const range: string = manifest.peerDependencies[name] ?? manifest.dependencies[name];
  const lowest = range.split(' || ').map((part) => part.replace('^', ''));
  const isOlder = (version: string, than = '') => version.localeCompare(than, 'en', { numeric: true }) < 0;
  expect(lowest.filter((version, line) => isOlder(version, mended[line]))).toEqual([]);
  expect(lowest).toHaveLength(mended.length);
});

test('contains every file that its documents and source maps lead to', () => {
  const isPacked = (path: string) => manifest.files.includes(path.split('/')[0]) || /^(README|LICENSE)/.test(path);
  const missing: string[] = [];
  const look = (file: string, target: string) => {
    const path = relative(PACKAGE_ROOT, join(PACKAGE_ROOT, dirname(file), target));
    if (!isPacked(path) || !existsSync(join(PACKAGE_ROOT, path))) missing.push(`${file}: ${target}`);
  };
  for (const file of documents()) {
    for (const [, target = ''] of read(file).matchAll(/\]\((?!https?:)([^)#]+)/g)) look(file, target);
  }
  const maps = readdirSync(join(PACKAGE_ROOT, 'dist'), { recursive: true }).map(String);
  for (const file of maps.filter((name) => name.endsWith('.map'))) {
    for (const source of json(`dist/${file}`).sources) look(`dist/${file}`, source);
  }
  expect(missing).toEqual([]);
});
