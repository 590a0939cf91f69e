import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { silentLogger } from '../../../src/base/logger.js';
import type { RoomMethod } from '../../../src/providers/rooms/client-messages.js';
import { SandboxRoomAccount } from '../../../src/sandbox/rooms/account.js';
import type { LiveRooms, Presence } from '../../../src/sandbox/rooms/contract.js';
import { DialinWebhooks } from '../../../src/sandbox/rooms/dialin-webhook.js';
import { RateLimits } from '../../../src/sandbox/rooms/rate-limits.js';
import { roomsApi } from '../../../src/sandbox/rooms/rest-api.js';

export const API_KEY = 'room-api-key-of-the-tests';

// biome-ignore lint/suspicious/noExplicitAny: answers are checked by the tests that read them
export type ApiAnswer = { status: number; body: any };

/** Rooms in which nothing happens: what they are asked is noted, and what is thrown in `refusal` is their answer. */
export class NotedRooms implements LiveRooms {
  readonly asked: unknown[][] = [];
  readonly present = new Map<string, Presence[]>();
  answer: object = {};
  refusal: Error | undefined;

  presence(roomName: string): readonly Presence[] | undefined {
    return this.present.get(roomName);
  }

  async control(roomName: string, method: RoomMethod, params: object): Promise<object> {
    this.#note('control', roomName, method, params);
    return this.answer;
  }

  async forward(call: object): Promise<void> {
    this.#note('forward', call);
  }

  end(roomName: string): void {
    this.#note('end', roomName);
  }

  #note(...asked: unknown[]): void {
    this.asked.push(asked);
    if (this.refusal) throw this.refusal;
  }
}

/** The room provider's API on a real socket, with a clock that the test turns. */
export async function startRoomProvider({ isLimited = false } = {}) {
  const clock = { ms: Date.UTC(2026, 0, 1), monotonicMs: 0 };
  const live = new NotedRooms();
  const webhooks = new DialinWebhooks({ timeoutMs: 2_000 });
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const account = new SandboxRoomAccount({
    apiKey: API_KEY,
    baseUrl: () => origin,
    logger: silentLogger,
    now: () => clock.ms,
    rateLimits: new RateLimits(() => {
      if (!isLimited) clock.monotonicMs += 1_000;
      return clock.monotonicMs;
    }),
  });
  app.use('/rooms-api/v1', roomsApi(account, live, webhooks));

  const send = async (method: string, path: string, body?: unknown, authorization = `Bearer ${API_KEY}`) => {
    const response = await fetch(`${origin}/rooms-api/v1${path}`, {
      method,
      headers: { ...(authorization && { authorization }), 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() } as ApiAnswer;
  };

  return {
    account,
    apiUrl: `${origin}/rooms-api/v1`,
    clock,
    live,
    origin,
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body: unknown) => send('POST', path, body),
    put: (path: string, body: unknown) => send('PUT', path, body),
    delete: (path: string) => send('DELETE', path),
    /** Now, in the provider's unit. */
    seconds: () => clock.ms / 1_000,
    async [Symbol.asyncDispose]() {
      await webhooks.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
