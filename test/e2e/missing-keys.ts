import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../cli/in-process.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { allGone, ChildrenWatch, childrenOf } from './processes.js';

export const KEYS_AT = {
  DEEPGRAM_API_KEY: 'https://console.deepgram.com',
  OPENAI_API_KEY: 'https://platform.openai.com/api-keys',
  CARTESIA_API_KEY: 'https://play.cartesia.ai/keys',
} as const;

/** Runs a template in a folder that has this `.env`, which it does not accept, and waits until all it has started has ended. */
export async function refusedTemplate(template: string, transport: string, dotEnv: string) {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-keys-'));
  try {
    writeFileSync(join(home, '.env'), dotEnv);
    const before = childrenOf(process.pid);
    const watch = new ChildrenWatch(process.pid);
    const args = ['run', join(PACKAGE_ROOT, 'templates', template, 'bot.ts'), '--transport', transport, '--sandbox'];
    const { PATH } = process.env;
    const running = command([...args, '--port', '0', '--json'], home, { PATH, VOICEBOT_HOME: home });
    const { exitCode, stderr, events } = await running.finished;
    await allGone(watch.end().filter((pid) => !before.includes(pid)));
    return { exitCode, lines: stderr.trimEnd().split('\n'), events };
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** A template that is started without any key names each variable, and where to get its key. */
export async function expectAllKeysNamed(template: string, transport: string): Promise<void> {
  const { exitCode, lines, events } = await refusedTemplate(template, transport, '');
  const message =
    `Credentials are missing: DEEPGRAM_API_KEY, OPENAI_API_KEY and CARTESIA_API_KEY are not set, ` +
    `and the bot needs them`;
  const places = Object.entries(KEYS_AT).map(([name, place]) => `${name} at ${place}`);
  const hint = `get ${places.join(', ')}, and put them into .env; or try the bot without keys: npx voicebot run templates/${template}/bot.ts --stand-ins`;
  expect(exitCode).toBe(3);
  expect(events).toEqual([expect.objectContaining({ event: 'error', code: 'VB_CREDENTIALS_MISSING', message, hint })]);
  expect(lines).toEqual([`✖ ${message}`, `  ${hint}`, '  VB_CREDENTIALS_MISSING']);
}
