import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import { type ReadyNews, RunReport } from '../../../src/cli/run/run-report.js';
import { WebhookAddresses } from '../../../src/runner/http/webhook-addresses.js';
import type { NumberLease } from '../../../src/runner/numbers/number-lease.js';
import type { Runner } from '../../../src/runner/runner.js';
import type { RunnerEvents } from '../../../src/runner/runner-options.js';
import type { Tunnel } from '../../../src/runner/tunnel/tunnel.js';
import { Output, type OutputOptions } from '../../../src/terminal/output.js';
import { readAll } from '../../terminal/read-all.js';
import { CALL } from '../fake-runner.js';

const ADDRESSES = {
  port: 7_860,
  url: 'http://127.0.0.1:7860',
  addresses: new WebhookAddresses('https://bot.example.com'),
};

function reportOf(options: Partial<OutputOptions> = {}) {
  const runner = Object.assign(new EventEmitter<RunnerEvents>(), ADDRESSES) as unknown as Runner;
  const stderr = new PassThrough();
  const stdout = new PassThrough();
  const report = new RunReport(new Output({ stdout, stderr, ...options }), runner);
  const lines = () => readAll(stderr).split('\n').filter(Boolean);
  const events = () =>
    readAll(stdout)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const call = (change: Partial<CallRecord>) => runner.emit('call', { ...CALL, ...change });
  const noted = (id: string, event: TimelineEvent) => runner.emit('noted', id, event);
  return {
    report,
    lines,
    events,
    call,
    noted,
    wrote: (line: string, id?: string) => runner.emit('bot_output', line, id),
  };
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
      'back from the transfer (bot 2: an earlier one failed or is late)',
      'connected (bot 2: an earlier one failed or is late)',
      'starting (bot 3: an earlier one failed or is late)',
      'ended after 7.0 s: the bot hung up (bot_ended)',
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

test('it is told where a call is transferred to', () => {
  const { lines, call, noted } = reportOf();
  const inbound = { id: '01234567', direction: 'inbound' } as const;
  call({ ...inbound, state: 'connected' });
  noted('01234567', { type: 'transfer_asked', to: '+12025550101', at: 1, seq: 1 } as unknown as TimelineEvent);
  call({ ...inbound, state: 'transferring' });
  expect(lines().at(-1)).toBe('call 01234567  transferring to +12025550101');
});

test('a caller whom a transfer leaves in the room is back from it', () => {
  const { lines, call } = reportOf();
  const inbound = { id: '01234567', direction: 'inbound' } as const;
  call({ ...inbound, state: 'connected' });
  call({ ...inbound, state: 'transferring' });
  call({ ...inbound, state: 'connected' });
  expect(lines().at(-1)).toBe('call 01234567  back from the transfer');
});

test('another bot of a call that is not placed yet is told as such', () => {
  const { lines, call } = reportOf();
  call({ id: 'out_1' });
  call({ id: 'out_1', attempt: 2 });
  call({ id: 'out_1', attempt: 2, state: 'ringing' });
  expect(lines()).toEqual([
    'call out_1  dialling +15551234567',
    'call out_1  dialling +15551234567 (bot 2: an earlier one failed or is late)',
    'call out_1  ringing (bot 2: an earlier one failed or is late)',
  ]);
});

test('tells who calls, without what could drive the terminal', () => {
  const { lines, call } = reportOf();
  call({ id: '0123456789', direction: 'inbound', state: 'ringing', from: 'sip:\u001b[2J@example.com' });
  call({ id: '0123456789', direction: 'inbound', state: 'starting' });
  expect(lines()).toEqual(['call 01234567  ringing from sip:@example.com to +15551234567', 'call 01234567  starting']);
});

test('while it runs, every line has the time of day, and what a bot writes has its call', () => {
  const { lines, call, wrote } = reportOf({ stamp: 'time', now: () => new Date(2026, 0, 2, 9, 5, 7) });
  wrote('loaded');
  call({ id: '4b93c9b3-1111', direction: 'inbound', state: 'connected' });
  wrote('hello\u001b[2J', '4b93c9b3-1111');
  wrote('hello', 'out_0123456789');
  expect(lines()).toEqual([
    '09:05:07 bot | loaded',
    '09:05:07 call 4b93c9b3  connected',
    '09:05:07 call 4b93c9b3  bot | hello',
    '09:05:07 call out_01234567  bot | hello',
  ]);
});

test('for programs, every event has its time and the call it is about', () => {
  const { report, events, call, wrote } = reportOf({ json: true, now: () => new Date(1_000) });
  const time = '1970-01-01T00:00:01.000Z';
  report.ready(READY);
  wrote('loaded');
  wrote('hello', 'c-1');
  call({ id: 'c-1' });
  expect(events()).toMatchObject([
    { event: 'ready', time, ms: 812 },
    { event: 'bot_output', time, line: 'loaded' },
    { event: 'bot_output', time, callId: 'c-1', line: 'hello' },
    { event: 'call', time, callId: 'c-1', call: { id: 'c-1' } },
  ]);
});

test('a caller of thousands of characters does not fill the screen', () => {
  const { lines, call } = reportOf();
  call({ id: '0123456789', direction: 'inbound', state: 'ringing', from: '9'.repeat(5_000) });
  expect(lines()).toEqual([`call 01234567  ringing from ${'9'.repeat(63)}… to +15551234567`]);
});

const READY: ReadyNews = {
  bot: 'bot.ts',
  transport: 'carrier',
  number: '+12025550100',
  lease: undefined,
  tunnel: undefined,
  isSandbox: false,
  carrier: 'twilio',
  environmentFiles: [],
  events: undefined,
  nodeVersion: '99.0.0', // of which nothing is known
  ms: 811.6,
};

test('who serves a task of its own tells nobody to call its bot', () => {
  const { report, lines } = reportOf();
  report.ready({ ...READY, lease: lease(), tunnel: TUNNEL, hasTask: true });
  const shown = lines().join('\n');
  expect(shown).toContain('+12025550100');
  expect(shown).toContain('https://bot.example.com');
  expect(shown).not.toMatch(/phone|bot\.ts|Ready|Dial/);
});

test('what a run consists of, and how calls end, breaks between words', () => {
  const stderr = Object.assign(new PassThrough(), { columns: 80 });
  const { report, call } = reportOf({ stderr, stamp: 'time' });
  const names = ['CARRIER_AUTH_ID', 'CARRIER_AUTH_TOKEN', 'CARRIER_API_URL', 'CARRIER_PHONE_NUMBER'];
  const environmentFiles = [{ file: '.env', names }];
  report.ready({ ...READY, lease: lease(), tunnel: TUNNEL, environmentFiles });
  call({ id: 'out_0123456789', state: 'ended', endReason: 'telephony_error' });
  expect(
    readAll(stderr)
      .split('\n')
      .filter((line) => line.length > 80),
  ).toEqual([]);
});

const TUNNEL = { kind: 'localtunnel', note: 'for trying things out', url: 'https://bot.example.com' } as Tunnel;

function lease(): NumberLease {
  const route = {
    number: '+12025550100',
    webhookUrl: 'https://shop.example.com/answer',
    heldBy: 'application front-desk',
    isOurs: false,
  };
  return { number: route.number, route } as unknown as NumberLease;
}

test('on the sandbox, says how to call the bot and how to have it call', () => {
  const { report, lines } = reportOf();
  report.ready({ ...READY, isSandbox: true });
  const told = lines();
  expect(told).toContain('  phone      http://127.0.0.1:7860 – talk to the bot in the browser');
  expect(told.slice(-2)).toEqual([
    'Ready in 812 ms. Call the bot in the browser, or from another terminal: npx voicebot call',
    'Or have it call a number: npx voicebot dialout +15551234567',
  ]);
});

test('in a narrow terminal the command to call the bot stays in one piece', () => {
  const stderr = Object.assign(new PassThrough(), { columns: 80 });
  reportOf({ stderr }).report.ready({ ...READY, isSandbox: true });
  expect(readAll(stderr)).toContain(' or from another terminal:\n  npx voicebot call\n');
});

test('with a number, says what it pointed to before, and which names of settings were read', () => {
  const { report, lines } = reportOf();
  const environmentFiles = [{ file: '.env', names: ['CARRIER_AUTH_ID', 'OPENAI_API_KEY'] }];
  report.ready({ ...READY, lease: lease(), tunnel: TUNNEL, environmentFiles });
  expect(lines().slice(1)).toEqual([
    '  bot        bot.ts',
    '  phone      http://127.0.0.1:7860 – talk to the bot in the browser; no carrier is involved',
    '  public     https://bot.example.com',
    '             localtunnel: for trying things out',
    '  number     +12025550100',
    '  was        https://shop.example.com/answer (application front-desk)',
    '  .env       CARRIER_AUTH_ID, OPENAI_API_KEY',
    'Ready in 812 ms. Dial +12025550100. Ctrl+C gives the number back.',
  ]);
});

test('says where events go, for people and for programs', () => {
  const { report, lines } = reportOf();
  report.ready({ ...READY, events: 'https://app.example.com' });
  expect(lines()).toContain('  events     https://app.example.com');
  const { report: other, events } = reportOf({ json: true });
  other.ready({ ...READY, events: 'https://app.example.com' });
  expect(events()).toMatchObject([{ event: 'ready', events: 'https://app.example.com' }]);
});

test('on a Node.js without the security fixes there are, says so once, for people and for programs', () => {
  const nodeVersion = '20.20.2';
  const { report, lines } = reportOf();
  report.ready({ ...READY, isSandbox: true, nodeVersion });
  const told = lines().filter((line) => line.includes('Node.js'));
  expect(told).toEqual([
    expect.stringMatching(/^! Node\.js 20\.20\.2 gets no security fixes any more\. Install .+: https:\S+$/),
  ]);
  const { report: other, events } = reportOf({ json: true });
  other.ready({ ...READY, isSandbox: true, nodeVersion });
  const message = told[0]?.slice(2);
  expect(events()).toMatchObject([{ event: 'ready' }, { event: 'problem', message }]);
});

test.each([
  ['carrier', 'https://bot.example.com/answer and https://bot.example.com/hangup'],
  ['rooms', 'https://bot.example.com/rooms-dialin-webhook'],
] as const)('on a %s account without --dialin, says that no number is pointed here', (transport, webhooks) => {
  const { report, lines } = reportOf();
  report.ready({ ...READY, transport });
  expect(lines().slice(-2)).toEqual([
    `  webhooks   ${webhooks}`,
    'Ready in 812 ms. No number is pointed here: add --dialin for that, or set them yourself.',
  ]);
});

test('says that the tunnel is down and back, and under which name', () => {
  const { report, lines } = reportOf();
  report.tunnelLost('localtunnel', 'its server\u001b[2J is gone');
  report.tunnelBack('https://two.example.com', true);
  expect(lines()).toEqual([
    '✖ The tunnel is down: its server is gone. Callers cannot get through; trying again …',
    '✔ Callers get through again: https://two.example.com, and the number points there now',
  ]);
});
