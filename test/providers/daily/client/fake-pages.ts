import { once } from 'node:events';
import { WebSocket } from 'ws';
import { deferred } from '../../../../src/base/async/deferred.js';
import { writeAudioMessage } from '../../../../src/providers/daily/client/audio-message.js';
import type { OpenPage, Pages } from '../../../../src/providers/daily/client/pages.js';
import { type FromPage, PAGE_PROTOCOL, type ToPage } from '../../../../src/providers/daily/client/wire.js';
import { Inbox } from '../../../sandbox/inbox.js';

/** What a page answers to `join`; undefined: nothing. */
export type Welcome = FromPage | undefined;

export const JOINED: FromPage = { type: 'joined', sessionId: 'me-1', participants: [] };

/** Pages without a browser: each connects to its door as a page does, and says what the test wants. */
export class FakePages implements Pages {
  readonly opened = new Inbox<FakePage>();
  /** For the next pages, in order; the last one stays. */
  welcomes: Welcome[] = [JOINED];
  problem: Error | undefined;

  async open(url: string): Promise<OpenPage> {
    if (this.problem) throw this.problem;
    const [welcome] = this.welcomes;
    if (this.welcomes.length > 1) this.welcomes.shift();
    const page = new FakePage(url, welcome);
    this.opened.push(page);
    return page;
  }
}

export class FakePage implements OpenPage {
  readonly #gone = deferred();
  readonly socket: WebSocket;
  readonly messages = new Inbox<ToPage>();
  readonly audio = new Inbox<Buffer>();
  isClosed = false;
  /** What it hears in the room, 20 ms at a time. */
  heard: Int16Array | Buffer = new Int16Array(320);
  #sequence = 0;
  readonly #breath: NodeJS.Timeout;

  constructor(
    readonly url: string,
    welcome: Welcome,
  ) {
    this.socket = new WebSocket(`${url.replace(/^http/, 'ws')}socket`, PAGE_PROTOCOL, { origin: new URL(url).origin });
    this.socket.on('error', () => {});
    this.socket.on('message', (data, isBinary) => {
      if (isBinary) return void this.audio.push(data as Buffer);
      const message = JSON.parse(String(data)) as ToPage;
      this.messages.push(message);
      if (message.type === 'join' && welcome) this.tell(welcome);
      if (message.type === 'leave') this.tell({ type: 'left' });
    });
    this.#breath = setInterval(() => this.#hear(this.heard), 20);
    this.socket.once('close', () => clearInterval(this.#breath));
  }

  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  tell(message: FromPage): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  #hear(pcm: Int16Array | Buffer): void {
    const payload = new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
    const message = { sequence: this.#sequence, timestamp: this.#sequence * 320, payload };
    this.#sequence += 1;
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(writeAudioMessage(message));
  }

  /** Stops answering, and stays. */
  freeze(): void {
    clearInterval(this.#breath);
  }

  /** Dies as a page does whose process is killed. */
  async crash(): Promise<void> {
    this.socket.terminate();
    if (this.socket.readyState !== WebSocket.CLOSED) await once(this.socket, 'close');
    this.#gone.resolve();
  }

  close(): void {
    this.isClosed = true;
    this.socket.terminate();
    this.#gone.resolve();
  }
}
