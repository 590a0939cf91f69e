import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../cli/voicebot.js';

const run = promisify(execFile);
const LIMIT_MS = 300_000;
const TSCONFIG = {
  compilerOptions: {
    noEmit: true,
    allowJs: true,
    checkJs: true,
    strict: true,
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    skipLibCheck: true,
    types: ['node'],
  },
  include: ['checked'],
};

/** It needs no package besides voicebot. */
const BOT = `import { acceptCall } from 'voicebot';
export async function bot(args) {
  const call = await acceptCall(args);
  call.on('dtmf', ({ digit }) => digit === '9' && call.hangUp());
  await call.ended;
}
`;

let folder: string;
/** Where voicebot and voicebot-vobiz are installed as npm packs them. */
let project: string;
let tried: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'voicebot-extension-'));
  project = join(folder, 'project');
  tried = (await run(process.execPath, ['scripts/try-extension.mjs', 'vobiz', project], { cwd: PACKAGE_ROOT })).stdout;
  writeFileSync(join(project, 'voicebot.config.json'), '{ "extensions": ["voicebot-vobiz"], "carrier": "vobiz" }');
  writeFileSync(join(project, 'bot.mjs'), BOT);
}, LIMIT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const environment = (more: Record<string, string> = {}) => {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, VOICEBOT_HOME: join(folder, 'home'), ...more };
};

/** @returns what it has written, one JSON object a line, and its exit code */
async function voicebot(words: string[], { cwd = project, env = environment() } = {}) {
  const main = join(project, 'node_modules/voicebot/bin/voicebot.js');
  const { stdout, stderr, code } = await run(process.execPath, [main, ...words], { cwd, env }).then(
    (done) => ({ ...done, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  const events = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  return { code, stderr, events, last: events.at(-1) };
}

/** A runner on the sandbox. */
async function runner(
  more: Record<string, string> = {},
): Promise<ChildProcess & { told: (event: string) => Promise<unknown> }> {
  const main = join(project, 'node_modules/voicebot/bin/voicebot.js');
  const words = [main, 'run', 'bot.mjs', '--sandbox', '--carrier', 'vobiz', '--port', '0', '--json'];
  const child = spawn(process.execPath, words, {
    cwd: project,
    env: environment(more),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const seen: Array<{ event: string }> = [];
  lines.on('line', (line) => seen.push(JSON.parse(line)));
  const told = async (event: string) => {
    for (;;) {
      const found = seen.find((one) => one.event === event);
      if (found) return found;
      await Promise.race([
        once(lines, 'line'),
        once(child, 'exit').then(([code]) => Promise.reject(new Error(`exit ${code}`))),
      ]);
    }
  };
  return Object.assign(child, { told });
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

test(
  'a carrier outside of the project passes its stories with the package as npm packs it, and its types are right',
  async () => {
    expect(tried).toMatch(/ℹ fail 0/);
    expect(tried).toMatch(/✔ vobiz: a caller comes back from a transfer/);
    mkdirSync(join(project, 'checked'));
    cpSync(join(PACKAGE_ROOT, 'extensions/vobiz'), join(project, 'checked'), { recursive: true });
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    const { stdout } = await run(process.execPath, [
      join(PACKAGE_ROOT, 'node_modules/typescript/bin/tsc'),
      '-p',
      project,
    ]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  },
  LIMIT_MS,
);

test(
  'a bot is called and dials over the wire of an extension, and another folder says what its number waits for',
  async () => {
    const serving = await runner();
    try {
      expect(await serving.told('ready')).toMatchObject({ carrier: 'vobiz', sandbox: true });
      const called = await voicebot(['call', '--dtmf', 'w1 1 w1 9', '--json']);
      expect(called.last).toMatchObject({ event: 'ended', isAnswered: true, succeeded: true, endReason: 'bot_ended' });
      const dialled = await voicebot(['dialout', '+12025550102', '--wait', '--json']);
      expect(dialled.last).toMatchObject({
        code: 'VB_CALL_FAILED',
        message: expect.stringContaining('the line was busy'),
      });

      const { last: sandbox } = await voicebot(['sandbox', '--json']);
      const { CARRIER, CARRIER_AUTH_ID, CARRIER_AUTH_TOKEN, CARRIER_API_URL } = sandbox.variables;
      expect(CARRIER).toBe('vobiz');
      // The account by the carrier's own names: nothing but the extension knows these.
      const account = { VOBIZ_AUTH_ID: CARRIER_AUTH_ID, VOBIZ_AUTH_TOKEN: CARRIER_AUTH_TOKEN, CARRIER_API_URL };
      const env = environment(account);
      const pointed = await voicebot(
        ['configure-number', '+12025550119', '--url', 'https://127.0.0.1:9', '--yes', '--json'],
        { env },
      );
      expect([pointed.code, pointed.stderr]).toEqual([0, expect.any(String)]);

      const elsewhere = join(folder, 'elsewhere');
      mkdirSync(elsewhere);
      const waiting = await voicebot(['restore', '+12025550119', '--force', '--json'], { cwd: elsewhere, env });
      expect(waiting.last).toMatchObject({ event: 'error', code: 'VB_EXTENSION_INVALID' });
      expect(waiting.last.hint).toContain('npm install voicebot-vobiz');
      const restored = await voicebot(['restore', '+12025550119', '--force', '--json'], { env });
      expect(restored.events).toContainEqual(expect.objectContaining({ event: 'restored', outcome: 'restored' }));
    } finally {
      await stopped(serving);
    }
  },
  LIMIT_MS,
);

test(
  'the command line knows the carrier of an extension, and says what is wrong with one that cannot be used',
  async () => {
    const help = await run(
      process.execPath,
      [join(project, 'node_modules/voicebot/bin/voicebot.js'), 'run', '--help'],
      {
        cwd: project,
        env: environment(),
      },
    );
    expect(help.stdout).toMatch(/"telnyx",\s+"vobiz"/);
    const { events } = await voicebot(['doctor', '--json']);
    expect(events).toContainEqual(
      expect.objectContaining({ check: 'carrier', message: expect.stringMatching(/^vobiz/) }),
    );

    const broken = join(folder, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'voicebot.config.json'), '{ "extensions": ["voicebot-nowhere", "./bad.mjs"] }');
    writeFileSync(join(broken, 'bad.mjs'), 'export default { providerContract: 2 };');
    for (const words of [
      ['run', '--sandbox', '--carrier', 'nowhere', '--json'],
      ['doctor', '--json'],
      ['configure-number', '--json'],
    ]) {
      const { code, last } = await voicebot(words, { cwd: broken });
      expect([words[0], code]).toEqual([words[0], 3]);
      expect(last).toMatchObject({ event: 'error', code: 'VB_EXTENSION_INVALID' });
      expect(last.message).toContain('voicebot-nowhere (extensions in voicebot.config.json) is not installed');
      expect(last.message).toContain('./bad.mjs is written for version 2');
    }
    expect((await voicebot(['calls', '--json'], { cwd: broken })).last?.code).not.toBe('VB_EXTENSION_INVALID');
  },
  LIMIT_MS,
);

test('the package of the extension declares voicebot as a peer, and nothing else', () => {
  const manifest = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'extensions/vobiz/package.json'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  expect(manifest.peerDependencies).toEqual({ voicebot: '>=1.0.0-rc.1 <2' });
  expect(version).toMatch(/^1\./);
  expect(manifest.dependencies).toBeUndefined();
});
