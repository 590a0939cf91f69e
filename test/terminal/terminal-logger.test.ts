import { PassThrough } from 'node:stream';
import { VoicebotError } from '../../src/base/errors.js';
import { Output } from '../../src/terminal/output.js';
import { terminalLogger } from '../../src/terminal/terminal-logger.js';
import { eventOf } from '../cli/in-process.js';
import { readAll } from './read-all.js';

function setUp(json = false) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = new Output({ json, stdout, stderr });
  const read = (stream: PassThrough) => readAll(stream);
  return { logger: terminalLogger(output), stdout: () => read(stdout), stderr: () => read(stderr) };
}

test('shows warnings and errors with what they are about, and nothing less', () => {
  const { logger, stderr } = setUp();
  logger.debug('too much');
  logger.info('too much');
  logger.warn('webhook refused', { callId: 'c1', path: '/answer', unknown: undefined });
  logger.error('failed', { error: new Error('no disk') });
  logger.warn('refused', { error: VoicebotError.fieldsOf(new Error('the call is over'), 'VB_TRANSFER_FAILED') });
  expect(stderr()).toBe(
    'call c1  ! webhook refused (path: /answer)\n! failed (error: no disk)\n' +
      '! refused (error: The call could not be transferred: the call is over)\n',
  );
});

test('names a call as the other lines about it do', () => {
  const { logger, stderr } = setUp();
  logger.warn('caller is back', { callId: '4b93c9b3-0db5-4f5e-a7b3-9d1f14c0ad7e' });
  logger.warn('transfer refused', { callId: 'out_8pHFxqfG3zLbayNE' });
  expect(stderr()).toBe('call 4b93c9b3  ! caller is back\ncall out_8pHFxqfG  ! transfer refused\n');
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

test('programs are told the code of an error that caused a problem, and what to type', () => {
  const { logger, stdout } = setUp(true);
  const hint = 'check the tunnel: npx voicebot doctor bot.ts';
  logger.warn('not reached', { error: new VoicebotError('VB_TUNNEL_FAILED', 'gone', { hint }) });
  const message = 'not reached (error: The runner cannot be reached from outside: gone)';
  const told = { message, code: 'VB_TUNNEL_FAILED', hint, next: 'npx voicebot doctor bot.ts' };
  expect(eventOf(stdout())).toMatchObject({ event: 'problem', ...told });
});

test('a problem with a call names the call', () => {
  const { logger, stdout } = setUp(true);
  logger.warn('webhook refused', { callId: 'c1', path: '/answer' });
  expect(eventOf(stdout())).toMatchObject({ callId: 'c1', message: 'webhook refused (path: /answer)' });
});
