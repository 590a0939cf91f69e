import type { Logger } from '../../../../src/base/logger.js';
import { silentLogger } from '../../../../src/base/logger.js';
import { asCallId } from '../../../../src/call/call-id.js';
import type { CallRecord } from '../../../../src/call/call-record.js';
import { CallTimelines } from '../../../../src/runner/calls/life/call-timelines.js';
import { notedLogger } from '../../../../src/runner/calls/life/noted-logger.js';
import { CALL } from '../../../cli/fake-runner.js';

const ID = asCallId('call-1');
const ended = (id: string): CallRecord => ({ ...CALL, id: asCallId(id), state: 'ended' });

test('keeps what the runner and the bots note, and tells each event once', () => {
  const timelines = new CallTimelines();
  const seen: string[] = [];
  timelines.on('event', (callId, { type }) => seen.push(`${callId} ${type}`));
  timelines.note(ID, { type: 'phase', phase: 'talking' });
  timelines.receive(ID, [{ at: 1, source: 'bot', bot: 1, type: 'caller_joined' }]);
  expect(timelines.of(ID)).toEqual([
    { at: expect.any(Number), source: 'runner', type: 'phase', phase: 'talking' },
    { at: 1, source: 'bot', bot: 1, type: 'caller_joined' },
  ]);
  expect(seen).toEqual(['call-1 phase', 'call-1 caller_joined']);
  expect(timelines.of(asCallId('another'))).toEqual([]);
});

test('of the spans that a call is said to hang below the first counts, however long the call', () => {
  const timelines = new CallTimelines();
  expect(timelines.traceOf(ID)).toBeUndefined();
  timelines.note(ID, { type: 'trace', traceparent: 'of the application' });
  for (let n = 0; n < 2_500; n += 1) timelines.note(ID, { type: 'output', line: String(n) });
  timelines.receive(ID, [{ at: 1, source: 'bot', bot: 1, type: 'trace', traceparent: 'of the bot' }]);
  expect(timelines.traceOf(ID)).toBe('of the application');
});

test('of a long call the oldest events go, and of ended calls those that ended first; live calls stay', () => {
  const timelines = new CallTimelines();
  timelines.note(ID, { type: 'record', record: { ...CALL, id: ID, state: 'connected' } });
  for (let n = 0; n < 2_500; n += 1) timelines.note(ID, { type: 'output', line: String(n) });
  expect(timelines.of(ID)).toHaveLength(2_000);
  expect(timelines.of(ID)[0]).toMatchObject({ line: '500' });
  for (let n = 0; n < 300; n += 1)
    timelines.note(asCallId(`ended-${n}`), { type: 'record', record: ended(`ended-${n}`) });
  expect(timelines.of(asCallId('ended-99'))).toEqual([]);
  expect(timelines.of(asCallId('ended-100'))).toHaveLength(1);
  expect(timelines.of(ID)).toHaveLength(2_000);
});

test('what is logged about a call is noted too, without secrets', () => {
  const timelines = new CallTimelines();
  const lines: string[] = [];
  const logger: Logger = notedLogger({ ...silentLogger, warn: (message) => lines.push(message) }, timelines);
  logger.warn('no answer', { callId: ID, token: 'secret', error: new Error('refused'), tries: 2 });
  logger.warn('about nobody', { tries: 1 });
  expect(lines).toEqual(['no answer', 'about nobody']);
  expect(timelines.of(ID)).toEqual([
    {
      at: expect.any(Number),
      source: 'runner',
      type: 'log',
      level: 'warn',
      message: 'no answer',
      fields: { error: 'refused', tries: 2 },
    },
  ]);
});

test('of words that may still change one who comes later is told the last', () => {
  const timelines = new CallTimelines();
  const interim = (at: number, text: string) =>
    ({ at, source: 'bot', bot: 1, type: 'interim_transcript', text }) as const;
  timelines.receive(ID, [
    interim(1, 'I'),
    { at: 2, source: 'bot', bot: 1, type: 'caller_joined' },
    interim(3, 'I would'),
  ]);
  expect(timelines.of(ID).map(({ at }) => at)).toEqual([2, 3]);
});
