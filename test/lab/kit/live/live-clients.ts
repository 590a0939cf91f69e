import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { createOpenAI } from '@ai-sdk/openai';
import { OpenAI } from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { WebSocket } from 'ws';

export type Fields = Record<string, unknown> & { type: string };

/** Keeps what a client was told, and lets a test wait for it. */
export class Told<T extends Fields = Fields> implements AsyncDisposable {
  readonly events: T[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(private readonly hangUp: () => Promise<void>) {}

  readonly add = (event: T): void => {
    this.events.push(event);
    for (const check of this.#waiting) check();
  };

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  /** Resolves with the latest event of a type when there are so many. */
  until(type: string, count = 1): Promise<T> {
    return new Promise((resolve) => {
      const check = () => {
        const found = this.events.filter((event) => event.type === type);
        if (found.length < count) return;
        this.#waiting.delete(check);
        resolve(found.at(-1) as T);
      };
      this.#waiting.add(check);
      check();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.hangUp();
  }
}

interface ClientModel {
  parseServerEvent(raw: unknown): unknown;
  createServerEventParser?(): (raw: unknown) => unknown;
  serializeClientEvent(event: never): unknown;
}

interface Connection {
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly protocols?: string[];
}

/** Drives a live model as `voicebot` does: the package's words, our own socket. */
export async function aiClient(model: ClientModel, { url, headers = {}, protocols = [] }: Connection) {
  const socket = new WebSocket(url, protocols, { headers });
  const told = new Told(async () => {
    socket.terminate();
  });
  const parse = model.createServerEventParser?.() ?? ((raw: unknown) => model.parseServerEvent(raw));
  socket.on('message', (data) => {
    const events = parse(JSON.parse(String(data)));
    for (const event of Array.isArray(events) ? events : [events]) told.add(event as Fields);
  });
  await once(socket, 'open');
  return Object.assign(told, {
    socket,
    send: async (event: Fields) => {
      const raw = await model.serializeClientEvent(event as never);
      if (raw !== undefined && raw !== null) socket.send(JSON.stringify(raw));
    },
  });
}

export async function openaiRealtime(baseURL: string) {
  const model = createOpenAI({ apiKey: 'test', baseURL }).experimental_realtime('gpt-realtime-2.1', {
    api: 'realtime',
  });
  return aiClient(model, (await model.getServerWebSocketConfig?.()) as Connection);
}

/** OpenAI's own client. It insists on TLS in the address; the connection under it is a plain one. */
export async function vendorRealtime(baseURL: string) {
  const client = new OpenAI({ apiKey: 'test', baseURL: baseURL.replace('http', 'https') });
  const createConnection = (options: { host: string; port: number }) =>
    connectTcp({ host: options.host, port: options.port });
  const options = { createConnection } as never;
  const realtime = new OpenAIRealtimeWS({ model: 'gpt-realtime-2.1', options }, client);
  const told = new Told(async () => {
    realtime.socket.terminate();
  });
  realtime.on('error', () => {});
  realtime.on('event', (event) => told.add(event as unknown as Fields));
  await once(realtime.socket, 'open');
  return Object.assign(told, { realtime, send: (event: object) => realtime.send(event as never) });
}
