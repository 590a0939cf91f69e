/** What `.ci/clean-room` does not walk through, which makes a project of each template from the package, and runs its tests. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { packageVersion } from '../../../src/base/package-version.js';
import { makeProject } from '../../../src/cli/init/project.js';
import { writeProject } from '../../../src/cli/init/write-project.js';
import { until } from '../../e2e/processes.js';
import { freePort } from '../../free-port.js';
import { command } from '../in-process.js';
import { PACKAGE_ROOT } from '../voicebot.js';

const run = promisify(execFile);

/** Where projects find their packages: voicebot as it is packed, and what it or a project asks for as it is installed here. */
let directory: string;
/** A project for an image, made from the clone; with the package as `npm` packs it. */
let image: string;
const archive = `voicebot-${packageVersion()}.tgz`;
/** No keys, no settings, no state of this machine. */
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-projects-'));
  environment = { PATH: process.env.PATH, HOME: join(directory, 'home'), VOICEBOT_HOME: join(directory, 'home') };
  mkdirSync(join(directory, 'home'));
  image = join(directory, 'image');
  const { exitCode } = await command(['init', 'image', '--template', 'echo', '--docker'], directory).finished;
  expect(exitCode).toBe(0);
  await installPacked();
}, 180_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function installPacked(): Promise<void> {
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), ...askedFor()]) {
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(join(PACKAGE_ROOT, 'node_modules', name), join(modules, name));
  }
  await run('tar', ['-xzf', join(image, archive)], { cwd: directory });
  await run('mv', ['package', join(modules, 'voicebot')], { cwd: directory });
  symlinkSync('../voicebot/bin/voicebot.js', join(modules, '.bin', 'voicebot'));
  symlinkSync('../typescript/bin/tsc', join(modules, '.bin', 'tsc'));
}

/** The packages of the projects below. */
function askedFor(): string[] {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(image, 'package.json'), 'utf8'));
  return Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name !== 'voicebot');
}

/** What `npm test` runs in a project. */
const testOf = (cwd: string) =>
  run(join(directory, 'node_modules', '.bin', 'voicebot'), ['test'], { cwd, env: environment });

test('a project for an image holds the clone itself, packed, and no link out of the project', () => {
  const manifest = JSON.parse(readFileSync(join(image, 'package.json'), 'utf8'));
  expect(manifest.dependencies.voicebot).toBe(`file:${archive}`);
  const packed = execFileSync('tar', ['-tzf', archive], { cwd: image, encoding: 'utf8', maxBuffer: 2 ** 24 });
  expect(packed.split('\n')).toEqual(expect.arrayContaining(['package/bin/voicebot.js', 'package/dist/cli/main.js']));
  expect(readFileSync(join(image, 'Dockerfile'), 'utf8')).toMatch(/^COPY package\.json .*voicebot-\*\.tgz\* /m);
});

test('the archive holds localtunnel with a current HTTP client, and says so', () => {
  const packed = join(directory, 'node_modules', 'voicebot');
  const inside = (path: string) => JSON.parse(readFileSync(join(packed, path, 'package.json'), 'utf8'));
  const files = readdirSync(join(packed, 'node_modules'), { recursive: true, encoding: 'utf8' });
  const clients = files.filter((file) => /(^|\/)axios\/package\.json$/.test(file));
  expect(clients).toEqual(['axios/package.json']);
  expect(inside('node_modules/axios').version).toMatch(/^1\./);
  // `npm ci` of a project that has the archive refuses it otherwise.
  const { overrides, dependencies } = inside('.');
  const { version, dependencies: needed } = inside('node_modules/localtunnel');
  expect(dependencies.localtunnel).toBe(`^${version}`);
  expect(needed.axios).toBe(overrides.localtunnel.axios);
});

test('the tests of a new project, made by the package, can fail', async () => {
  const cwd = join(directory, 'broken');
  const packageRoot = join(directory, 'node_modules', 'voicebot');
  writeProject(cwd, makeProject({ directory: cwd, template: 'echo', packageRoot, docker: false }).files, false);
  writeFileSync(join(cwd, 'bot.ts'), 'export async function bot() { throw new Error("broken"); }');
  await expect(testOf(cwd)).rejects.toMatchObject({ stderr: expect.stringMatching(/2 failed/) });
}, 60_000);

test('the commands of its workflow pass, but for the installation, and leave the pages that it keeps', async () => {
  const cwd = join(directory, 'on-github');
  const packageRoot = join(directory, 'node_modules', 'voicebot');
  writeProject(cwd, makeProject({ directory: cwd, template: 'hello', packageRoot, docker: false }).files, false);
  symlinkSync('../node_modules', join(cwd, 'node_modules'));
  const { steps } = parse(readFileSync(join(cwd, '.github/workflows/test.yml'), 'utf8')).jobs.test;
  const commands: string[] = steps.flatMap(({ run: line }: { run?: string }) => line ?? []);
  expect(commands).toEqual(['npm ci', 'npm run check', 'npx voicebot test --output test-results']);
  for (const line of commands.slice(1)) await run('sh', ['-c', line], { cwd, env: { ...environment, CI: 'true' } });
  const kept = steps.find(({ uses }: { uses?: string }) => uses?.startsWith('actions/upload-artifact@')).with.path;
  expect(readdirSync(join(cwd, kept)).sort()).toEqual(['calls', 'index.html', 'junit.xml', 'results.jsonl']);
  expect(readdirSync(join(cwd, kept, 'calls')).sort()).toEqual(['1-1.html', '2-1.html']);
}, 120_000);

test("the container's command serves the project's bot, its health check passes, and SIGTERM ends it", async () => {
  const cwd = image;
  symlinkSync('../node_modules', join(cwd, 'node_modules'));
  const dockerfile = readFileSync(join(cwd, 'Dockerfile'), 'utf8');
  const commands = [...dockerfile.matchAll(/(?<=^ *CMD )\[.*\]$/gm)].map(([list]) => JSON.parse(list) as string[]);
  const [[, ...check] = [], [program = '', ...words] = []] = commands;
  const env = { ...environment, VOICEBOT_PORT: String(await freePort()), VOICEBOT_TOKEN: 'token-of-the-container' };
  const isHealthy = () =>
    run(process.execPath, check, { env }).then(
      () => true,
      () => false,
    );

  expect(await isHealthy()).toBe(false);
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let shown = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      shown += bytes;
    });
  }
  const closed = once(child, 'close');
  try {
    await until(isHealthy, 'the health check passes', 60_000).catch((error: Error) => {
      throw new Error(`${error.message}\n${shown}`);
    });
  } finally {
    child.kill('SIGTERM');
  }
  expect(await closed).toEqual([143, null]);
  expect(await isHealthy()).toBe(false);
}, 120_000);
