import { EventEmitter } from 'node:events';
import { availableParallelism } from 'node:os';
import { type Deferred, deferred } from '../../../src/base/async/deferred.js';
import { BotCall, type BotCallProcess } from '../../../src/runner/bots/bot-call.js';
import { BotPool } from '../../../src/runner/bots/bot-pool.js';
import type { BotPoolOptions } from '../../../src/runner/bots/bot-pool-options.js';
import type { BotProcess } from '../../../src/runner/bots/bot-process.js';
import type { ServeMessage } from '../../../src/runner/bots/messages.js';
import { settled } from '../call-races-harness.js';

/** Processes the machine loads at once. */
const AT_ONCE = availableParallelism();

/** A process that is loaded when the test says so. */
class HandProcess extends EventEmitter implements BotCallProcess {
  served = 0;
  isUsable = true;
  readonly #calls = new Map<string, BotCall>();
  readonly #loaded: Deferred<void> = deferred();

  get callCount(): number {
    return this.#calls.size;
  }
  get besideCount(): number {
    return [...this.#calls.values()].filter(({ isBeside }) => isBeside).length;
  }
  load(): Promise<void> {
    return this.#loaded.promise;
  }
  loaded(): void {
    this.#loaded.resolve();
  }
  serves(callId: string): boolean {
    return this.#calls.has(callId);
  }
  createCall(callId: string, isBeside = false): BotCall {
    const call = new BotCall(callId, this, isBeside);
    call.once('call_done', () => this.#calls.delete(callId));
    return call;
  }
  begin(call: BotCall): void {
    if (!call.isBeside) this.served += 1;
    this.#calls.set(call.callId, call);
  }
  has(call: BotCall): boolean {
    return this.#calls.get(call.callId) === call;
  }
  send(): void {}
  abandon(): void {}
  exit(): void {
    this.isUsable = false;
    this.emit('exit');
  }
  kill(): void {
    this.exit();
  }
}

const serveMessage = (id: string): ServeMessage => ({
  type: 'serve',
  call: { id, direction: 'inbound', isWithheld: false, from: '+12025550142', to: '+12025550100', attempt: 1 },
  providerCallId: id,
  carrier: 'plivo',
  body: {},
  query: {},
  silenceMs: 0,
  limitMs: 3_600_000,
});

/** A pool whose processes are loaded by hand. */
class PoolUnderTest implements Disposable {
  readonly started: HandProcess[] = [];
  readonly pool: BotPool;

  constructor(options: Partial<BotPoolOptions> = {}) {
    this.pool = new BotPool({
      environment: {},
      botEnvironment: {},
      memoryBytes: 0,
      callsPerProcess: 1,
      warm: 1,
      createProcess: () => {
        const process = new HandProcess();
        this.started.push(process);
        return process as unknown as BotProcess;
      },
      ...options,
    });
  }

  [Symbol.dispose](): void {
    this.pool.close();
  }

  /** Processes that have begun to load and have not finished. */
  get loading(): number {
    return this.started.length - this.#loaded;
  }
  #loaded = 0;

  /** The process that has begun to load first among those that load is ready. */
  async load(): Promise<HandProcess> {
    const process = this.started[this.#loaded] as HandProcess;
    this.#loaded += 1;
    process.loaded();
    await settled();
    return process;
  }

  /** A pool that has its warm processes. */
  async start(): Promise<this> {
    const starting = this.pool.start({ file: '/bot.mjs' });
    while (this.loading > 0) await this.load();
    await starting;
    return this;
  }

  async serve(callId: string): Promise<BotCall> {
    let served: BotCall | undefined;
    await this.pool.assign(callId, (bot) => {
      served = bot;
      bot.serve(serveMessage(callId));
    });
    return served as BotCall;
  }

  /** The process that has this call. */
  processOf(bot: BotCall): HandProcess | undefined {
    return this.started.find((process) => process.has(bot));
  }
}

/** Each process takes this long to load, in milliseconds, for whoever measures it. */
function loadingTakes(ms: number): void {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => {
    now += ms;
    return now;
  });
}
afterEach(() => jest.restoreAllMocks());

test('the warm processes are loaded no more at once than there are processors', async () => {
  using under = new PoolUnderTest({ warm: 9 });
  const starting = under.pool.start({ file: '/bot.mjs' });
  await under.load();
  await starting;
  while (under.loading > 0) {
    expect(under.loading).toBeLessThanOrEqual(AT_ONCE);
    await under.load();
  }
  expect(under.pool.readyCount).toBe(9);
});

describe('a call that was answered', () => {
  test('has its process loaded before its stream comes', async () => {
    using under = await new PoolUnderTest().start();
    await under.serve('first');
    const before = under.started.length;
    await under.load(); // the one that is kept warm
    under.pool.expect('second');
    expect(under.started.length).toBe(before + 1);
  });

  test('counts once, however often it is asked about', async () => {
    using under = await new PoolUnderTest({ warm: 1 }).start();
    for (let time = 0; time < 100; time += 1) expect(under.pool.expect('same')).toBe('in_time');
  });

  test('that nobody waits for any more makes room for another', async () => {
    loadingTakes(20_000);
    using under = await new PoolUnderTest().start();
    for (let call = 0; call <= AT_ONCE; call += 1) expect(under.pool.expect(`call ${call}`)).toBe('in_time');
    expect(under.pool.expect('late')).toBe('late');
    under.pool.forget('late');
    expect(under.pool.expect('late')).toBe('late');
    under.pool.forget('late');
    under.pool.forget('call 0');
    expect(under.pool.expect('late')).toBe('in_time');
  });

  test('that got its bot is in nobody’s way', async () => {
    loadingTakes(20_000);
    using under = await new PoolUnderTest({ callsPerProcess: 10 }).start();
    for (let call = 0; call < 9; call += 1) {
      under.pool.expect(`call ${call}`);
      await under.serve(`call ${call}`);
    }
    expect(under.pool.expect('tenth')).toBe('in_time');
  });
});

describe('a call whose stream does not come', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
  });
  afterEach(() => jest.useRealTimers());

  test('is in nobody’s way after 5 s, and the process that was loaded for it ends', async () => {
    loadingTakes(20_000);
    using under = await new PoolUnderTest().start();
    for (let call = 0; call <= AT_ONCE; call += 1) under.pool.expect(`call ${call}`);
    while (under.loading > 0) await under.load();
    expect(under.pool.readyCount).toBe(AT_ONCE + 2);
    jest.advanceTimersByTime(5_000);
    await under.serve('late after all');
    while (under.loading > 0) await under.load();
    jest.advanceTimersByTime(10_000);
    expect(under.pool.readyCount).toBe(1);
  });
});

describe('after a second with more calls than could be served in time', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
  });
  afterEach(() => jest.useRealTimers());

  test('more processes are kept ready, and for a minute', async () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    using under = new PoolUnderTest();
    const starting = under.pool.start({ file: '/bot.mjs' });
    now = 900;
    await under.load();
    await starting;
    for (let call = 0; call < 100; call += 1) {
      const id = `call ${call}`;
      under.pool.expect(id);
      under.pool.forget(id);
    }
    while (under.loading > 0) {
      now += 900;
      await under.load();
    }
    expect(under.pool.readyCount).toBe(4 * AT_ONCE);
    now += 60_000;
    jest.advanceTimersByTime(120_000);
    expect(under.pool.readyCount).toBe(1);
  });
});

describe('a call', () => {
  test('goes to the fullest process with room, but not to one that still has an earlier bot of it', async () => {
    using under = await new PoolUnderTest({ callsPerProcess: 2, warm: 2 }).start();
    const first = await under.serve('call-1');
    expect(under.processOf(await under.serve('call-2'))).toBe(under.processOf(first));
    first.receive({ type: 'stream_over', outcome: 'bot_timeout' });
    const second = await under.serve('call-1');
    expect(under.processOf(second)).not.toBe(under.processOf(first));
  });

  test('counts until its bot has settled, which the pool tells of', async () => {
    using under = await new PoolUnderTest().start();
    const bot = await under.serve('call-1');
    const counts: number[] = [];
    under.pool.on('call_done', () => counts.push(under.pool.callCount));
    expect(under.pool.callCount).toBe(1);
    bot.receive({ type: 'call_done', outcome: 'returned' });
    expect(counts).toEqual([0]);
  });

  test('that is not served after all leaves its place to another', async () => {
    using under = await new PoolUnderTest().start();
    await under.pool.assign('call-1', () => {});
    expect(under.pool.callCount).toBe(0);
    expect(await under.serve('call-2')).toBeInstanceOf(BotCall);
  });
});
