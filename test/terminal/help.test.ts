import { PassThrough } from 'node:stream';
import { main } from '../../src/cli/main.js';
import { COMMANDS } from '../cli/voicebot.js';
import { readAll } from './read-all.js';

async function helpOf(command: string, columns: number): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
  await main([...command.split(' ').filter(Boolean), '--help'], {
    stdout,
    stderr: new PassThrough(),
    readStdin: async () => '',
    environment: {},
    directory: '/',
    nodeVersion: process.versions.node,
  });
  return readAll(stdout);
}

const words = (text: string) => text.split(/\s+/).filter(Boolean);

describe.each(['', ...COMMANDS])('voicebot %s --help', (command) => {
  test.each([120, 80, 60, 50])('has no line longer than a terminal of %d columns is wide', async (columns) => {
    const lines = (await helpOf(command, columns)).split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  });

  test('says the same in the same order, however wide the terminal is', async () => {
    expect(words(await helpOf(command, 50))).toEqual(words(await helpOf(command, 300)));
  });
});
