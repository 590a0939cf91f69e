import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createXai } from '@ai-sdk/xai';
import { GoogleGenAI, type LiveConnectConfig, type LiveServerMessage } from '@google/genai';
import { OpenAI } from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { LiveWS } from 'openai/resources/live/ws';
import { WebSocket } from 'ws';
import { buzz } from '../../../../src/lab/kit/index.js';

/** Speech, then silence, in milliseconds, as base64. @param sampleRate hertz */
export function turn(speechMs: number, silenceMs: number, sampleRate = 24_000): string {
  const pcm = new Int16Array(((speechMs + silenceMs) * sampleRate) / 1_000);
  pcm.set(buzz(speechMs, sampleRate));
  return Buffer.from(pcm.buffer).toString('base64');
}

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

export async function gptLive(baseURL: string) {
  const model = createOpenAI({ apiKey: 'test', baseURL }).experimental_realtime('gpt-live-1');
  return aiClient(model, (await model.getServerWebSocketConfig?.()) as Connection);
}

export async function googleLive(baseURL: string) {
  const model = createGoogleGenerativeAI({ apiKey: 'test', baseURL }).experimental_realtime('gemini-live');
  return aiClient(model, (await model.getServerWebSocketConfig?.()) as Connection);
}

/** With a secret, as the package has it; the address that it tells has TLS, which loopback has not. */
export async function xaiRealtime(baseURL: string) {
  const model = createXai({ apiKey: 'test', baseURL }).experimental_realtime('grok-voice');
  const secret = await model.doCreateClientSecret?.({});
  const { url, protocols } = Object(model.getWebSocketConfig?.(secret as never)) as Connection;
  return aiClient(model, { url: url.replace('wss:', 'ws:'), protocols: protocols ?? [] });
}

/** OpenAI's clients insist on TLS in the address; the connection under it is a plain one. */
const plainly = {
  createConnection: ({ host, port }: { host: string; port: number }) => connectTcp({ host, port }),
} as never;

/** OpenAI's own client. */
export async function vendorRealtime(baseURL: string) {
  const client = new OpenAI({ apiKey: 'test', baseURL: baseURL.replace('http', 'https') });
  const options = plainly;
  const realtime = new OpenAIRealtimeWS({ model: 'gpt-realtime-2.1', options }, client);
  const told = new Told(async () => {
    realtime.socket.terminate();
  });
  realtime.on('error', () => {});
  realtime.on('event', (event) => told.add(event as unknown as Fields));
  await once(realtime.socket, 'open');
  return Object.assign(told, { realtime, send: (event: object) => realtime.send(event as never) });
}

/** OpenAI's own client of GPT-Live; it sends as soon as it is connected. */
export function vendorGptLive(baseURL: string) {
  const client = new OpenAI({ apiKey: 'test', baseURL: baseURL.replace('http', 'https') });
  const live = new LiveWS(client, plainly);
  const told = new Told(async () => live.close());
  live.on('error', () => {});
  live.on('event', (event) => told.add(event as unknown as Fields));
  return Object.assign(told, { live, send: (event: object) => live.send(event as never) });
}

/** Google's own client. What it is told has no type: the name of its first field stands for it. */
export async function vendorGemini(url: string, config: LiveConnectConfig) {
  const ai = new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl: url } });
  const closes: Array<{ code: number; reason: string }> = [];
  const told: Told = new Told(async () => session.close());
  const session = await ai.live.connect({
    model: 'gemini-live',
    config,
    callbacks: {
      onmessage: (message: LiveServerMessage) => {
        const fields = { ...message } as Record<string, unknown>;
        const content = fields.serverContent as Record<string, unknown> | undefined;
        const [type = ''] = Object.keys(content ?? fields).filter((name) => (content ?? fields)[name] !== undefined);
        told.add({ ...fields, type });
      },
      onclose: ({ code, reason }) => void closes.push({ code, reason }),
    },
  });
  return Object.assign(told, { session, closes });
}
