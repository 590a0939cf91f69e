import { PassThrough } from 'node:stream';
import { VoicebotError } from '../../src/base/errors.js';
import { Output } from '../../src/terminal/output.js';
import { runLogger } from '../../src/terminal/terminal-logger.js';
import { readAll } from './read-all.js';

const NOON = new Date(Date.UTC(2026, 0, 2, 12, 3, 4, 5));

function logOf(options: { json?: boolean } = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = new Output({ stdout, stderr, logsJson: true, now: () => NOON, ...options });
  const entries = () =>
    readAll(stderr)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { output, entries, out: () => readAll(stdout) };
}

test('an entry is a line of JSON with time, level, message and the fields that name no person', () => {
  const { output, entries } = logOf();
  const fields = { callId: '4b93c9b3-1', error: new VoicebotError('VB_CARRIER_REQUEST_FAILED', 'no +12025550143') };
  runLogger(output, false).error('a call could not be ended', { ...fields, from: '+12025550143', 'pii.number': '1' });
  expect(entries()).toEqual([
    {
      time: '2026-01-02T12:03:04.005Z',
      level: 'error',
      message: 'a call could not be ended',
      callId: '4b93c9b3-1',
      code: 'VB_CARRIER_REQUEST_FAILED',
    },
  ]);
});

test('of a warning only the code of its error is told, whose words may be those of a caller', () => {
  const { output, entries } = logOf();
  output.warn('the bot threw: cannot parse "my secret plan"', { error: new Error('cannot parse "my secret plan"') });
  output.warn('A bot process ended by itself: my secret plan', {
    error: new VoicebotError('VB_BOT_DIED', 'my secret'),
  });
  output.warn('+1 (202) 555-0143 still points at this runner, as 12025550143 does: 2026 calls in 10.0.0.1');
  output.warn('http://192.168.10.12:7860/calls/%2B12025550143 of +1.202.555.0143');
  expect(entries()).toMatchObject([
    { level: 'warn', message: 'something has failed' },
    { message: 'A bot process ended by itself', code: 'VB_BOT_DIED' },
    { message: '[number] still points at this runner, as [number] does: 2026 calls in 10.0.0.1' },
    { message: 'http://192.168.10.12:7860/calls/%2B[number] of [number]' },
  ]);
});

test('nothing is written for people beside it; events for programs go on', async () => {
  const { output, entries, out } = logOf({ json: true });
  output.line('hello');
  output.news('call ringing from +12025550143');
  output.link('text', 'http://127.0.0.1');
  await output.step('Loading', async () => {});
  output.event('ready');
  expect(entries()).toEqual([]);
  expect(JSON.parse(out())).toMatchObject({ event: 'ready' });
});

test.each([
  [false, ['warn']],
  [true, ['debug', 'info', 'warn']],
])('what is for a person who looks for a fault is written with --verbose: %s', (isVerbose, levels) => {
  const { output, entries } = logOf();
  const logger = runLogger(output, isVerbose);
  for (const level of ['debug', 'info', 'warn'] as const) logger[level]('one');
  expect(entries().map(({ level }) => level)).toEqual(levels);
});
