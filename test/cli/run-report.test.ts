import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { Output } from '../../src/cli/output.js';
import { RunReport } from '../../src/cli/run-report.js';
import type { CallRecord } from '../../src/runner/call-registry.js';
import type { Runner, RunnerEvents } from '../../src/runner/runner.js';
import { WebhookAddresses } from '../../src/runner/webhook-addresses.js';
import { CALL } from './fake-runner.js';

const ADDRESSES = {
  port: 7_860,
  url: 'http://127.0.0.1:7860',
  addresses: new WebhookAddresses('https://bot.example.com'),
};

function reportOf() {
  const runner = Object.assign(new EventEmitter<RunnerEvents>(), ADDRESSES) as unknown as Runner;
  const stderr = new PassThrough();
  const report = new RunReport(new Output({ allowsColour: false, stdout: new PassThrough(), stderr }), runner);
  const lines = () =>
    String(stderr.read() ?? '')
      .split('\n')
      .filter(Boolean);
  return { report, lines, call: (change: Partial<CallRecord>) => runner.emit('call', { ...CALL, ...change }) };
}

test('tells the life of a dialled call, each step once', () => {
  const { lines, call } = reportOf();
  const answered = { answeredAt: 2_000 };
  call({ id: 'out_0123456789' });
  call({ id: 'out_0123456789', providerCallId: 'c-1' });
  call({ id: 'out_0123456789', state: 'ringing' });
  call({ id: 'out_0123456789', state: 'starting', ...answered });
  call({ id: 'out_0123456789', state: 'starting', ...answered, answeredBy: 'person' });
  call({ id: 'out_0123456789', state: 'connected', ...answered });
  call({ id: 'out_0123456789', state: 'transferring', ...answered });
  call({ id: 'out_0123456789', state: 'transferring', ...answered, providerCallId: 'c-1' });
  call({ id: 'out_0123456789', state: 'starting', ...answered });
  call({ id: 'out_0123456789', state: 'starting', ...answered, answeredBy: 'person' });
  call({ id: 'out_0123456789', state: 'connected', ...answered });
  call({ id: 'out_0123456789', state: 'transferring', ...answered });
  call({ id: 'out_0123456789', state: 'starting', ...answered, attempt: 2 });
  call({ id: 'out_0123456789', state: 'connected', ...answered, attempt: 2 });
  call({ id: 'out_0123456789', state: 'starting', ...answered, connectedAt: 3_000, attempt: 3 });
  call({ id: 'out_0123456789', state: 'ended', ...answered, endedAt: 9_000, endReason: 'bot_ended' });
  expect(lines()).toEqual(
    [
      'dialling +15551234567',
      'ringing',
      'answered',
      'connected',
      'transferring',
      'back from the transfer',
      'connected',
      'transferring',
      'back from the transfer (bot 2: an earlier one failed)',
      'connected (bot 2: an earlier one failed)',
      'starting (bot 3: an earlier one failed)',
      'ended: bot_ended after 8.0 s',
    ].map((news) => `call out_01234567  ${news}`),
  );
});

test('a bot that gets another stream has not been answered again', () => {
  const { lines, call } = reportOf();
  const answered = { id: 'out_1', answeredAt: 2_000 };
  call({ ...answered, state: 'starting' });
  call({ ...answered, state: 'connected', connectedAt: 3_000 });
  call({ ...answered, state: 'starting', connectedAt: 3_000 });
  expect(lines()).toEqual(['answered', 'connected', 'starting'].map((news) => `call out_1  ${news}`));
});

test('an inbound call is back from a transfer too', () => {
  const { lines, call } = reportOf();
  const inbound = { id: '01234567', direction: 'inbound' } as const;
  call({ ...inbound, state: 'transferring' });
  call({ ...inbound, state: 'starting' });
  expect(lines().at(-1)).toBe('call 01234567  back from the transfer');
});

test('tells who calls, without what could drive the terminal', () => {
  const { lines, call } = reportOf();
  call({ id: '0123456789', direction: 'inbound', state: 'ringing', from: 'sip:\u001b[2J@example.com' });
  call({ id: '0123456789', direction: 'inbound', state: 'starting' });
  expect(lines()).toEqual([
    'call 01234567  ringing from sip:\ufffd[2J@example.com to +15551234567',
    'call 01234567  starting',
  ]);
});

test('on the sandbox, says how to call the bot and how to have it call', () => {
  const { report, lines } = reportOf();
  report.ready('carrier', '+12025550100', true);
  expect(lines().slice(-2)).toEqual([
    'Ready. Call the bot from another terminal: npx voicebot call',
    'Or have it call somebody: npx voicebot dialout +15551234567',
  ]);
});

test('on a carrier, says what to set there', () => {
  const { report, lines } = reportOf();
  report.ready('carrier', undefined, false);
  expect(lines().join('\n')).toContain('https://bot.example.com/answer (POST)');
  expect(lines().join('\n')).not.toContain('dialout');
});

test('at a room provider, says what to set there', () => {
  const { report, lines } = reportOf();
  report.ready('rooms', '+12025550100', false);
  expect(lines().join('\n')).toContain('https://bot.example.com/rooms-dialin-webhook');
  expect(lines().join('\n')).not.toContain('answer URL');
});
