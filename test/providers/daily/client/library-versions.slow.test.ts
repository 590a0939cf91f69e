import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The types of the provider's client are the contract of our page: at both ends of the range, and when something is renamed. */
const ROOT = new URL('../../../../', import.meta.url).pathname;
const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(ROOT, 'test', 'page-types-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler says of our pages with the library's types from here; nothing when they fit. */
function compileWith(library: string): string {
  const config = {
    extends: '../../tsconfig.page.json',
    include: ['../../src/providers/daily/client/page', '../../src/sandbox/rooms/page'],
    compilerOptions: { paths: { '@daily-co/daily-js': [join(library, 'index.d.ts')] } },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  return spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' }).stdout;
}

test('the range that the package states begins with the oldest line that is tested, and the newest is in it', () => {
  const { peerDependencies } = read('package.json');
  const [oldest, newest] = ['daily-js-oldest', '@daily-co/daily-js'].map(
    (name) => read(`node_modules/${name}/package.json`).version,
  );
  // The first release of a line need not be its .0: none before 0.92.2 was published.
  expect(peerDependencies['@daily-co/daily-js']).toBe(`>=${oldest.replace(/\d+$/, '0')} <1`);
  expect(newest.localeCompare(oldest, 'en', { numeric: true })).toBeGreaterThanOrEqual(0);
});

test.each(['daily-js-oldest', '@daily-co/daily-js'])('our pages compile with the types of %s', (name) => {
  expect(compileWith(join(ROOT, 'node_modules', name))).toBe('');
});

test.each([
  ['startDialOut', 'beginDialOut'],
  ['sipEndpoint', 'endpointOfSip'],
  ['persistentTrack', 'lastingTrack'],
  ["'track-started'", "'track-begun'"],
  ['session_id', 'sessionId'],
])('a version that renames %s does not compile', (name, renamed) => {
  const library = join(folder, 'library');
  cpSync(join(ROOT, 'node_modules', '@daily-co', 'daily-js', 'index.d.ts'), join(library, 'index.d.ts'));
  const types = readFileSync(join(library, 'index.d.ts'), 'utf8');
  writeFileSync(join(library, 'index.d.ts'), types.replaceAll(name, renamed));
  expect(compileWith(library)).toContain('error TS');
});
