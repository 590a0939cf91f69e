import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LogFields, silentLogger } from '../../../src/base/logger.js';
import type { ApplicationEvent, ApplicationEventType } from '../../../src/runner/events/application-event.js';
import { AT_ONCE, EventDelivery } from '../../../src/runner/events/event-delivery.js';
import type { ReceiverAnswer } from '../../../src/runner/events/events-receiver.js';
import { type KeptEvent, OutboxFile } from '../../../src/runner/events/outbox-file.js';
import { HandClock } from './hand-clock.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const ACCEPTED: ReceiverAnswer = { is: 'accepted' };
const FAILED: ReceiverAnswer = { is: 'failed', reason: 'status 503' };

/** A delivery whose receiver answers as the test says. */
class DeliveryUnderTest implements Disposable {
  readonly clock = new HandClock();
  /** What was sent, and when, in milliseconds from the beginning. */
  readonly sent: Array<{ callId: string; type: string; id: string; at: number }> = [];
  readonly lines: Array<[message: string, fields: LogFields | undefined]> = [];
  readonly done: OutboxFile[] = [];
  readonly #startedAt = this.clock.now();
  readonly #directory = mkdtempSync(join(tmpdir(), 'voicebot-delivery-'));
  isOff = false;
  underWay = 0;
  mostUnderWay = 0;
  answer: (kept: KeptEvent) => ReceiverAnswer | Promise<ReceiverAnswer> = () => ACCEPTED;
  readonly delivery = new EventDelivery({
    receiver: { origin: 'https://app.example.com', send: (kept) => this.#send(kept) },
    logger: { ...silentLogger, warn: (message, fields) => void this.lines.push([message, fields]) },
    clock: this.clock,
    onDone: (file) => void this.done.push(file),
    onOff: () => {
      this.isOff = true;
    },
  });

  call(callId: string, ...types: ApplicationEventType[]): OutboxFile {
    const file = new OutboxFile(join(this.#directory, callId), { grew: () => {}, failed: () => {} });
    this.add(file, callId, ...types);
    return file;
  }

  add(file: OutboxFile, callId: string, ...types: ApplicationEventType[]): void {
    const timestamp = new Date(this.clock.now()).toISOString();
    for (const type of types) file.add({ type, timestamp, data: { callId } } as ApplicationEvent);
    this.delivery.push(file);
  }

  /** Until nothing is under way. */
  readonly settled = async (): Promise<void> => {
    for (let n = 0; n < 20; n += 1) await Promise.resolve();
    while (this.underWay > 0) await new Promise((resolve) => setImmediate(resolve));
  };

  pass(ms: number): Promise<void> {
    return this.clock.pass(ms, this.settled);
  }

  /** What was sent of a call. */
  of(callId: string) {
    return this.sent.filter((one) => one.callId === callId);
  }

  get messages(): string[] {
    return this.lines.map(([message]) => message);
  }

  async #send(kept: KeptEvent): Promise<ReceiverAnswer> {
    const { type, data } = kept.event;
    this.sent.push({ callId: data.callId, type, id: kept.id, at: this.clock.now() - this.#startedAt });
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    const answer = await this.answer(kept);
    this.underWay -= 1;
    return answer;
  }

  [Symbol.dispose](): void {
    this.delivery.close();
    rmSync(this.#directory, { recursive: true });
  }
}

const isOf = (callId: string, { event }: KeptEvent) => event.data.callId === callId;

beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => jest.restoreAllMocks());

test('the events of a call are sent one after the other, those of several calls beside each other', async () => {
  using under = new DeliveryUnderTest();
  const waiting: Array<() => void> = [];
  under.answer = () => new Promise((resolve) => waiting.push(() => resolve(ACCEPTED)));
  const files = Array.from({ length: AT_ONCE + 3 }, (_, n) => under.call(`call-${n}`, 'call.started', 'call.ended'));
  expect(under.sent.map(({ type }) => type)).toEqual(Array.from({ length: AT_ONCE }, () => 'call.started'));
  const allDone = under.delivery.settled();
  while (under.done.length < files.length) {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await allDone;
  expect(under.mostUnderWay).toBe(AT_ONCE);
  expect(new Set(under.done)).toEqual(new Set(files));
  for (const n of files.keys()) {
    expect(under.of(`call-${n}`).map(({ type }) => type)).toEqual(['call.started', 'call.ended']);
  }
});

test('an event that is refused is sent again, later each time, with the same id; other calls go on', async () => {
  using under = new DeliveryUnderTest();
  under.answer = (kept) => (isOf('call-1', kept) ? FAILED : ACCEPTED);
  under.call('call-1', 'call.started', 'call.ended');
  const other = under.call('call-2', 'call.started');
  // Somebody else's events are accepted all the time.
  const passHours = async (hours: number) => {
    for (let n = 0; n < hours * 6; n += 1) {
      under.add(other, 'call-2', 'turn.ended');
      await under.pass(10 * MINUTE);
    }
  };
  await passHours(24);
  expect(under.of('call-2')).toHaveLength(1 + 24 * 6);
  const tries = under.of('call-1').filter(({ type }) => type === 'call.started');
  expect(new Set(tries.map(({ id }) => id)).size).toBe(1);
  expect(tries.slice(0, 8).map(({ at }) => at / SECOND)).toEqual([0, 5, 35, 155, 755, 2_555, 6_155, 9_755]);
  expect(under.messages).toEqual([]);
  await passHours(2);
  expect(under.lines).toEqual([
    [
      'an event that the receiver has not accepted within a day is dropped',
      { callId: 'call-1', type: 'call.started', id: tries[0]?.id, reason: 'status 503' },
    ],
  ]);
  expect(under.of('call-1').at(-1)).toMatchObject({ type: 'call.ended' });
});

test('a wait differs from the next by chance, and is as long as a busy receiver asks for', async () => {
  using under = new DeliveryUnderTest();
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
  under.answer = () => FAILED;
  under.call('call-1', 'call.started');
  await under.pass(10 * SECOND);
  expect(under.sent.map(({ at }) => at)).toEqual([0, 5_500]);
  using busy = new DeliveryUnderTest();
  busy.answer = () => ({ is: 'failed', reason: 'status 429', retryAfterMs: 90 * SECOND });
  busy.call('call-1', 'call.started');
  await busy.settled();
  busy.call('call-2', 'call.started'); // the receiver is left alone as a whole
  await busy.pass(90 * SECOND - 1);
  expect(busy.sent).toHaveLength(1);
  await busy.pass(1);
  expect(busy.sent).toHaveLength(2);
  busy.answer = () => ({ is: 'failed', reason: 'status 503', retryAfterMs: 30 * 24 * HOUR });
  await busy.pass(2 * MINUTE);
  busy.answer = () => ACCEPTED;
  await busy.pass(HOUR); // no longer than that
  expect(busy.sent.filter(({ at }) => at > HOUR)).toHaveLength(2);
});

test('a receiver that accepts nothing is told of once, left alone more and more, and told of when it is back', async () => {
  using under = new DeliveryUnderTest();
  under.answer = () => FAILED;
  const files = Array.from({ length: 40 }, (_, n) => under.call(`call-${n}`, 'call.started', 'call.ended'));
  await under.pass(0);
  expect(under.messages).toEqual([]); // once is not worth a line
  const before = under.sent.length;
  await under.pass(6 * HOUR);
  expect(under.lines).toEqual([
    [
      'the events receiver accepts no events: they are kept, and sent again for a day',
      { receiver: 'https://app.example.com', reason: 'status 503' },
    ],
  ]);
  expect(under.sent.length - before).toBeLessThan(40 + 6 * 6 + 10); // one a call, then one each ten minutes
  under.answer = () => ACCEPTED;
  const sent = under.sent.length;
  await under.pass(10 * MINUTE);
  expect(under.messages.slice(1)).toEqual(['the events receiver accepts events again']);
  expect(under.done).toHaveLength(files.length);
  expect(under.sent.length - sent).toBe(2 * files.length); // the first has asked for all
});

test.each([1, 40])(
  'what is new finds out soon whether it is only others whose events are refused: of %d calls',
  async (others) => {
    using under = new DeliveryUnderTest();
    under.answer = (kept) => (isOf('call-new', kept) ? ACCEPTED : FAILED);
    for (let n = 0; n < others; n += 1) under.call(`call-${n}`, 'call.started');
    await under.pass(HOUR);
    expect(under.messages).toHaveLength(1);
    under.call('call-new', 'call.started');
    await under.pass(30 * SECOND);
    expect(under.of('call-new')).toHaveLength(1);
    expect(under.messages.slice(1)).toEqual(['the events receiver accepts events again']);
  },
);

test('what is new does not cut short the wait that the receiver asks for', async () => {
  using under = new DeliveryUnderTest();
  under.answer = () => ({ is: 'failed', reason: 'status 503', retryAfterMs: 20 * MINUTE });
  under.call('call-1', 'call.started');
  await under.pass(21 * MINUTE);
  under.call('call-2', 'call.started');
  await under.pass(18 * MINUTE);
  expect(under.sent.map(({ callId, at }) => [callId, at / MINUTE])).toEqual([
    ['call-1', 0],
    ['call-1', 20],
  ]);
});

test('a receiver that has accepted nothing for a day is switched off with one line', async () => {
  using under = new DeliveryUnderTest();
  under.answer = () => FAILED;
  under.call('call-1', 'call.started');
  await under.pass(24 * HOUR - MINUTE);
  expect(under.isOff).toBe(false);
  await under.pass(61 * MINUTE);
  expect([under.isOff, under.delivery.isOff]).toEqual([true, true]);
  expect(under.messages.slice(1)).toEqual([
    'the events receiver has accepted none for a day (status 503): its events are dropped, and none are sent until the runner is started again',
  ]);
  const sent = under.sent.length;
  under.call('call-2', 'call.started');
  await under.pass(48 * HOUR);
  expect(under.sent).toHaveLength(sent);
  expect(under.clock.waits).toBe(0);
});

test('a receiver that is gone is switched off at once', async () => {
  using under = new DeliveryUnderTest();
  under.answer = () => ({ is: 'gone' });
  under.call('call-1', 'call.started');
  under.call('call-2', 'call.started');
  await under.pass(HOUR);
  expect(under.isOff).toBe(true);
  expect(under.sent).toHaveLength(2);
  expect(under.messages).toEqual([
    'the events receiver answered 410, which asks for no more events: its events are dropped, and none are sent until the runner is started again',
  ]);
});

test('after it is closed nothing is sent, and an answer that was lost by that counts for nothing', async () => {
  using under = new DeliveryUnderTest();
  let fail = () => {};
  under.answer = () =>
    new Promise((resolve) => {
      fail = () => resolve(FAILED);
    });
  const file = under.call('call-1', 'call.started', 'call.ended');
  under.delivery.close();
  fail();
  await under.pass(HOUR);
  expect([file.count, under.sent.length, under.messages.length, under.clock.waits]).toEqual([2, 1, 0, 0]);
});

test('those who wait for another try have one at once when they are hurried', async () => {
  using under = new DeliveryUnderTest();
  under.answer = () => FAILED;
  under.call('call-1', 'call.started');
  await under.settled();
  under.answer = () => ACCEPTED;
  under.delivery.hurry();
  await under.settled();
  expect(under.sent).toHaveLength(2);
});
