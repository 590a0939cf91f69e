import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../../src/audio/wav.js';
import { compiledPath, prepareBot } from '../../../src/runner/bots/bot-source.js';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-source-'));
  file = join(directory, 'bot.ts');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** No process has it: the largest identifier Linux gives is 4194304. */
const NOBODY = 4_194_305;

test('TypeScript becomes one module: local files inside, packages outside, addresses as they were', async () => {
  writeFileSync(join(directory, 'part.ts'), "export const place: string = import.meta.url + '#part';\n");
  writeFileSync(
    file,
    "import { EndFrame } from 'voicebot';\nimport { place } from './part.js';\nexport const bot = () => [EndFrame, place];\n",
  );
  const { code } = await prepareBot(file);
  expect(code).toContain('from "voicebot"');
  expect(code).not.toContain('./part');
  expect(code).toContain(`file://${directory}/part.ts`);
});

test('JavaScript stays as it is', async () => {
  const script = join(directory, 'bot.mjs');
  writeFileSync(script, 'export function bot() {}\n');
  expect(await prepareBot(script)).toEqual({ file: script });
});

test('removes what a killed process left beside the bot, and nothing of a living one', async () => {
  writeFileSync(file, 'export function bot() {}\n');
  const [stray, used] = [compiledPath(file, NOBODY), compiledPath(file, process.pid)];
  writeFileSync(stray, '');
  writeFileSync(used, '');
  await prepareBot(file);
  expect([existsSync(stray), existsSync(used)]).toEqual([false, true]);
});

describe('a sound file that a bot plays', () => {
  const played = (argument: string) =>
    `export const bot = async ({ call }: any) => {\n  await call.play(${argument});\n};\n`;
  const good = () => encodeWav({ channels: [new Int16Array(160)], sampleRate: 8_000, encoding: 'L16' });

  test.each([
    ['is no WAV', 'junk.wav', /^[^:]+: \S*junk\.wav, played by bot\.ts:2: /],
    ['is not there', 'gone.wav', /gone\.wav, played by bot\.ts:2: .*ENOENT/],
  ])('and that %s is refused before a call', async (_what, name, message) => {
    writeFileSync(join(directory, 'junk.wav'), 'RIFF');
    writeFileSync(file, played(`new URL('./${name}', import.meta.url)`));
    const read = new Map<string, string | undefined>();
    await expect(prepareBot(file, { read })).rejects.toMatchObject({
      code: 'VB_WAV_INVALID',
      message: expect.stringMatching(message),
      hint: expect.any(String),
    });
    expect([...read.keys()]).toContain(join(directory, name)); // mended, it has the bot loaded again
  });

  test('is looked for in the files that it imports, and in JavaScript', async () => {
    const part = join(directory, 'part.mjs');
    writeFileSync(part, played("'/no/such.wav'").replace(': any', ''));
    await expect(prepareBot(part)).rejects.toMatchObject({ message: expect.stringContaining('part.mjs:2') });
    writeFileSync(file, "export { bot } from './part.mjs';\n");
    await expect(prepareBot(file)).rejects.toMatchObject({ message: expect.stringContaining('part.mjs:2') });
  });

  test('and that can be read, is in a comment or is known in the call only, is no matter', async () => {
    mkdirSync(join(directory, 'sounds'));
    writeFileSync(join(directory, 'sounds', 'hello.wav'), good());
    const calls = [
      "new URL('./sounds/hello.wav', import.meta.url)",
      `'${join(directory, 'sounds', 'hello.wav')}'`,
      'call.body.file',
    ];
    const comments = "// call.play('gone.wav')\n/**\n * await call.play('gone.wav')\n */\n";
    writeFileSync(file, comments + calls.map((call, n) => played(call).replace('bot', `bot${n}`)).join(''));
    await expect(prepareBot(file)).resolves.toMatchObject({ file });
  });
});
