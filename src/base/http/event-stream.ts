/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** `message` where the server names none. */
  readonly event: string;
  readonly data: string;
  /** Of this event, or of the last one before it that had one; empty before the first. */
  readonly id: string;
}

/**
 * Reads server-sent events from text that comes in pieces, cut anywhere.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class ServerSentEvents {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id = '';

  /** @returns the events that are complete with this piece */
  read(piece: string): ServerSentEvent[] {
    const text = this.#rest + piece;
    // A carriage return at the end may be half of a line's end.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? '') + text.slice(whole.length);
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): ServerSentEvent[] {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.#event = value;
    if (name === 'data') this.#data.push(value);
    if (name === 'id' && !value.includes('\0')) this.#id = value;
    return [];
  }

  #dispatch(): ServerSentEvent[] {
    const [event, data] = [this.#event || 'message', this.#data];
    this.#event = '';
    this.#data = [];
    return data.length === 0 ? [] : [{ event, data: data.join('\n'), id: this.#id }];
  }
}
