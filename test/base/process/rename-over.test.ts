import { type Renaming, renameOver } from '../../../src/base/process/rename-over.js';

const failure = (code: string) => Object.assign(new Error(code), { code });

/** A system where the first attempts fail. */
function system(platform: NodeJS.Platform, failures: number, code = 'EPERM') {
  const asked: string[] = [];
  const renaming: Renaming = {
    platform,
    rename: (from, to) => {
      asked.push(`${from} ${to}`);
      if (asked.length <= failures) throw failure(code);
    },
    pause: () => {},
  };
  return { renaming, asked };
}

test.each(['EPERM', 'EACCES', 'EBUSY'])('on Windows a file in use (%s) is replaced as soon as it is free', (code) => {
  const { renaming, asked } = system('win32', 3, code);
  renameOver('draft', 'file', renaming);
  expect(asked).toEqual(Array(4).fill('draft file'));
});

test('on Windows one that stays in use is given up', () => {
  const { renaming, asked } = system('win32', 1_000);
  expect(() => renameOver('draft', 'file', renaming)).toThrow('EPERM');
  expect(asked).toHaveLength(20);
});

test('on Windows another failure is told at once', () => {
  const { renaming, asked } = system('win32', 1, 'ENOENT');
  expect(() => renameOver('draft', 'file', renaming)).toThrow('ENOENT');
  expect(asked).toHaveLength(1);
});

test.each<NodeJS.Platform>(['linux', 'darwin'])('on %s a refusal is one', (platform) => {
  const { renaming, asked } = system(platform, 1);
  expect(() => renameOver('draft', 'file', renaming)).toThrow('EPERM');
  expect(asked).toHaveLength(1);
});
