import type { CallRecord } from '../../src/call/call-record.js';
import { until } from '../e2e/processes.js';
import { type DialledCall, type Document, Stream, send } from './hand-carrier.js';
import type { RoomBot } from './rooms/hand-rooms.js';
import { ANSWERED, CONNECTED, RunnerOnRooms } from './rooms/runner-on-rooms.js';
import { RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

/** A live call of either provider and its bot, as far as their rules are the same. */
export interface CallUnderTest {
  readonly id: string;
  /** The bot ends its call, or fails. */
  order(order: 'return' | 'throw'): void;
  /** The bot does not end its call when it is asked to. */
  makeStubborn(): Promise<void>;
  /** The bot still does as it is told. */
  isServed(): Promise<void>;
  /** For so long that its bot tells of it; the runner has a second set as limit, and its timers are held. */
  becomesSilent(): Promise<void>;
  /** The same call, once another bot has taken over. */
  nextBot(): Promise<CallUnderTest>;
  /** The other party hangs up. */
  hangUp(): Promise<CallRecord>;
  /** How the call has ended, once its bot has ended it and the provider has been told to. */
  endedByBot(): Promise<CallRecord>;
  /** The same of a call for which there is no bot any more. */
  endedForWantOfBots(): Promise<CallRecord>;
  /** The same of a call that the runner has ended at its provider, whatever its bot does. */
  endedByRunner(): Promise<CallRecord>;
  /** How often the runner has asked the provider to end the call, once everything on its way has arrived. */
  endRequests(): Promise<number>;
}

/** A call that is being dialled. */
export interface DialledUnderTest {
  readonly id: string;
  ring(): Promise<void>;
  answer(): Promise<CallUnderTest>;
}

/** A runner, and calls of its provider. */
export interface RunnerWithCalls extends AsyncDisposable {
  readonly served: RunnerUnderTest;
  call(): Promise<CallUnderTest>;
  dial(): Promise<DialledUnderTest>;
  /** What the runner has asked of its provider so far. */
  asked(): number;
}

export interface ProviderUnderTest {
  start(options?: TestRunnerOptions): Promise<RunnerWithCalls>;
}

/** Calls whose audio comes as a stream of a carrier. */
export const CARRIER: ProviderUnderTest = {
  start: async (options) => {
    const served = await RunnerUnderTest.start(options);
    return {
      served,
      call: async () => StreamCall.open(served, await served.carrier.answer()),
      dial: async () => {
        const dialled = await served.carrier.dial(served.api);
        return {
          id: dialled.id,
          ring: async () => void (await dialled.ring()),
          answer: async () => StreamCall.open(served, await dialled.answer(), dialled),
        };
      },
      asked: () => served.api.requests.all.length,
      [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
    };
  },
};

/** Calls whose bots are in rooms. */
export const ROOMS: ProviderUnderTest = {
  start: async (options) => {
    const served = await RunnerOnRooms.serve(options);
    await served.ready();
    return {
      served,
      call: async () => new RoomCall(served, await served.connectedCall()),
      dial: async () => {
        const bot = await served.dial();
        await bot.tell(...ANSWERED.slice(0, 2));
        return {
          id: bot.hello.call.id,
          ring: () => bot.tell({ type: 'ringing' }),
          answer: async () => {
            await bot.tell({ type: 'connected' });
            return new RoomCall(served, bot);
          },
        };
      },
      asked: () => served.rooms.requests.all.length,
      [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
    };
  },
};

async function recordOf(
  { records }: RunnerUnderTest,
  id: string,
  state: string,
  attempt?: number,
): Promise<CallRecord> {
  const find = () =>
    records.all.find((one) => one.id === id && one.state === state && one.attempt === (attempt ?? one.attempt));
  await until(() => find() !== undefined, `call ${id} is ${state}`);
  return find() as CallRecord;
}

async function everythingArrived({ runner }: RunnerUnderTest): Promise<void> {
  for (const _ of [1, 2, 3]) await send(`${runner.url}/health`);
}

class StreamCall implements CallUnderTest {
  /** How the bot's end of the stream is to be closed. */
  #closeCode = 1000;

  static async open(served: RunnerUnderTest, document: Document, dialled?: DialledCall): Promise<StreamCall> {
    const call = new StreamCall(served, document, await Stream.open(document.streamUrl), dialled);
    await recordOf(served, call.id, 'connected', call.stream.hello.call.attempt);
    return call;
  }

  private constructor(
    private readonly served: RunnerUnderTest,
    private readonly document: Document,
    private readonly stream: Stream,
    private readonly dialled: DialledCall | undefined,
  ) {}

  get id(): string {
    return this.stream.callId;
  }

  order(order: 'return' | 'throw'): void {
    if (order === 'throw') this.#closeCode = 1011;
    this.stream.order(order);
  }

  async makeStubborn(): Promise<void> {
    this.stream.order('ignore_stop');
    await this.stream.event('done');
  }

  async isServed(): Promise<void> {
    this.stream.order('nothing');
    await this.stream.event('done');
  }

  async becomesSilent(): Promise<void> {
    jest.advanceTimersByTime(1_000);
  }

  async nextBot(): Promise<StreamCall> {
    await this.stream.closed;
    return await StreamCall.open(this.served, await this.served.carrier.follow(this.document), this.dialled);
  }

  async hangUp(): Promise<CallRecord> {
    await this.#saysOver();
    return await recordOf(this.served, this.id, 'ended');
  }

  async endedByBot(): Promise<CallRecord> {
    return await this.#endedAsToldTo('Hangup');
  }

  async endedForWantOfBots(): Promise<CallRecord> {
    return await this.#endedAsToldTo('Play', 'Hangup');
  }

  async endedByRunner(): Promise<CallRecord> {
    const { path } = await this.served.api.next('DELETE', /./);
    expect(path).toBe(`Call/${this.document.callId}/`);
    const record = await recordOf(this.served, this.id, 'ended');
    expect(await this.stream.closed).toBe(1006);
    return record;
  }

  async endRequests(): Promise<number> {
    await everythingArrived(this.served);
    return this.served.api.requests.all.filter(({ method }) => method === 'DELETE').length;
  }

  async #endedAsToldTo(...verbs: string[]): Promise<CallRecord> {
    expect(await this.stream.closed).toBe(this.#closeCode);
    expect((await this.served.carrier.follow(this.document)).verbs).toEqual(verbs);
    await this.#saysOver({ HangupSource: 'Answer XML', HangupCauseCode: '4000' });
    return await recordOf(this.served, this.id, 'ended');
  }

  async #saysOver(parameters?: Record<string, string>): Promise<void> {
    if (this.dialled) await this.dialled.hangup(parameters);
    else await this.served.carrier.hangup(this.document.callId, parameters);
  }
}

class RoomCall implements CallUnderTest {
  constructor(
    private readonly served: RunnerOnRooms,
    private readonly bot: RoomBot,
  ) {}

  get id(): string {
    return this.bot.hello.call.id;
  }

  order(order: 'return' | 'throw'): void {
    void this.bot.order(order);
  }

  async makeStubborn(): Promise<void> {
    await this.bot.order('ignore_stop');
  }

  isServed(): Promise<void> {
    return this.bot.tell();
  }

  becomesSilent(): Promise<void> {
    return this.bot.tell({ type: 'silent' });
  }

  async nextBot(): Promise<RoomCall> {
    const next = await this.served.rooms.bot(this.id, this.bot.hello.call.attempt + 1);
    await next.tell(...CONNECTED);
    return new RoomCall(this.served, next);
  }

  async hangUp(): Promise<CallRecord> {
    await this.bot.tell({ type: 'over', reason: 'caller_hung_up' });
    this.order('return');
    return await this.endedByBot();
  }

  async endedByBot(): Promise<CallRecord> {
    const record = await recordOf(this.served, this.id, 'ended');
    await this.served.closed(this.bot.room);
    return record;
  }

  endedForWantOfBots(): Promise<CallRecord> {
    return this.endedByBot();
  }

  async endedByRunner(): Promise<CallRecord> {
    const record = await this.endedByBot();
    await this.bot.left;
    return record;
  }

  async endRequests(): Promise<number> {
    await everythingArrived(this.served);
    return this.served.rooms.asked('deleteRoom').length;
  }
}
