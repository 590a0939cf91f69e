import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { read } from './repository.js';

/** More than the archive has, by a quarter: who adds this much should have a reason. */
const MAX_PACKED_BYTES = 4_000_000;
const MAX_UNPACKED_BYTES = 13_000_000;

const { name, version, repository } = JSON.parse(read('package.json'));
const OURS = repository.url.replace(/^.*github\.com\/|\.git$/g, '');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'voicebot-packed-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

async function run(command: readonly string[], cwd: string, environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const [program = '', ...args] = command;
  const env = { ...process.env, GITHUB_REPOSITORY: undefined, ...environment };
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}

/** A registry that has nothing. */
async function registry() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(404).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { asked, environment: { npm_config_registry: `http://127.0.0.1:${port}/` }, [Symbol.dispose]: close };
}

/** The tracked files as they are here, in another place; what is packed with them is copied, since its modes count. */
async function cloneAt(place: string, modes: string): Promise<void> {
  const copy = (path: string) =>
    cpSync(join(PACKAGE_ROOT, path), join(place, path), { recursive: true, preserveTimestamps: true });
  const { stdout } = await run(['git', 'ls-files', '-z'], PACKAGE_ROOT);
  for (const file of stdout.split('\0')) if (file !== '' && existsSync(join(PACKAGE_ROOT, file))) copy(file);
  const inside = Object.entries<{ inBundle?: boolean }>(JSON.parse(read('package-lock.json')).packages)
    .filter(([, { inBundle }]) => inBundle)
    .map(([path]) => path.split('/', 2).join('/'));
  mkdirSync(join(place, 'node_modules'));
  for (const one of readdirSync(join(PACKAGE_ROOT, 'node_modules')).map((name) => `node_modules/${name}`)) {
    if (inside.includes(one)) copy(one);
    else symlinkSync(join(PACKAGE_ROOT, one), join(place, one));
  }
  await run(['chmod', '-R', modes, ...new Set(inside), 'docs', 'bin'], place);
}

test('two clones at other places, with another umask and time zone, are packed to the same bytes (needs git)', async () => {
  const packed = async (place: string, umask: string, modes: string, environment: NodeJS.ProcessEnv) => {
    const clone = join(folder, place);
    await cloneAt(clone, modes);
    const script = `umask ${umask} && exec npm pack --json --pack-destination ..`;
    const { exitCode, stdout, stderr } = await run(['sh', '-c', script], clone, environment);
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
    return readFileSync(join(dirname(clone), JSON.parse(stdout)[0].filename));
  };
  const one = await packed('one/voicebot', '022', 'go=rX', { TZ: 'UTC' });
  const other = await packed('other/a place/deeper', '077', 'go-rwx', { TZ: 'Asia/Kathmandu', LANG: 'C' });
  expect(other.equals(one)).toBe(true);
}, 240_000);

describe('the script that publishes', () => {
  const PUBLISH = [process.execPath, 'scripts/publish.mjs'];
  const out = () => join(folder, 'published');

  test('as a dry run packs what users need and no more, and gives nothing away (needs git)', async () => {
    using npm = await registry();
    const dry = await run([...PUBLISH, '--dry-run', '--out', out()], PACKAGE_ROOT, npm.environment);
    expect({ exitCode: dry.exitCode, stderr: dry.exitCode === 0 ? '' : dry.stderr }).toEqual({
      exitCode: 0,
      stderr: '',
    });
    expect(npm.asked.filter((one) => !one.startsWith('GET '))).toEqual([]);
    expect(dry.stdout).toMatch(/^sha512 [0-9a-f]{128}$/m);
    expect(readdirSync(out()).sort()).toEqual([`${name}-${version}.cdx.json`, `${name}-${version}.tgz`]);

    const listed = await run(['npm', 'pack', '--dry-run', '--json', '--ignore-scripts'], PACKAGE_ROOT);
    const [{ files, size, unpackedSize }] = JSON.parse(listed.stdout);
    const paths: string[] = files.map(({ path }: { path: string }) => path);
    expect([...new Set(paths.map((path) => path.split('/')[0]))].sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'THIRD-PARTY-LICENSES',
      'assets',
      'bin',
      'dist',
      'docs',
      'llms.txt',
      'node_modules',
      'package.json',
      'templates',
    ]);
    expect(paths.filter((path) => /\.map$|\.test\.|^node_modules\/.*\/test\/|\.tsbuildinfo$/.test(path))).toEqual([]);
    for (const built of ['dist/cli/main.js', 'dist/index.d.ts', 'assets/runner.html', 'templates/demo/.bot.mjs'])
      expect(paths).toContain(built);
    expect(size).toBeLessThan(MAX_PACKED_BYTES);
    expect(unpackedSize).toBeLessThan(MAX_UNPACKED_BYTES);
  }, 120_000);

  test('writes a bill of materials that is valid, the same each time, and names what is installed with it', async () => {
    const text = readFileSync(join(out(), `${name}-${version}.cdx.json`), 'utf8');
    expect(await new JsonStrictValidator(Version.v1dot5).validate(text)).toBeNull();
    const { metadata, components, dependencies } = JSON.parse(text);
    expect(metadata.component).toMatchObject({ name, version });
    const names: string[] = components.map((one: { name: string }) => one.name);
    const { dependencies: direct, devDependencies } = JSON.parse(read('package.json'));
    for (const needed of [...Object.keys(direct), 'axios', 'preact']) expect(names).toContain(needed);
    for (const other of ['jest', 'typescript', 'werift', 'puppeteer-core']) {
      expect(devDependencies).toHaveProperty([other]);
      expect(names).not.toContain(other);
    }
    const refs = new Set(dependencies.map(({ ref }: { ref: string }) => ref));
    expect(components.filter((one: { 'bom-ref': string }) => !refs.has(one['bom-ref']))).toEqual([]);
    const sha512 = metadata.component.hashes[0].content;
    const again = `import { billOfMaterials } from './scripts/bill-of-materials.mjs'; process.stdout.write(await billOfMaterials('${sha512}'));`;
    const { stdout } = await run([process.execPath, '--input-type=module', '-e', again], PACKAGE_ROOT);
    expect(stdout).toBe(text);
  }, 60_000);

  test.each([
    [
      'in another repository than the package names',
      { GITHUB_REPOSITORY: 'someone/fork' },
      'this runs in someone/fork, and package.json names',
    ],
    [
      'from another tag than its version has',
      { GITHUB_REPOSITORY: OURS, GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v0.0.9' },
      `is published from the tag v${version}, not from tag v0.0.9`,
    ],
    [
      'from a branch',
      { GITHUB_REPOSITORY: OURS, GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: `v${version}` },
      `not from branch v${version}`,
    ],
    ['on a machine of a person', {}, 'only the workflow publish.yml on GitHub publishes'],
  ])('refuses to publish %s (needs git)', async (_where, environment, words) => {
    using npm = await registry();
    const nowhere = join(folder, 'nothing');
    const refused = await run([...PUBLISH, '--out', nowhere], PACKAGE_ROOT, { ...npm.environment, ...environment });
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(words);
    expect(existsSync(nowhere)).toBe(false);
    expect(npm.asked).toEqual([]);
  });
});

test('THIRD-PARTY-LICENSES is what npm run licences makes of the packages that are here', async () => {
  const { stdout } = await run([process.execPath, 'scripts/third-party-licences.mjs', '--print'], PACKAGE_ROOT);
  expect(stdout).toBe(read('THIRD-PARTY-LICENSES'));
}, 60_000);
