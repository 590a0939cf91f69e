import type { IncomingMessage } from 'node:http';
import { type LogFields, type Logger, silentLogger } from '../../../src/base/logger.js';
import { RefusalLog, type RefusalReason } from '../../../src/runner/http/refusal-log.js';

let lines: [message: string, fields: LogFields | undefined][];
let log: RefusalLog;
beforeEach(() => {
  jest.useFakeTimers();
  lines = [];
  const logger: Logger = { ...silentLogger, warn: (message, fields) => void lines.push([message, fields]) };
  log = new RefusalLog(logger);
});
afterEach(() => jest.useRealTimers());

test('a refusal is logged at once, as it is', () => {
  log.warn('stream refused', { reason: 'pass' });
  expect(lines).toEqual([['stream refused', { reason: 'pass' }]]);
  jest.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(1);
});

test('10,000 refusals make two lines', () => {
  for (let n = 0; n < 10_000; n += 1) log.warn('stream refused', { n });
  jest.advanceTimersByTime(60_000);
  expect(lines).toEqual([
    ['stream refused', { n: 0 }],
    ['stream refused (more of them)', { count: 9_999, seconds: 10 }],
  ]);
});

test('a flood that goes on makes a line every ten seconds', () => {
  for (let ms = 0; ms < 60_000; ms += 10) {
    log.warn('stream refused', {});
    jest.advanceTimersByTime(10);
  }
  expect(lines.map(([message]) => message)).toEqual([
    'stream refused',
    ...Array.from({ length: 6 }, () => 'stream refused (more of them)'),
  ]);
  const counted = lines.slice(1).reduce((sum, [, fields]) => sum + Number(fields?.count), 1);
  expect(counted).toBe(6_000);
});

test('after ten quiet seconds the next one is logged as it is', () => {
  log.warn('stream refused', { n: 1 });
  log.warn('stream refused', { n: 2 });
  jest.advanceTimersByTime(20_000);
  log.warn('stream refused', { n: 3 });
  expect(lines.map(([, fields]) => fields)).toEqual([{ n: 1 }, { count: 1, seconds: 10 }, { n: 3 }]);
});

test('one kind does not hide another', () => {
  log.warn('stream refused', {});
  log.warn('stream refused', {});
  log.warn('webhook refused', {});
  expect(lines.map(([message]) => message)).toEqual(['stream refused', 'webhook refused']);
});

test('what was only counted is logged when the log is closed, and nothing afterwards', () => {
  for (let n = 0; n < 5; n += 1) log.warn('stream refused', { n });
  log.warn('webhook refused', {});
  jest.advanceTimersByTime(2_500);
  log.close();
  expect(lines.slice(2)).toEqual([['stream refused (more of them)', { count: 4, seconds: 3 }]]);
  expect(jest.getTimerCount()).toBe(0);
});

test.each([
  [100, 1],
  [1_200, 1],
  [9_999, 10],
])('what is told after %i ms came within %i s', (ms, seconds) => {
  for (let n = 0; n < 2; n += 1) log.warn('stream refused', {});
  jest.advanceTimersByTime(ms);
  log.close();
  expect(lines[1]).toEqual(['stream refused (more of them)', { count: 1, seconds }]);
});

test('keeps no process alive', () => {
  jest.useRealTimers();
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  log.warn('stream refused', {});
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before);
});

test('each refusal of a stranger is counted by its word, also when the log is quiet', () => {
  const counted: RefusalReason[] = [];
  const counting = new RefusalLog(silentLogger, undefined, (refusal) => void counted.push(refusal));
  const request = { socket: { remoteAddress: '203.0.113.7' }, headers: {} } as IncomingMessage;
  for (let n = 0; n < 3; n += 1) counting.refuse('bad_signature', {}, request);
  expect(counted).toEqual(['bad_signature', 'bad_signature', 'bad_signature']);
});
