import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Frame, type FrameDirection, StartFrame } from '../../src/bot/pipeline/frames/index.js';
import { FrameProcessor, Pipeline, PipelineTask } from '../../src/bot/pipeline/index.js';
import { CarrierFrameSerializer } from '../../src/bot/transports/stream/carrier-frame-serializer.js';
import { parseTelephonyWebSocket } from '../../src/bot/transports/stream/parse-telephony-websocket.js';
import { WebSocketTransport } from '../../src/bot/transports/stream/websocket-transport.js';
import type { BotFunction, CarrierRunnerArguments } from '../../src/call/runner-arguments.js';
import type { TransferOutcome } from '../../src/call/transfer-outcome.js';
import { BotHost } from '../../src/runner/bots/bot-host.js';
import { prepareBot } from '../../src/runner/bots/bot-source.js';
import type { MessageFromBot, MessageToBot, ServeMessage } from '../../src/runner/bots/messages.js';
import { type ReleasedStream, WaitingStream } from '../../src/runner/bots/waiting-stream.js';
import { CALL_ID, START } from '../bot/transports/fake-stream.js';
import { until } from '../e2e/processes.js';
import { Inbox } from '../sandbox/inbox.js';
import { Stream } from './hand-carrier.js';
import { botFile } from './runner-under-test.js';

const ENTRY = fileURLToPath(new URL('../../dist/runner/bots/bot-main.js', import.meta.url));

type Limits = Partial<Pick<ServeMessage, 'limitMs' | 'silenceMs'>>;

/** What a runner says with a stream that it hands over. */
function serveMessage(more: Partial<ServeMessage>): ServeMessage {
  return {
    type: 'serve',
    call: {
      id: CALL_ID,
      direction: 'inbound',
      isWithheld: false,
      from: '+12025550142',
      to: '+12025550100',
      attempt: 1,
    },
    providerCallId: CALL_ID,
    carrier: 'plivo',
    body: {},
    query: {},
    silenceMs: 0,
    limitMs: 3_600_000,
    ...more,
  };
}

/** Lets streams in; each goes to `serve`. */
class Door implements Disposable {
  readonly #server: Server;

  static async open(serve: (message: ServeMessage, stream: WaitingStream) => void, more: () => Partial<ServeMessage>) {
    const door = new Door(serve, more);
    await once(door.#server, 'listening');
    return door;
  }

  private constructor(
    serve: (message: ServeMessage, stream: WaitingStream) => void,
    more: () => Partial<ServeMessage> = () => ({}),
  ) {
    this.#server = createServer().listen(0, '127.0.0.1');
    this.#server.on('upgrade', (request, socket, head) => {
      WaitingStream.answer(request, socket as Socket, head, (stream) => serve(serveMessage(more()), stream));
    });
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ws`;
  }

  /** Does not wait for the sockets that a process has which is gone: nobody says that they are closed. */
  [Symbol.dispose](): void {
    this.#server.close();
  }
}

describe('a bot in its own process', () => {
  let child: ChildProcess;
  let said: Inbox<MessageFromBot>;
  const tell = (message: MessageToBot, socket?: Socket) => void child.send(message, socket, { keepOpen: true });

  beforeEach(async () => {
    said = new Inbox();
    child = fork(ENTRY, [], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.on('message', (message: MessageFromBot) => said.push(message));
    tell({ type: 'load', source: await prepareBot(botFile('puppet.mjs')), environment: {} });
    await said.next(({ type }) => type === 'ready');
  });
  afterEach(() => {
    child.kill('SIGKILL');
  });

  /** Hands a stream over, and the runner lets go of it, or is gone by then. */
  async function serve(limits: Limits, isRunnerGone: boolean): Promise<{ door: Door; stream: Stream }> {
    let released: ReleasedStream | undefined;
    const hand = (message: ServeMessage, waiting: WaitingStream) => {
      tell({ ...message, callId: CALL_ID });
      released = waiting.release();
    };
    const door = await Door.open(hand, () => limits);
    const opening = Stream.open(door.url);
    await said.next(({ type }) => type === 'reading');
    tell({ type: 'stream', callId: CALL_ID, head: released?.head.toString('base64') ?? '' }, released?.socket);
    await said.next(({ type }) => type === 'socket_received');
    released?.socket.destroy();
    if (isRunnerGone) child.disconnect();
    return { door, stream: await opening };
  }

  test.each([
    ['has become as long as it may be', { limitMs: 500 }],
    ['has been silent for as long as it may be', { silenceMs: 500 }],
  ])('ends a call that %s when its runner is gone, and leaves', async (_, limits) => {
    const left = once(child, 'exit');
    const { door, stream } = await serve(limits, true);
    using _door = door;
    expect(await stream.closed).toBe(1000);
    expect(await left).toEqual([0, null]);
  });

  test('leaves both limits to its runner while that is there', async () => {
    const { door, stream } = await serve({ limitMs: 200, silenceMs: 400 }, false);
    using _door = door;
    await said.next(({ type }) => type === 'silent');
    stream.order('print');
    await stream.event('done');
    stream.socket.terminate();
  });
});

/** Time goes by on a stream whose far end is there, though it says nothing. */
async function passAlive({ socket }: Stream, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    jest.advanceTimersByTime(1_000);
    const answered = once(socket, 'pong');
    socket.ping();
    await answered;
  }
}

/** Runs a bot in this process, and gives it its streams when it listens. */
function hostOf(bot: BotFunction, isOrphan = false) {
  const said: MessageFromBot[] = [];
  let waiting: WaitingStream | undefined;
  const onMessage = (message: MessageFromBot) => {
    said.push(message);
    if (message.type !== 'reading' || !waiting) return;
    const { socket, head } = waiting.release();
    host.receive({ type: 'stream', callId: CALL_ID, head: head.toString('base64') }, socket);
  };
  const host = new BotHost(bot, onMessage, () => isOrphan);
  const hand = (message: ServeMessage, stream: WaitingStream) => {
    waiting = stream;
    host.receive({ ...message, callId: CALL_ID });
  };
  return { host, said, hand };
}

describe('a bot', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
  });
  afterEach(() => jest.useRealTimers());

  /** Says what it hears, and never ends its call. */
  const stubborn: BotFunction = (args) => {
    const { websocket } = args as CarrierRunnerArguments;
    websocket.on('message', (data, isBinary) => websocket.send(data, { binary: isBinary }));
    return once(websocket, 'close').then(() => {});
  };

  test.each([
    ['a call that is too long', { limitMs: 10_000 }],
    ['a silent call', { silenceMs: 10_000 }],
  ])('that does not end %s when its runner is gone loses its stream 5 s later', async (_, limits: Limits) => {
    const { host, said, hand } = hostOf(stubborn, true);
    using door = await Door.open(hand, () => limits);
    const stream = new Stream(door.url);
    await once(stream.socket, 'open');
    await until(() => said.some(({ type }) => type === 'reading'), 'the bot reads');
    await passAlive(stream, 14);
    jest.advanceTimersByTime(999);
    stream.socket.send('{"event":"still there"}');
    await stream.event('still there');
    jest.advanceTimersByTime(1);
    expect(await stream.closed).toBe(1006);
    await until(() => host.callCount === 0, 'the call is over');
  });

  test('gives back a caller whose stream does not introduce itself after a transfer, for another bot', async () => {
    let outcome: TransferOutcome | undefined;
    const { host, said, hand } = hostOf(async (args) => {
      const { websocket, signal } = args as CarrierRunnerArguments;
      const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(websocket);
      const transport = new WebSocketTransport(websocket, {
        serializer: new CarrierFrameSerializer({ streamId, callId }),
      });
      class Transferrer extends FrameProcessor {
        override process(frame: Frame, direction: FrameDirection): void {
          this.push(frame, direction);
          if (frame instanceof StartFrame) void this.#transfer();
        }
        async #transfer(): Promise<void> {
          outcome = await transport.sipCallTransfer({ toEndPoint: '+12025550101' });
        }
      }
      const pipeline = new Pipeline([transport.input(), new Transferrer(), transport.output()]);
      await new PipelineTask(pipeline, { signal }).run();
    });
    let streams = 0;
    using door = await Door.open(hand, () => (++streams > 1 ? { comeback: { status: 'busy', detail: 'busy' } } : {}));
    const over = () => said.flatMap((message) => (message.type === 'stream_over' ? [message.outcome] : []));

    const first = new Stream(door.url);
    await once(first.socket, 'open');
    first.socket.send(JSON.stringify(START));
    await until(() => said.some(({ type }) => type === 'transfer'), 'the bot asks for the transfer');
    host.receive({ type: 'transfer_answer', callId: CALL_ID });
    expect(await first.closed).toBe(1000);

    const second = new Stream(door.url);
    await once(second.socket, 'open');
    await until(() => said.filter(({ type }) => type === 'reading').length === 2, 'the bot waits for its caller');
    await passAlive(second, 9);
    jest.advanceTimersByTime(999);
    expect(over()).toEqual(['transferring']);
    jest.advanceTimersByTime(1);
    expect(await second.closed).toBe(1011);
    await until(() => host.callCount === 0, 'the bot is done');
    expect(over()).toEqual(['transferring', 'bot_crashed']);
    expect(outcome).toMatchObject({ status: 'failed' });
  });
});
