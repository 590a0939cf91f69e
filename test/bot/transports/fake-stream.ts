import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** Both ends of a real media stream on loopback: the bot's socket and the carrier's. */
export async function openStream(): Promise<{ bot: WebSocket; carrier: WebSocket } & AsyncDisposable> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, maxPayload: 64 * 1_024 });
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[WebSocket]>;
  const carrier = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    perMessageDeflate: false,
  });
  const [bot] = await accepted;
  bot.pause();
  await once(carrier, 'open');
  return {
    bot,
    carrier,
    async [Symbol.asyncDispose]() {
      bot.terminate();
      carrier.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const CALL_ID = 'c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44';
export const STREAM_ID = 'e1d2c3b4-a596-4788-8697-a6b5c4d3e2f1';

export const START = {
  sequenceNumber: 1,
  event: 'start',
  start: {
    callId: CALL_ID,
    streamId: STREAM_ID,
    accountId: '1234567',
    tracks: ['inbound'],
    mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
  },
  extra_headers: '',
};

export const media = (payload: Uint8Array, chunk = 1) => ({
  sequenceNumber: chunk + 1,
  event: 'media',
  streamId: STREAM_ID,
  media: { track: 'inbound', timestamp: String(chunk * 20), chunk, payload: Buffer.from(payload).toString('base64') },
});

export interface Sent {
  event: string;
  name?: string;
  media?: { contentType: string; sampleRate: number; payload: string };
}

/** Collects what the bot sends; `next` resolves with the first message, past or future, that fits. */
export function listen(carrier: WebSocket): { sent: Sent[]; next(fits: (message: Sent) => boolean): Promise<Sent> } {
  const sent: Sent[] = [];
  const waiters: Array<{ fits: (message: Sent) => boolean; resolve: (message: Sent) => void }> = [];
  carrier.on('message', (data) => {
    const message: Sent = JSON.parse(String(data));
    sent.push(message);
    for (const waiter of waiters) if (waiter.fits(message)) waiter.resolve(message);
  });
  return {
    sent,
    next: (fits) => {
      const past = sent.find(fits);
      if (past) return Promise.resolve(past);
      return new Promise((resolve) => waiters.push({ fits, resolve }));
    },
  };
}
