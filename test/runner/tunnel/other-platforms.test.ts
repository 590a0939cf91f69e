import { findCloudflared } from '../../../src/runner/tunnel/cloudflared.js';
import { keptCommand } from '../../../src/runner/tunnel/cloudflared-process.js';

const COMMAND = ['/opt/cloudflared', 'tunnel', '--url', 'http://127.0.0.1:7860'];

test('on Windows cloudflared is started by itself, neither detached nor with a window, so that it ends with the runner', () => {
  expect(keptCommand(COMMAND, 'win32')).toEqual({
    file: '/opt/cloudflared',
    args: COMMAND.slice(1),
    how: { detached: false, windowsHide: true },
  });
});

test.each<NodeJS.Platform>(['linux', 'darwin'])(
  'on %s a shell with a group of its own ends it with the runner',
  (platform) => {
    const { file, args, how } = keptCommand(COMMAND, platform);
    expect({ file, how }).toEqual({ file: '/bin/sh', how: { detached: true } });
    expect(args.slice(-COMMAND.length)).toEqual(COMMAND);
  },
);

test.each<[platform: NodeJS.Platform, path: string, program: string]>([
  ['linux', '/usr/bin:/opt/bin', '/opt/bin/cloudflared'],
  ['darwin', '/usr/bin:/opt/homebrew/bin', '/opt/homebrew/bin/cloudflared'],
  ['win32', 'C:\\Windows;C:\\Program Files\\cloudflared', 'C:\\Program Files\\cloudflared\\cloudflared.exe'],
])('on %s it is found on the PATH %s', (platform, path, program) => {
  const isProgram = (file: string) => file === program;
  expect(findCloudflared(path, platform, isProgram)).toBe(program);
  expect(findCloudflared(path, platform, () => false)).toBeUndefined();
  expect(findCloudflared(undefined, platform, isProgram)).toBeUndefined();
});
