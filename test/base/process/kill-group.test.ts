import { killGroup, type ProcessEnds } from '../../../src/base/process/kill-group.js';

/** A system that notes what it is asked. */
function system(platform: NodeJS.Platform, kill: ProcessEnds['kill'] = () => {}) {
  const asked: unknown[] = [];
  const ends: ProcessEnds = {
    platform,
    kill: (...words) => {
      asked.push(words);
      kill(...words);
    },
    killTree: (pid) => asked.push(['tree', pid]),
  };
  return { ends, asked };
}

const RUNNING = { pid: 4_242, exitCode: null, signalCode: null };

test.each<NodeJS.Platform>(['linux', 'darwin'])('on %s the whole group is ended, also after its leader', (platform) => {
  const { ends, asked } = system(platform);
  killGroup(RUNNING, ends);
  killGroup({ ...RUNNING, exitCode: 0 }, ends);
  expect(asked).toEqual([
    [-4_242, 'SIGKILL'],
    [-4_242, 'SIGKILL'],
  ]);
});

test('a group that has ended is no failure', () => {
  const { ends, asked } = system('darwin', () => {
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
  });
  killGroup(RUNNING, ends);
  expect(asked).toHaveLength(1);
});

test('on Windows a process is ended with what it has started', () => {
  const { ends, asked } = system('win32');
  killGroup(RUNNING, ends);
  expect(asked).toEqual([['tree', 4_242]]);
});

test.each([
  ['by itself', { exitCode: 1, signalCode: null }],
  ['by us', { exitCode: null, signalCode: 'SIGKILL' as const }],
])('on Windows nothing is done to one that has ended %s: its number may be that of another', (_how, end) => {
  const { ends, asked } = system('win32');
  killGroup({ pid: 4_242, ...end }, ends);
  expect(asked).toEqual([]);
});

test.each<NodeJS.Platform>(['linux', 'win32'])('on %s one that could not be started is left alone', (platform) => {
  const { ends, asked } = system(platform);
  killGroup({ exitCode: null, signalCode: null }, ends);
  expect(asked).toEqual([]);
});
