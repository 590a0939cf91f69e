import { PassThrough } from 'node:stream';
import { main } from '../../src/cli/main.js';
import { TemporaryFolder } from '../call/folder/recorded-line.js';
import { readAll } from '../terminal/read-all.js';

/** What a command shows in a terminal of so many columns. */
async function shown(args: readonly string[], columns: number): Promise<string[]> {
  using folder = new TemporaryFolder();
  const stderr = Object.assign(new PassThrough(), { columns });
  const context = { stdout: new PassThrough(), stderr, readStdin: async () => '', directory: folder.path };
  await main(args, {
    ...context,
    environment: { VOICEBOT_HOME: folder.path },
    keyboard: undefined,
    nodeVersion: '99.0.0',
  });
  return readAll(stderr).split('\n');
}

test('the hint of an error breaks between words, and its command stays in one piece', async () => {
  const lines = await shown(['calls'], 50);
  expect(lines.slice(1, 3)).toEqual(['  Start one in another terminal:', '  npx voicebot run --sandbox']);
});

test('the comments of the next commands stand above them where a terminal has no room beside', async () => {
  const lines = await shown(['init', 'shop', '--template', 'echo'], 60);
  expect(lines.slice(lines.indexOf('Next:') + 1).filter((line) => !line.includes('.env'))).toEqual([
    '  cd shop',
    '  npm install',
    '  # serve the bot; without an account on the sandbox, an',
    '  # offline phone network',
    '  npx voicebot run',
    '  # in another terminal: call it',
    '  npx voicebot call',
    '',
  ]);
});
