import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { VoicebotError } from '../../../base/errors.js';
import { isSameSecret } from '../../../base/secret.js';
import type { BotNews, BotOrder, BotWire } from './desk-messages.js';

/** A bot that serves a call of the tour. */
export interface BotAtDesk {
  /** The runner's identifier of the call. */
  readonly callId: string;
  order(order: BotOrder): void;
}

/** News of a kind, and of which bot. */
export type HeardNews<Event extends BotNews['event'] = BotNews['event']> = Extract<BotNews, { event: Event }> & {
  readonly bot: BotAtDesk;
};

/** Where the bots of a tour get their orders, and tell what happens. Only those who know the address reach it, on this machine. */
export class Desk implements AsyncDisposable {
  readonly #path = `/${randomBytes(24).toString('base64url')}`;
  readonly #server: WebSocketServer;
  readonly #news: HeardNews[] = [];
  #wake: Array<() => void> = [];

  /** @param onWire told of what bots see of the wire */
  static async open(onWire: (seen: BotWire) => void): Promise<Desk> {
    const desk = new Desk(onWire);
    await once(desk.#server, 'listening');
    return desk;
  }

  private constructor(onWire: (seen: BotWire) => void) {
    const verifyClient = ({ req }: { readonly req: IncomingMessage }) =>
      isSameSecret(req.url?.split('?')[0] ?? '', this.#path);
    this.#server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false, verifyClient });
    this.#server.on('connection', (socket, { url = '' }) => this.#take(socket, url, onWire));
  }

  /** For the environment of bots. */
  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#path}`;
  }

  /** Calls that still go on are hung up. */
  endCalls(): void {
    const order: BotOrder = { do: 'hang up' };
    for (const socket of this.#server.clients) socket.send(JSON.stringify(order));
  }

  /** What comes from now on is news of the next step. */
  clear(): void {
    this.#news.length = 0;
  }

  /**
   * The first news that fits; what came before it, and it, are not looked at again.
   * @param what for people: what is waited for
   * @throws VoicebotError VB_DEADLINE_EXCEEDED when it does not come in time; the signal's reason
   */
  async next<Event extends BotNews['event']>(
    event: Event,
    what: string,
    { limitMs, signal, fits = () => true }: NewsWait<Event>,
  ): Promise<HeardNews<Event>> {
    const lateAt = performance.now() + limitMs;
    for (;;) {
      signal.throwIfAborted();
      const at = this.#news.findIndex((news) => news.event === event && fits(news as HeardNews<Event>));
      if (at >= 0) return this.#news.splice(0, at + 1).at(-1) as HeardNews<Event>;
      const failed = this.#news.find((news) => news.event === 'failed');
      if (failed?.event === 'failed') throw new VoicebotError('VB_CALL_FAILED', `the bot could not: ${failed.message}`);
      const leftMs = lateAt - performance.now();
      if (leftMs <= 0)
        throw new VoicebotError('VB_DEADLINE_EXCEEDED', `${what}: not within ${Math.round(limitMs / 1_000)} s`);
      await this.#somethingNew(leftMs, signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #somethingNew(limitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, limitMs);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done);
      this.#wake.push(done);
    });
  }

  #take(socket: WebSocket, url: string, onWire: (seen: BotWire) => void): void {
    const callId = new URLSearchParams(url.split('?')[1]).get('call') ?? '';
    const bot: BotAtDesk = { callId, order: (order) => socket.send(JSON.stringify(order)) };
    socket.on('error', () => {}); // a bot that was killed
    socket.on('message', (data: RawData) => {
      const told = JSON.parse(String(data)) as BotNews | BotWire;
      if ('wire' in told) return onWire(told);
      this.#news.push({ ...told, bot });
      for (const wake of this.#wake.splice(0)) wake();
    });
  }
}

interface NewsWait<Event extends BotNews['event']> {
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly fits?: (news: HeardNews<Event>) => boolean;
}
