import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { CarrierRunnerArguments } from '../../src/call/runner-arguments.js';
import { runnerLinkOf } from '../../src/call/runner-link.js';
import { BotHost } from '../../src/runner/bots/bot-host.js';
import type { MessageFromBot, ServeMessage } from '../../src/runner/bots/messages.js';
import { WaitingStream } from '../../src/runner/bots/waiting-stream.js';
import { until } from '../e2e/processes.js';
import { Stream } from './hand-carrier.js';

const CALL_ID = 'call-1';

/** Reads whatever comes, and sends it back. */
function echoes(websocket: WebSocket): void {
  websocket.on('message', (data, isBinary) => websocket.send(data, { binary: isBinary }));
}

async function echo({ websocket }: CarrierRunnerArguments): Promise<void> {
  echoes(websocket);
  await once(websocket, 'close');
}

/** Asks for a transfer at once, and goes on with the caller who comes back. */
async function transfer({ websocket }: CarrierRunnerArguments): Promise<void> {
  echoes(websocket);
  const asked = await runnerLinkOf({ websocket })?.transfer('+12025550101');
  const outcome = await asked?.outcome;
  if (outcome && 'websocket' in outcome && outcome.websocket) await echo({ websocket: outcome.websocket } as never);
}

/** One call of a bot, and the carrier's end of its stream. */
class HostedStream implements AsyncDisposable {
  readonly said: MessageFromBot[] = [];
  readonly host = new BotHost(
    (args) => this.bot(args as CarrierRunnerArguments),
    (message) => {
      this.said.push(message);
      if (message.type !== 'reading' || !this.#waiting) return;
      const { socket, head } = this.#waiting.release();
      this.host.receive({ type: 'stream', callId: CALL_ID, head: head.toString('base64') }, socket);
    },
  );
  #waiting: WaitingStream | undefined;
  readonly #server: Server = createServer();
  /** What the runner says of the stream that comes next. */
  coming: Pick<ServeMessage, 'comeback'> = {};
  stream!: Stream;
  pings = 0;

  private constructor(private readonly bot: (args: CarrierRunnerArguments) => Promise<void>) {}

  static async open(bot = echo): Promise<HostedStream> {
    const hosted = new HostedStream(bot);
    hosted.#server.on('upgrade', (request, socket, head) => {
      WaitingStream.answer(request, socket as Socket, head, (stream) => {
        hosted.#waiting = stream;
        const call = { id: CALL_ID, direction: 'inbound', isWithheld: false, from: '', to: '', attempt: 1 } as const;
        const rest = { body: {}, query: {}, silenceMs: 0, limitMs: 3_600_000 };
        hosted.host.receive({
          type: 'serve',
          callId: CALL_ID,
          call,
          providerCallId: CALL_ID,
          carrier: 'plivo',
          ...rest,
          ...hosted.coming,
        });
      });
    });
    hosted.#server.listen(0, '127.0.0.1');
    await once(hosted.#server, 'listening');
    await hosted.connect();
    return hosted;
  }

  /** The carrier connects a stream, and the bot reads it. */
  async connect(): Promise<void> {
    const reads = () => this.said.filter(({ type }) => type === 'reading').length;
    const before = reads();
    this.stream = new Stream(`ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ws`);
    this.stream.socket.on('ping', () => {
      this.pings += 1;
    });
    await once(this.stream.socket, 'open');
    await until(() => reads() > before, 'the bot reads');
    await this.echo('begun');
  }

  /** What was sent before has been read by then. */
  async echo(event: string): Promise<void> {
    this.stream.socket.send(JSON.stringify({ event }));
    await this.stream.event(event);
  }

  /** What the far end's socket library has sent by itself has been read. */
  async sendsBytes(): Promise<void> {
    const { socket } = this.stream;
    const answered = once(socket, 'pong');
    socket.ping();
    await answered;
  }

  get outcomes(): string[] {
    return this.said.flatMap((message) => (message.type === 'stream_over' ? [message.outcome] : []));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stream.socket.terminate();
    await until(() => this.host.callCount === 0, 'the call is over');
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

test('a thousand pings in one read are answered, and the call goes on', async () => {
  await using hosted = await HostedStream.open();
  const { socket } = hosted.stream;
  let last = '';
  socket.on('pong', (data) => {
    last = String(data);
  });
  const { _socket: connection } = socket as unknown as { _socket: Socket };
  connection.cork();
  for (let n = 1; n <= 1_000; n += 1) socket.ping(String(n));
  connection.uncork();
  await hosted.echo('still there');
  await until(() => last === '1000', 'the last ping is answered');
  expect(hosted.outcomes).toEqual([]);
});

describe('a stream on which nothing comes any more, and which nobody has closed,', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
  });
  afterEach(() => jest.useRealTimers());

  /** Seconds go by one after the other, and what the far end has sent meanwhile is read. */
  async function pass(seconds: number, each: () => Promise<void> = async () => {}): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      jest.advanceTimersByTime(1_000);
      await each();
    }
  }

  test('is told to be lost within 7 s', async () => {
    await using hosted = await HostedStream.open();
    hosted.stream.socket.pause(); // its connection is there, and nobody is at its end
    await pass(6);
    expect(hosted.outcomes).toEqual([]);
    await pass(1);
    expect(hosted.outcomes).toEqual(['stream_lost']);
    await until(() => hosted.host.callCount === 0, 'the bot ends');
  });

  test('goes on when its far end is silent and answers pings', async () => {
    await using hosted = await HostedStream.open();
    for (let round = 0; round < 10; round += 1) {
      const { pings } = hosted;
      await pass(3);
      await until(() => hosted.pings > pings, 'it is asked');
      await hosted.sendsBytes();
    }
    expect(hosted.outcomes).toEqual([]);
  });

  test('is pinged all the same while audio comes: proxies close what is silent in one direction', async () => {
    await using hosted = await HostedStream.open();
    await pass(40, () => hosted.echo('audio'));
    await until(() => hosted.pings >= 2, 'two pings in 40 s');
    expect(hosted.pings).toBe(2);
  });
});

test('the end of a stream that is seen only when the caller is back after a transfer says nothing of the next one', async () => {
  await using hosted = await HostedStream.open(transfer);
  const { stream } = hosted;
  await until(() => hosted.said.some(({ type }) => type === 'transfer'), 'the bot wants a transfer');
  hosted.host.receive({ type: 'transfer_answer', callId: CALL_ID });
  hosted.coming = { comeback: { status: 'busy', detail: 'busy' } };
  await hosted.connect();
  stream.socket.close(1000);
  await stream.closed;
  await hosted.echo('still there');
  expect(hosted.outcomes).toEqual([]);
});
