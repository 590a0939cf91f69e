import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../cli/voicebot.js';

export const run = promisify(execFile);

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

/** A project where voicebot and a package of `extensions/` are installed as npm packs them, with a bot. */
export class ExtensionProject implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'voicebot-extension-'));
  readonly folder = join(this.root, 'project');
  readonly main = join(this.folder, 'node_modules/voicebot/bin/voicebot.js');

  private constructor(
    readonly name: string,
    private readonly flags: readonly string[],
  ) {}

  /** @param config of `voicebot.config.json` @param flags of the runs */
  static async install(name: string, config: object, flags: readonly string[]) {
    const project = new ExtensionProject(name, flags);
    const { stdout: tried } = await run(process.execPath, ['scripts/try-extension.mjs', name, project.folder], {
      cwd: PACKAGE_ROOT,
    });
    writeFileSync(join(project.folder, 'voicebot.config.json'), JSON.stringify(config));
    writeFileSync(join(project.folder, 'bot.mjs'), BOT);
    return { project, tried };
  }

  environment(more: Record<string, string> = {}) {
    const { PATH = '', HOME = '' } = process.env;
    return { PATH, HOME, VOICEBOT_HOME: join(this.root, 'home'), ...more };
  }

  /** @returns what is wrong with the types of the package; empty when nothing is */
  async typeErrors(): Promise<string> {
    mkdirSync(join(this.folder, 'checked'));
    cpSync(join(PACKAGE_ROOT, 'extensions', this.name), join(this.folder, 'checked'), { recursive: true });
    writeFileSync(join(this.folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    const compiler = join(PACKAGE_ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', this.folder]).catch(
      (error: { stdout: string }) => error,
    );
    return stdout;
  }

  /** @returns what it has written, one JSON object a line, and its exit code */
  async voicebot(words: string[], { cwd = this.folder, env = this.environment() } = {}) {
    const { stdout, stderr, code } = await run(process.execPath, [this.main, ...words], { cwd, env }).then(
      (done) => ({ ...done, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
    const events = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    return { code, stderr, events, last: events.at(-1) };
  }

  /** Runs the bot on the sandbox. `told` resolves with the first event of that name. */
  async serve(
    more: Record<string, string> = {},
  ): Promise<ChildProcess & { told: (event: string) => Promise<unknown> }> {
    const words = [this.main, 'run', 'bot.mjs', '--sandbox', ...this.flags, '--port', '0', '--json'];
    const child = spawn(process.execPath, words, {
      cwd: this.folder,
      env: this.environment(more),
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

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

/** A folder without the package says what a number waits for that was taken there; this one gives it back. */
export async function expectGivenBack(
  project: ExtensionProject,
  number: string,
  env: ReturnType<ExtensionProject['environment']>,
): Promise<void> {
  const words = ['restore', number, '--force', '--json'];
  const elsewhere = join(project.root, 'elsewhere');
  mkdirSync(elsewhere);
  const waiting = await project.voicebot(words, { cwd: elsewhere, env });
  expect(waiting.last).toMatchObject({ event: 'error', code: 'VB_EXTENSION_INVALID' });
  expect(waiting.last.hint).toContain(`npm install voicebot-${project.name}`);
  const restored = await project.voicebot(words, { env });
  expect(restored.events).toContainEqual(expect.objectContaining({ event: 'restored', outcome: 'restored' }));
}
