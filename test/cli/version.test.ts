import { tmpdir } from 'node:os';
import { packageVersion } from '../../src/base/package-version.js';
import { command, eventOf } from './in-process.js';

test.each([
  ['--version', '--json'],
  ['--json', '--version'],
  ['-V', '--json'],
])('%s %s is one line of JSON', async (...args) => {
  const { exitCode, stdout, stderr } = await command(args, tmpdir()).finished;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout.endsWith('}\n')).toBe(true);
  expect(eventOf(stdout)).toEqual({
    version: 1,
    event: 'version',
    voicebot: packageVersion(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  });
});

test.each(['--version', '-V'])('%s alone prints the version and nothing else', async (arg) => {
  expect(await command([arg], tmpdir()).finished).toMatchObject({
    exitCode: 0,
    stdout: `${packageVersion()}\n`,
    stderr: '',
  });
});

test('--json alone is no command', async () => {
  expect((await command(['--json'], tmpdir()).finished).exitCode).toBe(2);
});
