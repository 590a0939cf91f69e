import { logLinesOf } from '../../../src/call/view/log-lines.js';

test('the log is what runner and bot have written, in the order of their times', () => {
  const lines = logLinesOf([
    { at: 4, source: 'bot', type: 'recording', is: 'failed', reason: 'the disk is full' },
    { at: 3, source: 'bot', type: 'audio_gap', ms: 41.6, frames: 2 },
    { at: 2, source: 'runner', type: 'output', line: 'hello' },
    { at: 1, source: 'runner', type: 'log', level: 'debug', message: 'begun', fields: { tries: 2, name: 'a b' } },
    { at: 5, source: 'bot', type: 'caller_joined' },
    { at: 6, source: 'bot', type: 'warning', message: 'slow', from: 'STT' },
    { at: 7, source: 'bot', type: 'speech_held', ms: 419.6, resumed: true },
    { at: 8, source: 'bot', type: 'speech_held', ms: 300, resumed: false },
  ]);
  expect(lines).toEqual([
    { at: 1, source: 'runner', level: 'debug', text: 'begun tries=2 name=a b' },
    { at: 2, source: 'bot', level: 'info', text: 'hello' },
    { at: 3, source: 'bot', level: 'warn', text: '42 ms of audio came too late, or not at all' },
    { at: 4, source: 'bot', level: 'error', text: 'recording failed: the disk is full' },
    { at: 6, source: 'bot', level: 'warn', text: 'STT: slow' },
    { at: 7, source: 'bot', level: 'info', text: "the bot's speech was held for 420 ms and went on" },
    { at: 8, source: 'bot', level: 'info', text: "the bot's speech was held for 300 ms and was dropped" },
  ]);
});
