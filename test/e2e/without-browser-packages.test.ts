/** What somebody is told who has installed voicebot, but not what joins a real room. */
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { barePackage } from './bare-package.js';

const OPTIONAL = ['puppeteer-core', '@daily-co'];

/** Has everything of voicebot but these packages. */
let root: string;

beforeAll(() => {
  root = barePackage(['dist', 'package.json'], OPTIONAL);
});

afterAll(() => rmSync(root, { recursive: true }));

/** What joining a room through a browser comes to. */
async function joining(roomUrl: string): Promise<{ code: string; message: string; hint: string }> {
  const script = `import { joinThroughBrowser } from './dist/providers/daily/client/join-through-browser.js';
    await joinThroughBrowser({ roomUrl: '${roomUrl}', token: 't', userName: 'Bot', sampleRate: 8000, limitMs: 5000 }).catch(
      ({ code, message, hint }) => console.log(JSON.stringify({ code, message, hint })));`;
  writeFileSync(join(root, 'join.mjs'), script);
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'join.mjs')], { cwd: root });
  return JSON.parse(stdout);
}

test.each([
  [
    "the provider's library",
    'https://example.daily.co/room',
    "The browser that joins rooms cannot be used: the room provider's client, @daily-co/daily-js, is not installed",
    'npm install @daily-co/daily-js puppeteer-core',
  ],
  [
    'what drives the browser',
    'http://127.0.0.1:9/room',
    'The browser that joins rooms cannot be used: puppeteer-core is not installed',
    'npm install @daily-co/daily-js puppeteer-core',
  ],
])('joining says that %s is missing, with the command that installs it', async (_, roomUrl, message, hint) => {
  expect(await joining(roomUrl)).toEqual({ code: 'VB_BROWSER_FAILED', message, hint });
});
