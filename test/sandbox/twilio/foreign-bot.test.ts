import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getGlobalTraceProvider } from '@openai/agents';
import { TwilioRealtimeTransportLayer } from '@openai/agents-extensions';
import { type WebSocket, WebSocketServer } from 'ws';
import { levelDb } from '../../../src/base/audio/level.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import { beep } from '../../../src/sandbox/network/prompt-audio.js';
import { FakeApplication } from '../fake-application.js';
import { FakeCaller } from '../fake-caller.js';
import { Inbox } from '../inbox.js';
import { AUTH_TOKEN, startTwilio } from './twilio-sandbox.js';

// Its library starts a timer when it is loaded, anew every 5 s: on whatever clock the files after this one have.
afterAll(() => getGlobalTraceProvider().shutdown());

// biome-ignore lint/suspicious/noExplicitAny: messages are checked where they are read
type Json = Record<string, any>;

/** A server of WebSockets on a free port. */
class Sockets implements AsyncDisposable {
  readonly #server = new WebSocketServer({ host: '127.0.0.1', port: 0 });

  static async listen(serve: (socket: WebSocket) => void): Promise<Sockets> {
    const sockets = new Sockets();
    sockets.#server.on('connection', serve);
    await once(sockets.#server, 'listening');
    return sockets;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** The model behind the bot, as far as the bot's library needs it. */
class Model {
  readonly events = new Inbox<Json>();
  readonly gone: Promise<unknown>;
  #count = 0;

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => this.events.push(JSON.parse(data.toString())));
    this.gone = once(socket, 'close');
  }

  asked(type: string, fits: (event: Json) => boolean = () => true): Promise<Json> {
    return this.events.next((event) => event.type === type && fits(event), 10_000);
  }

  send(type: string, fields: object = {}): void {
    this.#count += 1;
    this.socket.send(JSON.stringify({ type, event_id: `event_${this.#count}`, ...fields }));
  }

  /** Answers with a tone, one second of mu-law at a time. */
  says(id: string, seconds: number): void {
    const part = { response_id: `response_${id}`, item_id: `item_${id}`, content_index: 0, output_index: 0 };
    this.send('response.created', { response: { id: part.response_id } });
    const delta = Buffer.from(beep(1_000, 1_000)).toString('base64');
    for (let second = 0; second < seconds; second += 1) this.send('response.output_audio.delta', { ...part, delta });
    this.send('response.output_audio.done', part);
  }
}

const isLoud = (frame: Uint8Array): boolean => levelDb(decodeMulaw(frame)) > -30;
/** Mu-law that nobody else sends. */
const VOICE = new Uint8Array(160).fill(0x2a);

test("a bot built on a foreign library for the carrier hears the sandbox's phone, is heard, and is interrupted", async () => {
  const models = new Inbox<Model>();
  await using service = await Sockets.listen((socket) => models.push(new Model(socket)));
  const received = new Inbox<Json>();
  const problems: unknown[] = [];
  await using bots = await Sockets.listen((socket) => {
    const transport = new TwilioRealtimeTransportLayer({ twilioWebSocket: socket });
    transport.on('*', (event: Json) => event.type === 'twilio_message' && received.push(event.message));
    transport.on('error', (error) => problems.push(error));
    transport.connect({ apiKey: 'test', url: service.url }).catch((error) => problems.push(error));
  });
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', `<Connect><Stream url="${bots.url}/ws"/></Connect>`);
  await using sandbox = await startTwilio({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.says = () => VOICE;
  caller.dial(sandbox);

  const model = await models.next();
  const { session } = await model.asked('session.update');
  expect(JSON.stringify(session.audio)).toMatch(/pcmu|g711_ulaw/);
  const heard = (event: Json) => Buffer.from(event.audio, 'base64').equals(VOICE);
  await model.asked('input_audio_buffer.append', heard);

  model.says('1', 1);
  await caller.heard.next(isLoud);
  const markOf = (start: string) => received.next(({ event, mark }) => event === 'mark' && mark.name.startsWith(start));
  await markOf('item_1:');
  await markOf('done:item_1:');
  model.send('response.done', { response: { id: 'response_1' } });

  model.says('2', 300);
  await caller.heard.next(isLoud);
  model.send('input_audio_buffer.speech_started', { item_id: 'item_3', audio_start_ms: 0 });
  // Long before what was to be said would have been heard.
  await markOf('item_2:');
  await markOf('done:item_2:');
  const { item_id: cut, audio_end_ms: cutAtMs } = await model.asked('conversation.item.truncate');
  expect({ cut, isEarly: cutAtMs < 300_000 }).toEqual({ cut: 'item_2', isEarly: true });
  await caller.heard.next((frame) => !isLoud(frame));

  caller.client.hangUp();
  await received.next(({ event }) => event === 'stop');
  await model.gone;
  expect(problems).toEqual([]);
});
