import { existsSync } from 'node:fs';
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

test.each([
  ['ansi-regex', '5.0.1', 'GHSA-93q8-gq69-wqmw'],
  ['axios', '1.12.0', 'GHSA-4hjh-wcwx-xvwj'],
  ['body-parser', '2.2.1', 'GHSA-wqch-xfxh-vrr4'],
  ['follow-redirects', '1.15.6', 'GHSA-cxjh-pqwp-8mfp'],
  ['form-data', '4.0.4', 'GHSA-fjxv-7rqg-78g4'],
  ['js-yaml', '4.1.1', 'GHSA-mh29-5h37-fv8m'],
  ['qs', '6.14.1', 'GHSA-6rw7-vpxm-498p'],
])('brings %s with it from %s on, which mends %s', (name, mended) => {
  const versions = Object.entries(lock).flatMap(([path, { version = '', dev }]) =>
    !dev && path.replace(/^.*node_modules\//, '') === name ? version : [],
  );
  expect(versions).not.toEqual([]);
  expect(versions.filter((version) => version.localeCompare(mended, 'en', { numeric: true }) < 0)).toEqual([]);
});

test('the clean room holds the size of an installation that docs/deployment.md states', () => {
  const room = read('.ci/clean-room');
  const most = (what: string) => new RegExp(`^MOST_${what}=(\\d+)$`, 'm').exec(room)?.[1];
  expect(read('docs/deployment.md').replaceAll('\n', ' ')).toContain(
    `CI refuses more than ${most('PACKAGES')} packages or ${most('MIB')} MiB`,
  );
});

test('contains every file that its documents lead to, but for the sources that the pages for contributors name', () => {
  const own = manifest.files.filter((path: string) => !path.startsWith('!'));
  const isPacked = (path: string) => own.includes(path.split('/')[0]) || /^(README|LICENSE)/.test(path);
  const isSource = (file: string, path: string) => file.startsWith('docs/contributing/') && /^(src|test)\//.test(path);
  const missing: string[] = [];
  for (const file of documents()) {
    for (const [, target = ''] of read(file).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      const path = relative(PACKAGE_ROOT, join(PACKAGE_ROOT, dirname(file), target));
      const isThere = existsSync(join(PACKAGE_ROOT, path)) && (isPacked(path) || isSource(file, path));
      if (!isThere) missing.push(`${file}: ${target}`);
    }
  }
  expect(missing).toEqual([]);
});

test('says where it comes from, and where to write', () => {
  const { repository, homepage, bugs, author, keywords } = manifest;
  const [, address = ''] = /^git\+(https:\/\/github\.com\/[\w-]+\/[\w-]+)\.git$/.exec(repository.url) ?? [];
  expect(repository.type).toBe('git');
  expect({ homepage, bugs, author }).toEqual({
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
    author: 'voicebot developers',
  });
  expect(keywords).toContain('telephony');
  // The address may change: it stands nowhere else.
  const name = address.replace('https://', '');
  const pages = ['AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md', 'llms.txt', ...documents()];
  expect(pages.filter((page) => read(page).includes(name))).toEqual([]);
});

test('names what of others is inside it, each under a licence that allows what ours does', () => {
  const notices = read('THIRD-PARTY-LICENSES');
  const inside = Object.entries(lock)
    .filter(([path, { inBundle }]) => inBundle || path === 'node_modules/preact')
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')} ${version}`);
  const named = [...notices.matchAll(/^-{80}\n\n(.+)\nLicence: (.+)\n\n\S/gm)];
  expect(inside.filter((name) => !named.some(([, one]) => one === name))).toEqual([]);
  expect(named.map(([, name]) => name)).toContainEqual(expect.stringContaining('assets/number-time-zones.txt'));
  const licences = new Set(named.map(([, , licence]) => licence));
  expect([...licences].sort()).toEqual(['Apache-2.0', 'ISC', 'MIT']);
});
