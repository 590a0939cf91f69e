import { type ServerSentEvent, ServerSentEvents } from '../../../src/base/http/event-stream.js';
import { Inbox } from '../../sandbox/inbox.js';

/** One who follows a stream of server-sent events. */
export class EventReader implements AsyncDisposable {
  readonly events = new Inbox<ServerSentEvent>();
  /** All text that has come. */
  text = '';
  readonly #over = new AbortController();
  #reading: Promise<void> = Promise.resolve();

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const reader = new EventReader();
    const response = await fetch(url, { headers, signal: reader.#over.signal });
    if (response.status !== 200 || !response.body) throw new Error(`${url}: HTTP ${response.status}`);
    reader.#reading = reader.#read(response.body);
    return reader;
  }

  /** Settles when the server has ended the stream, or dropped it. */
  get over(): Promise<void> {
    return this.#reading;
  }

  /** What the next event of this name holds. */
  async next<Data>(event: string, fits: (data: Data) => boolean = () => true): Promise<Data> {
    const found = await this.events.next((each) => each.event === event && fits(JSON.parse(each.data)));
    return JSON.parse(found.data);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const events = new ServerSentEvents();
    const decoder = new TextDecoder();
    try {
      for await (const piece of body) {
        const text = decoder.decode(piece, { stream: true });
        this.text += text;
        for (const event of events.read(text)) this.events.push(event);
      }
    } catch {
      // dropped, by one side or the other
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#reading;
  }
}
