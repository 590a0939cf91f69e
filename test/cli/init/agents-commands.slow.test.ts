/** The commands of a new project's AGENTS.md, as they are printed, in a project of the packed package. */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { makeProject } from '../../../src/cli/init/project.js';
import type { TemplateName } from '../../../src/cli/init/templates.js';
import { writeProject } from '../../../src/cli/init/write-project.js';
import { PACKAGE_ROOT } from '../voicebot.js';

const run = promisify(execFile);

let directory: string;
let environment: NodeJS.ProcessEnv;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-agents-'));
  environment = { PATH: process.env.PATH, HOME: directory, CI: 'true' };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A project whose packages are those that its manifest names, and the ones that voicebot itself asks for. */
function projectOf(template: TemplateName): { cwd: string; blocks: (language: string) => string[] } {
  const cwd = join(directory, template);
  const { files } = makeProject({ directory: cwd, template, packageRoot: PACKAGE_ROOT, docker: false });
  writeProject(cwd, files, false);
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  const modules = join(cwd, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const name of Object.keys({ ...dependencies, ...devDependencies, zod: '' })) {
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(name === 'voicebot' ? PACKAGE_ROOT : join(PACKAGE_ROOT, 'node_modules', name), join(modules, name));
  }
  symlinkSync('../voicebot/bin/voicebot.js', join(modules, '.bin', 'voicebot'));
  symlinkSync('../typescript/bin/tsc', join(modules, '.bin', 'tsc'));
  const agents = readFileSync(join(cwd, 'AGENTS.md'), 'utf8');
  const blocks = (language: string) =>
    [...agents.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, of, text = '']) => (of === language ? [text] : []));
  return { cwd, blocks };
}

const shell = (line: string, cwd: string) => run('bash', ['-c', line], { cwd, env: environment, maxBuffer: 2 ** 24 });

test.each(['hello', 'answer', 'dial'] as const)(
  'the call of %s is made as it is printed',
  async (template) => {
    const { cwd, blocks } = projectOf(template);
    const block = blocks('sh').find((text) => text.includes('run --sandbox')) ?? '';
    const { stdout } = await shell(block, cwd);
    const ended = stdout
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
      .at(-1);
    expect(ended).toMatchObject({ event: 'ended' });
    const [ready] = readFileSync(join(cwd, '.voicebot/run.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(ready ?? '')).toMatchObject({ version: 1 });
  },
  120_000,
);

test('the lists of commands run as they are printed, and the phone lab answers without another package', async () => {
  const { cwd, blocks } = projectOf('hello');
  const [commands = ''] = blocks('sh');
  environment.VOICEBOT_HOME = join(directory, 'state');
  const lines = commands.split('\n').map((line) => line.replace(/ +#.*$/, ''));
  expect(lines).toEqual(expect.arrayContaining(['npm install', 'npm run check', 'npm test', 'npx voicebot mcp']));
  await shell('npm run check && npm test && npx voicebot calls', cwd);
  const lab = spawn('node_modules/.bin/voicebot', ['mcp'], {
    cwd,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } };
    lab.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`);
    for await (const line of createInterface({ input: lab.stdout })) {
      expect(JSON.parse(line)).toMatchObject({ id: 1, result: { serverInfo: { name: expect.any(String) } } });
      break;
    }
  } finally {
    lab.kill('SIGTERM');
  }
}, 120_000);

test('the bot that it shows has the types that it is shown with', async () => {
  const { cwd, blocks } = projectOf('hello');
  const [example = ''] = blocks('ts');
  writeFileSync(join(cwd, 'example.ts'), example);
  await shell('npm run check', cwd);
}, 60_000);

test('what it leads to is the API of authors', () => {
  const { blocks, cwd } = projectOf('answer');
  expect(blocks('ts').join()).toContain('defineBot(');
  expect(blocks('ts').join()).not.toMatch(/new (Conversation|Pipeline)|defineTool/);
  const pages = [...readFileSync(join(cwd, 'AGENTS.md'), 'utf8').matchAll(/^\| `([\w-]+\.md)` \|/gm)];
  expect(pages.map(([, page]) => page)).not.toContain('pipeline.md');
});
