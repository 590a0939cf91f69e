import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createGateway } from 'ai';
import { type WebSocket, WebSocketServer } from 'ws';
import { AiTTS } from '../../../../src/bot/services/tts/from-ai.js';
import { buzz } from '../../../../src/lab/kit/fake-speech.js';
import { closeWebSockets } from '../../../../src/sandbox/network/web-sockets.js';
import { Speaking, until } from '../tts/speaking.js';
import { bytesOf } from './fake-openai-audio.js';

/** One text that was asked for. */
interface AskedStream {
  readonly socket: WebSocket;
  readonly frames: Array<Record<string, unknown>>;
}

/** A gateway's streaming speech on loopback, by the envelope that the `ai` package documents. */
class FakeGateway implements AsyncDisposable {
  readonly streams: AskedStream[] = [];
  /** Answers of the streams to come; the default sends the audio in three pieces. */
  readonly answers: Array<(stream: AskedStream) => void> = [];

  private constructor(
    private readonly server: WebSocketServer,
    private readonly apiKey: string,
  ) {
    server.on('connection', (socket) => {
      socket.on('error', () => {});
      const stream: AskedStream = { socket, frames: [] };
      this.streams.push(stream);
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data));
        stream.frames.push(frame);
        if (frame.type === 'speech-stream.text-done') (this.answers.shift() ?? speak)(stream);
      });
    });
  }

  static async start(apiKey = 'key'): Promise<FakeGateway> {
    const verifyClient = (
      { req }: { req: { headers: Record<string, unknown> } },
      answer: (...args: never[]) => void,
    ) => {
      const isRight = String(req.headers.authorization) === `Bearer ${apiKey}`;
      (answer as (...args: unknown[]) => void)(isRight, 401, 'Unauthorized');
    };
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', verifyClient: verifyClient as never });
    await once(server, 'listening');
    return new FakeGateway(server, apiKey);
  }

  model(apiKey = this.apiKey) {
    const baseURL = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
    return createGateway({ apiKey, baseURL }).speechModel('openai/tts-1');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    await closeWebSockets(this.server);
    await closed;
  }
}

const RATE = 24_000;
const textOf = ({ frames }: AskedStream) =>
  frames.flatMap(({ type, delta }) => (type === 'speech-stream.text-delta' ? String(delta) : [])).join('');

function send({ socket }: AskedStream, part: object): void {
  socket.send(JSON.stringify(part));
}

function audio(bytes: Buffer) {
  return { type: 'audio', audio: bytes.toString('base64'), audioFormat: { type: 'audio/pcm', rate: RATE } };
}

function speak(stream: AskedStream): void {
  const bytes = bytesOf(buzz(textOf(stream).length * 20, RATE));
  send(stream, { type: 'stream-start', warnings: [] });
  for (const [from, to] of [
    [0, 1_001],
    [1_001, 2_002],
    [2_002, undefined],
  ] as const) {
    send(stream, audio(bytes.subarray(from, to)));
  }
  send(stream, { type: 'finish' });
}

const voiceOf = (gateway: FakeGateway, options = {}) =>
  new AiTTS({ model: gateway.model(), cache: false, apology: false, ...options });

test('a model that streams is heard as it speaks, wherever its audio is cut', async () => {
  await using gateway = await FakeGateway.start();
  using speaking = new Speaking(voiceOf(gateway, { voice: 'coral', language: 'en' }));
  gateway.answers.push((stream) => {
    send(stream, { type: 'stream-start', warnings: [] });
    send(stream, audio(bytesOf(buzz(100, RATE))));
  });
  const answer = speaking.speak('Good morning.');
  await until(() => speaking.audioMs > 90, 'audio of a text that is not over');
  const [stream] = gateway.streams;
  expect(stream?.frames[0]).toMatchObject({
    type: 'speech-stream.start',
    voice: 'coral',
    outputFormat: { type: 'audio/pcm', rate: 8_000 },
  });
  send(stream as AskedStream, { type: 'finish' });
  await answer;
  speaking.answer('Two sentences. ', 'They are said in order.');
  await speaking.said();
  expect(gateway.streams.map(textOf)).toEqual(['Good morning.', 'Two sentences.', 'They are said in order.']);
  expect(speaking.audioMs).toBeCloseTo(100 + 37 * 20, 0);
  expect(speaking.words.map(({ text }) => text).slice(2)).toEqual('Two sentences. They are said in order.'.split(' '));
});

test('an interruption ends the stream at the vendor', async () => {
  await using gateway = await FakeGateway.start();
  using speaking = new Speaking(voiceOf(gateway));
  gateway.answers.push(() => {});
  speaking.answer('Good morning.');
  await until(() => gateway.streams[0]?.frames.length === 3, 'the text');
  speaking.interrupt();
  await until(() => gateway.streams[0]?.socket.readyState === 3, 'the end of the connection');
  expect(speaking.errors).toEqual([]);
});

test('a stream that breaks is asked for again', async () => {
  await using gateway = await FakeGateway.start();
  using speaking = new Speaking(voiceOf(gateway));
  gateway.answers.push((stream) => {
    send(stream, audio(bytesOf(buzz(40, RATE))));
    stream.socket.terminate();
  });
  await speaking.speak('Good morning.');
  expect(gateway.streams).toHaveLength(2);
  expect(speaking.errors.map(({ isFinal }) => isFinal)).toEqual([false]);
});

test('a key that the vendor refuses ends the voice', async () => {
  await using gateway = await FakeGateway.start();
  const model = gateway.model('another-key');
  using speaking = new Speaking(new AiTTS({ model, cache: false, apology: false }));
  await speaking.speak('Good morning.');
  expect(speaking.errors).toMatchObject([{ code: 'VB_CREDENTIALS_REFUSED', status: 401, isFinal: true }]);
});
