import { PassThrough } from 'node:stream';
import { Output } from '../../src/cli/output.js';
import { terminalLogger } from '../../src/cli/terminal-logger.js';
import { eventOf } from './in-process.js';

function setUp(json = false) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = new Output({ json, stdout, stderr });
  const read = (stream: PassThrough) => String(stream.read() ?? '');
  return { logger: terminalLogger(output), stdout: () => read(stdout), stderr: () => read(stderr) };
}

test('shows warnings and errors with what they are about, and nothing less', () => {
  const { logger, stderr } = setUp();
  logger.debug('too much');
  logger.info('too much');
  logger.warn('webhook refused', { callId: 'c1', path: '/answer', unknown: undefined });
  logger.error('failed', { error: new Error('no disk') });
  expect(stderr()).toBe('! webhook refused (callId: c1, path: /answer)\n! failed (error: no disk)\n');
});

test('keeps personal data to itself', () => {
  const { logger, stderr } = setUp();
  logger.warn('odd call', { 'pii.from': '+12025550142', 'pii.digits': '1234' });
  expect(stderr()).toBe('! odd call\n');
});

test('becomes a problem event for programs', () => {
  const { logger, stdout, stderr } = setUp(true);
  logger.warn('webhook refused');
  expect(eventOf(stdout())).toEqual({ version: 1, event: 'problem', message: 'webhook refused' });
  expect(stderr()).toBe('');
});

test('a problem with a call names the call', () => {
  const { logger, stdout } = setUp(true);
  logger.warn('webhook refused', { callId: 'c1', path: '/answer' });
  expect(eventOf(stdout())).toMatchObject({ callId: 'c1', message: 'webhook refused (callId: c1, path: /answer)' });
});
