import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { openPage } from '../../src/terminal/open-page.js';
import { Output } from '../../src/terminal/output.js';
import { readAll } from './read-all.js';

const URL = 'http://127.0.0.1:7860';

/** What is shown when the program that opens browsers is this. */
async function shownWith(program: string, ...args: string[]): Promise<string> {
  const stderr = new PassThrough();
  const output = new Output({ stdout: new PassThrough(), stderr });
  const opener = spawn(program, args, { stdio: 'ignore' });
  const ended = Promise.race([once(opener, 'exit'), once(opener, 'error').catch(() => {})]);
  await openPage(URL, output, async () => opener);
  await ended.catch(() => {});
  return readAll(stderr);
}

test('says what it opens', async () => {
  expect(await shownWith(process.execPath, '-e', '0')).toBe(`Opening ${URL} in your browser.\n`);
});

test.each([
  ['finds no browser', process.execPath, ['-e', 'process.exitCode = 3']],
  ['is not there', '/no/such/program', []],
])('when the program that opens browsers %s, says where to go', async (_what, program, args) => {
  expect(await shownWith(program, ...args)).toBe(
    `Opening ${URL} in your browser.\n! No browser could be opened. Open the page yourself: ${URL}\n`,
  );
});

test('a program that has ended before anybody could listen counts too', async () => {
  const stderr = new PassThrough();
  const opener = spawn(process.execPath, ['-e', 'process.exitCode = 3'], { stdio: 'ignore' });
  await once(opener, 'exit');
  await openPage(URL, new Output({ stdout: new PassThrough(), stderr }), async () => opener);
  expect(readAll(stderr)).toContain(`Open the page yourself: ${URL}`);
});
