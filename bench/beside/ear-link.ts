import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { EarsMessage, EarsOpening } from './ears.js';

/** The bot's end of the ears of one call. */
export class EarLink {
  readonly #socket: WebSocket;
  /** What comes before the bot listens. */
  readonly #early: EarsMessage[] = [];
  #listener: ((message: EarsMessage) => void) | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** @param url of all ears */
  static async connect(url: string, callId: string): Promise<{ link: EarLink; opening: EarsOpening }> {
    const socket = new WebSocket(`${url}?call_id=${callId}`, { perMessageDeflate: false });
    const link = new EarLink(socket);
    const [data] = await once(socket, 'message');
    socket.on('message', (message) => link.#take(JSON.parse(String(message)) as EarsMessage));
    return { link, opening: JSON.parse(String(data)) as EarsOpening };
  }

  listen(listener: (message: EarsMessage) => void): void {
    this.#listener = listener;
    for (const message of this.#early.splice(0)) listener(message);
  }

  close(): void {
    this.#socket.close();
  }

  #take(message: EarsMessage): void {
    if (this.#listener) this.#listener(message);
    else this.#early.push(message);
  }
}
