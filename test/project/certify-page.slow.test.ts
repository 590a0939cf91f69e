import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { ServedCalls } from '../e2e/served-calls.js';
import { Voicebot } from '../e2e/voicebot.js';
import { freePort } from '../free-port.js';
import { read } from './repository.js';

const page = read('docs/certify.md');
const [, program = ''] = /^```js\n([\s\S]*?)^```$/m.exec(page) ?? [];

const calls = new ServedCalls();
afterEach(() => calls.end());
afterAll(() => calls.remove());

test('the program of the page plays the person of a tour against the sandbox of another run', async () => {
  expect(program.split('\n').length).toBeLessThanOrEqual(60);
  const { home } = calls;
  mkdirSync(join(home, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(PACKAGE_ROOT, join(home, 'node_modules', 'voicebot'));
  symlinkSync('../voicebot/bin/voicebot.js', join(home, 'node_modules', '.bin', 'voicebot'));
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  const provider = await calls.serve(undefined);
  const options = { home, cwd: home };
  const sandbox = new Voicebot(['sandbox', '--port', `${provider.port}`], options);
  const { variables } = await sandbox.event('sandbox');
  expect(await sandbox.exit).toBe(0);
  const environment = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(home, '.env'), environment.join(''));
  const port = await freePort();
  const ported = program
    .replace("'7999'", `'${provider.port}'`)
    .replace("'http://127.0.0.1:7860'", `'http://127.0.0.1:${port}', '--port', '${port}'`);
  writeFileSync(join(home, 'certify-here.mjs'), ported);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, VOICEBOT_HOME: home };
  const ran = promisify(execFile)(process.execPath, ['certify-here.mjs'], { cwd: home, env });
  const { stdout } = await ran.catch((error) => error);
  expect(stdout.split('\n').filter((line: string) => line.includes('failed'))).toEqual([]);
  const { steps } = JSON.parse(readFileSync(join(home, 'certify-here', 'certificate.json'), 'utf8'));
  const states = Object.fromEntries(steps.map(({ name, state }: { name: string; state: string }) => [name, state]));
  expect(states).toMatchObject({
    'bot-hangs-up': 'done',
    'bot-killed': 'done',
    'call-out': 'done',
    'call-out-declined': 'done',
    'call-out-unanswered': 'done',
    'call-out-wrong': 'done',
    'warm-transfer': 'done',
  });
}, 300_000);
