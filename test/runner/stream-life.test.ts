import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { CarrierRunnerArguments } from '../../src/call/runner-arguments.js';
import { BotHost } from '../../src/runner/bots/bot-host.js';
import type { MessageFromBot } from '../../src/runner/bots/messages.js';
import { WaitingStream } from '../../src/runner/bots/waiting-stream.js';
import { until } from '../e2e/processes.js';
import { Stream } from './hand-carrier.js';

const CALL_ID = 'call-1';

/** One call of a bot that reads whatever comes, and the carrier's end of its stream. */
class HostedStream implements AsyncDisposable {
  readonly said: MessageFromBot[] = [];
  readonly host = new BotHost(
    async (args) => {
      const { websocket } = args as CarrierRunnerArguments;
      websocket.on('message', (data, isBinary) => websocket.send(data, { binary: isBinary }));
      await once(websocket, 'close');
    },
    (message) => {
      this.said.push(message);
      if (message.type !== 'reading' || !this.#waiting) return;
      const { socket, head } = this.#waiting.release();
      this.host.receive({ type: 'stream', callId: CALL_ID, head: head.toString('base64') }, socket);
    },
  );
  #waiting: WaitingStream | undefined;
  readonly #server: Server = createServer();
  stream!: Stream;
  pings = 0;

  static async open(): Promise<HostedStream> {
    const hosted = new HostedStream();
    hosted.#server.on('upgrade', (request, socket, head) => {
      WaitingStream.answer(request, socket as Socket, head, (stream) => {
        hosted.#waiting = stream;
        const call = { id: CALL_ID, direction: 'inbound', from: '', to: '', attempt: 1 } as const;
        const rest = { body: {}, query: {}, silenceMs: 0, limitMs: 3_600_000 };
        hosted.host.receive({
          type: 'serve',
          callId: CALL_ID,
          call,
          providerCallId: CALL_ID,
          carrier: 'plivo',
          ...rest,
        });
      });
    });
    hosted.#server.listen(0, '127.0.0.1');
    await once(hosted.#server, 'listening');
    hosted.stream = new Stream(`ws://127.0.0.1:${(hosted.#server.address() as AddressInfo).port}/ws`);
    hosted.stream.socket.on('ping', () => {
      hosted.pings += 1;
    });
    await once(hosted.stream.socket, 'open');
    await until(() => hosted.said.some(({ type }) => type === 'reading'), 'the bot reads');
    await hosted.echo('begun');
    return hosted;
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
