import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { command } from './in-process.js';
import { COMMANDS, PACKAGE_ROOT } from './voicebot.js';

const run = promisify(execFile);

/** What help is made with. Each further package costs every command its time to load. */
const PACKAGES = ['commander'];
/** Files of our own: each costs its reading. */
const MOST_FILES = 70;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-help-'));
  const hooks = `import { appendFileSync } from 'node:fs';
    export async function load(url, context, next) {
      appendFileSync(process.env.LOADED_FILE, url + '\\n');
      return next(url, context);
    }`;
  writeFileSync(join(directory, 'hooks.mjs'), hooks);
  const register = "import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n";
  writeFileSync(join(directory, 'watch.mjs'), register);
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Addresses of the modules that a command line has loaded. */
async function modulesOf(args: readonly string[]): Promise<string[]> {
  const file = join(directory, `${args.join('-')}.txt`);
  const env = { ...process.env, LOADED_FILE: file, VOICEBOT_HOME: directory };
  await run(process.execPath, ['--import', join(directory, 'watch.mjs'), `${PACKAGE_ROOT}bin/voicebot.js`, ...args], {
    env,
    cwd: directory,
  }).catch(() => {}); // some are refused
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

const packagesOf = (modules: readonly string[]) =>
  [...new Set(modules.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))].toSorted();

// The help of every command is made with all of them.
test.each(['--help', 'run --help'])('voicebot %s loads no library but what prints it', async (line) => {
  const modules = await modulesOf(line.split(' '));
  expect(packagesOf(modules)).toEqual(PACKAGES);
  expect(modules.filter((url) => url.includes('/dist/')).length).toBeLessThan(MOST_FILES);
});

test('what a command needs is loaded when it does something', async () => {
  expect(packagesOf(await modulesOf(['configure-number', '--port', '1', '+12025550100']))).not.toEqual(PACKAGES);
});

test('these are all the commands there are', async () => {
  const { stdout } = await command(['--help'], directory).finished;
  const [, list = ''] = stdout.split('Commands:\n');
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
  expect(names).toEqual(COMMANDS);
});
