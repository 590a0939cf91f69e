import { EventEmitter } from 'node:events';
import { interruptSelf, type SignalSource, watchSignals } from '../../src/terminal/signals.js';

/** A process that notes what is done to it. */
function process(platform: NodeJS.Platform) {
  const done: string[] = [];
  const self = Object.assign(new EventEmitter(), {
    platform,
    pid: 4_242,
    kill: (pid: number, signal: string) => done.push(`kill ${pid} ${signal}`),
    exit: (code: number) => done.push(`exit ${code}`),
  });
  return { self: self as unknown as SignalSource & EventEmitter, done };
}

test.each<NodeJS.Platform>(['linux', 'darwin', 'win32'])(
  'on %s the first and the second signal are told',
  async (platform) => {
    const { self } = process(platform);
    const watch = watchSignals(self);
    self.emit('SIGTERM', 'SIGTERM');
    self.emit('SIGHUP', 'SIGHUP');
    expect(await Promise.all([watch.first, watch.second])).toEqual(['SIGTERM', 'SIGHUP']);
    watch.close();
    expect(self.eventNames()).toEqual([]);
  },
);

test('on Windows Ctrl+Break is taken for Ctrl+C', async () => {
  const { self } = process('win32');
  const watch = watchSignals(self);
  self.emit('SIGBREAK', 'SIGBREAK');
  expect(await watch.first).toBe('SIGINT');
  watch.close();
  expect(self.eventNames()).toEqual([]);
});

test.each<NodeJS.Platform>(['linux', 'darwin'])('on %s a key that quits sends the signal of Ctrl+C', (platform) => {
  const { self, done } = process(platform);
  watchSignals(self);
  interruptSelf(self);
  expect(done).toEqual(['kill 4242 SIGINT']);
});

test('on Windows a key that quits tells the listeners, since a signal would end the process at once', async () => {
  const { self, done } = process('win32');
  const watch = watchSignals(self);
  interruptSelf(self);
  expect(await watch.first).toBe('SIGINT');
  expect(done).toEqual([]);
});

test('on Windows, without listeners, it ends the process as Ctrl+C would', () => {
  const { self, done } = process('win32');
  interruptSelf(self);
  expect(done).toEqual(['exit 130']);
});
