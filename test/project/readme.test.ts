import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PACKAGE_ROOT, voicebot } from '../cli/voicebot.js';

const readme = readFileSync(`${PACKAGE_ROOT}README.md`, 'utf8');

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-readme-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('the first bot has under ten lines, and answers a call with what it promises', async () => {
  const code = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(code.split('\n').filter(Boolean).length).toBeLessThan(10);
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(PACKAGE_ROOT, join(directory, 'node_modules', 'voicebot'));
  writeFileSync(join(directory, 'hello.mjs'), code);

  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, VOICEBOT_HOME: join(directory, 'home') };
  const args = [`${PACKAGE_ROOT}bin/voicebot.js`, 'run', 'hello.mjs', '--port', '0', '--json'];
  const runner = spawn(process.execPath, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(runner, 'exit');
  try {
    for await (const line of createInterface({ input: runner.stdout })) if (JSON.parse(line).event === 'ready') break;
    const call = await voicebot(['call', '--json'], { cwd: directory, env });
    const events = call.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ event }) => event)).toContain('bot_speaking');
    expect(events.at(-1)).toMatchObject({ version: 1, event: 'ended', succeeded: true, endReason: 'bot_ended' });
    expect(call.exitCode).toBe(0);
  } finally {
    runner.kill('SIGINT');
  }
  expect(await exited).toEqual([130, null]);
}, 60_000);

test('its links lead somewhere', () => {
  for (const [, path = ''] of readme.matchAll(/\]\(((?!https?:)[^)#]+)/g))
    expect(() => readFileSync(PACKAGE_ROOT + path)).not.toThrow();
});
