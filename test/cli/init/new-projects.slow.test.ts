/** What `.ci/clean-room` does not walk through, which makes a project of each template from the package, and runs its tests. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeProject } from '../../../src/cli/init/project.js';
import type { TemplateName } from '../../../src/cli/init/templates.js';
import { writeProject } from '../../../src/cli/init/write-project.js';
import { until } from '../../e2e/processes.js';
import { PACKAGE_ROOT } from '../voicebot.js';

const run = promisify(execFile);

/** Where projects find their packages: voicebot as it is packed, and what it or a project asks for as it is installed here. */
let directory: string;
/** No keys, no settings, no state of this machine. */
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-projects-'));
  environment = { PATH: process.env.PATH, HOME: join(directory, 'home'), VOICEBOT_HOME: join(directory, 'home') };
  mkdirSync(join(directory, 'home'));
  await installPacked();
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function installPacked(): Promise<void> {
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), ...askedFor()]) {
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(join(PACKAGE_ROOT, 'node_modules', name), join(modules, name));
  }
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', directory], { cwd: PACKAGE_ROOT });
  const [archive = ''] = readdirSync(directory).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', archive], { cwd: directory });
  await run('mv', ['package', join(modules, 'voicebot')], { cwd: directory });
  symlinkSync('../voicebot/bin/voicebot.js', join(modules, '.bin', 'voicebot'));
}

/** The packages of the projects below. */
function askedFor(): string[] {
  const options = { directory, template: 'echo', packageRoot: PACKAGE_ROOT, docker: true } as const;
  const manifest = makeProject(options).files.find(({ path }) => path === 'package.json');
  const { dependencies, devDependencies } = JSON.parse(String(manifest?.content));
  return Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name !== 'voicebot');
}

/** What `npm test` runs in a project. */
const testOf = (cwd: string) =>
  run(join(directory, 'node_modules', '.bin', 'voicebot'), ['test'], { cwd, env: environment });

/** A project as `voicebot init` of the packed package makes it. */
function project(template: TemplateName, { name = template as string, docker = false } = {}): string {
  const folder = join(directory, name);
  const packageRoot = join(directory, 'node_modules', 'voicebot');
  writeProject(folder, makeProject({ directory: folder, template, packageRoot, docker }).files, false);
  return folder;
}

test('the tests of a new project can fail', async () => {
  const cwd = project('echo', { name: 'broken' });
  writeFileSync(join(cwd, 'bot.ts'), 'export async function bot() { throw new Error("broken"); }');
  await expect(testOf(cwd)).rejects.toMatchObject({ stderr: expect.stringMatching(/2 failed/) });
}, 60_000);

test("the container's command serves the project's bot, its health check passes, and SIGTERM ends it", async () => {
  const cwd = project('echo', { name: 'container', docker: true });
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

/** Free a moment ago; a container has its ports to itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
