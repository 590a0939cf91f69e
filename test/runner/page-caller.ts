import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { PhoneNotice, PhoneRequest } from '../../src/call/phone-messages.js';
import type { Runner } from '../../src/runner/runner.js';
import { Inbox } from '../sandbox/inbox.js';

const SILENCE = Buffer.alloc(160, 0xff);
const CALLER = '+12025550199';

/** The phone of a runner's page, without a browser: says nothing. */
export class PageCaller implements AsyncDisposable {
  readonly notices = new Inbox<PhoneNotice>();
  /** Frames of 20 ms that were not silent. */
  heard = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return this.notices.push(JSON.parse(data.toString()));
      if (data.some((byte) => byte !== 0xff && byte !== 0x7f)) this.heard += 1;
      return socket.send(SILENCE);
    });
  }

  static async open({ url }: Pick<Runner, 'url'>): Promise<PageCaller> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/phone`, ['voicebot.phone'], {
      headers: { origin: url },
    });
    const caller = new PageCaller(socket);
    await once(socket, 'open');
    return caller;
  }

  /** @returns the runner's identifier of the call, as soon as it is answered */
  async call(to: string): Promise<string> {
    this.send({ type: 'dial', from: CALLER, to });
    const ringing = await this.next('ringing', 20_000);
    await this.next('answered', 20_000);
    return ringing.callId;
  }

  send(request: PhoneRequest): void {
    this.socket.send(JSON.stringify(request));
  }

  async next<T extends PhoneNotice['type']>(type: T, limitMs?: number): Promise<Extract<PhoneNotice, { type: T }>> {
    return (await this.notices.next((notice) => notice.type === type, limitMs)) as Extract<PhoneNotice, { type: T }>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, 'close');
    this.socket.terminate();
    await closed;
  }
}
