import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { EspeakTTS } from '../../../../src/bot/services/tts/espeak-tts.js';
import { Speaking } from './speaking.js';

/** Of a process without a pid: the signal would go to ourselves. */
const kill = jest.fn();

afterEach(() => {
  jest.restoreAllMocks();
  syncBuiltinESMExports();
});

test.each([
  [
    'there are too many open files: Node gives it no pipes then, and tells no end',
    () => {
      const child = Object.assign(new EventEmitter(), { kill });
      process.nextTick(() => child.emit('error', Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })));
      return child;
    },
    'spawn EMFILE',
  ],
  [
    'it cannot be started at all',
    () => {
      throw new Error('spawn E2BIG');
    },
    'spawn E2BIG',
  ],
])('what was to be said is settled, and the failure told, when %s', async (_, start, words) => {
  jest.spyOn(childProcess, 'spawn').mockImplementation(start as unknown as typeof childProcess.spawn);
  syncBuiltinESMExports();
  using speaking = new Speaking(new EspeakTTS({ cache: false }));
  await speaking.speak('Hello.');
  expect(speaking.errors).toMatchObject([{ isFinal: true, message: expect.stringContaining(words) }]);
  speaking.answer('One. ', 'Two.');
  await speaking.said();
  void speaking.speak('Hello.');
  speaking.interrupt();
  await speaking.said();
  expect(speaking.texts).toEqual([]);
  expect(kill).not.toHaveBeenCalled();
});
