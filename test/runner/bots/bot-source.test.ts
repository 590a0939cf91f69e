import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../../src/base/audio/wav.js';
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
    `export const bot = async (call: any) => {\n  await call.play(${argument});\n};\n`;
  const beside = (name: string) => `new URL('./${name}', import.meta.url)`;
  beforeEach(() => {
    writeFileSync(join(directory, 'junk.wav'), 'RIFF');
    writeFileSync(
      join(directory, 'good.wav'),
      encodeWav({ channels: [new Int16Array(160)], sampleRate: 8_000, encoding: 'L16' }),
    );
  });

  test('and that is no WAV file is refused before a call, and looked at again when it has changed', async () => {
    writeFileSync(file, `/* call.play('x.wav'); */\n${played(beside('junk.wav'))}`);
    const read = new Map<string, string | undefined>();
    await expect(prepareBot(file, { read })).rejects.toMatchObject({
      code: 'VB_BOT_LOAD_FAILED',
      message: expect.stringMatching(/bot\.ts:3: it plays \.\/junk\.wav: /),
      hint: expect.stringContaining('ffmpeg'),
    });
    expect(read.get(join(directory, 'junk.wav'))).toBe('RIFF'); // as it is: only a change has the bot loaded again
  });

  test('is looked for in the files that it imports, and in JavaScript', async () => {
    const part = join(directory, 'part.mjs');
    writeFileSync(part, played(`'${join(directory, 'junk.wav')}'`).replace(': any', ''));
    await expect(prepareBot(part)).rejects.toMatchObject({ message: expect.stringContaining('part.mjs:2') });
    writeFileSync(file, "export { bot } from './part.mjs';\n");
    await expect(prepareBot(file)).rejects.toMatchObject({ message: expect.stringContaining('part.mjs:2') });
  });

  test.each([
    ['can be read', played(beside('good.wav'))],
    ['is not there yet', played(beside('later.wav'))],
    ['is in a line that is a comment', `// call.play(${beside('junk.wav')})\n`],
    ['is in a comment of several lines', `/*\n call.play(${beside('junk.wav')})\n*/\n`],
    ['is known in the call only', played(['`', '$', '{call.to}.wav`'].join(''))],
    ['is beside something else', played("new URL('junk.wav', call.sounds)")],
    ['is an address', played("'https://example.com/junk.wav'")],
    ['is played by something else', `response.play('${'junk.wav'}');\nexport const response: any = {};\n`],
  ])('and that %s is no matter', async (_is, content) => {
    writeFileSync(file, content);
    await expect(prepareBot(file)).resolves.toMatchObject({ file });
  });
});
