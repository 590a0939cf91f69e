import { convert } from 'xmlbuilder2';
import { type ApiExchange, apiExchanges } from '../../../base/http/api-connection.js';
import { parseFields } from '../../../base/http/json-fields.js';
import type { Redactor } from './redactor.js';
import type { SeenRequest, SeenStream, WireWitness } from './wire-front.js';
import type { WireFields, WireItem } from './wire-item.js';

/** How a provider's messages are named. */
export interface WireNames {
  /** What a webhook is about, in neutral words, and which call. */
  webhook(seen: SeenRequest): { readonly event: string; readonly callId: string | undefined };
  /** Its parameters as they came, without those of the address that we gave. */
  parameters(seen: SeenRequest): unknown;
  /** What every address of the REST API begins with, the account included. */
  readonly apiBase: string;
}

/** Headers of a webhook that say how it is signed, and by which program it was sent. */
const KEPT_HEADERS =
  /^(content-type|user-agent|accept|x-.*(signature|nonce|timestamp).*|.*-(signature|timestamp)(-.*)?)$/;
/** What proxies and tunnels add. */
const OF_TUNNELS = /^x-(forwarded|real|amz|azure|envoy|cloud|request-id|vercel|github)/;

/** Writes down what goes over the wire, step by step of a tour. */
export class WireRecorder implements WireWitness {
  readonly #streams = new Map<string, number>();
  readonly #calls = new Map<string, number>();
  #step = '';
  #began = performance.now();
  #count = 0;

  /** @param take told of each item as it comes */
  constructor(
    private readonly names: WireNames,
    private readonly redactor: Redactor,
    private readonly take: (item: WireItem) => void,
  ) {
    apiExchanges.subscribe(this.#exchanged);
  }

  /** What comes from now on belongs to this step. */
  begin(step: string): void {
    this.#step = step;
    this.#began = performance.now();
    this.#count = 0;
    this.#streams.clear();
    this.#calls.clear();
  }

  close(): void {
    apiExchanges.unsubscribe(this.#exchanged);
  }

  requested(seen: SeenRequest): void {
    const pathname = this.redactor.path(seen.path.split('?')[0] ?? '');
    const isPrompt = pathname.startsWith('/prompts/');
    const { event, callId } = isPrompt ? { event: '', callId: undefined } : this.names.webhook(seen);
    const name = `${pathname} ${event}`.trim();
    const call = this.#callOf(callId);
    const headers = this.#headersOf(seen.headers);
    const parameters = isPrompt ? {} : this.redactor.fields(this.names.parameters(seen));
    const at = this.#at(seen.beganAt);
    this.#take({
      at,
      channel: 'webhook',
      direction: 'in',
      name,
      ...call,
      fields: { method: [seen.method], ...headers, ...parameters },
    });
    const answered = this.#document(seen.answer.toString());
    this.#take({ channel: 'document', direction: 'out', name: `${name} ${seen.status}`, ...call, fields: answered });
  }

  opened({ path, headers, status }: Pick<SeenRequest, 'path' | 'headers' | 'status'>): SeenStream {
    const pathname = path.split('?')[0] ?? '';
    this.#count += 1;
    const stream = this.#count;
    const where = { channel: 'stream' as const, stream };
    const protocol = headers['sec-websocket-protocol'];
    const fields = {
      ...this.#headersOf(headers),
      path: [this.redactor.path(pathname)],
      ...(protocol && { protocol: [protocol] }),
    };
    this.#take({ ...where, direction: 'in', name: `open ${status}`, fields });
    const step = this.#step;
    const tell = (item: Omit<WireItem, 'step' | 'at'>) => this.#step === step && this.#take(item);
    return {
      said: (direction, message) => tell({ ...where, direction, ...this.#message(message) }),
      closed: (by, code) => tell({ ...where, direction: by, name: 'close', fields: { code: [`"${code}"`] } }),
    };
  }

  /** A message of a room, as its client tells of it. */
  told(name: string, data: unknown): void {
    this.#take({ channel: 'room', direction: 'in', name, fields: this.redactor.fields(data) });
  }

  /** A request of a bot's process. */
  exchanged(exchange: ApiExchange): void {
    const { method, path, sent, status, answer } = exchange;
    const url = new URL(exchange.origin + path);
    const base = new URL(this.names.apiBase);
    if (url.origin !== base.origin) return; // a vendor of speech or a model
    const inside = url.pathname.startsWith(base.pathname) ? url.pathname.slice(base.pathname.length) : url.pathname;
    const name = `${method} ${this.redactor.path(inside)}`;
    const asked = parseFields(sent) ?? Object.fromEntries(new URLSearchParams(sent));
    const query = Object.fromEntries(url.searchParams);
    this.#take({ channel: 'rest', direction: 'out', name, fields: this.redactor.fields({ ...query, ...asked }) });
    const fields = answer === '' ? {} : this.redactor.fields(parseFields(answer) ?? { answer });
    this.#take({ channel: 'rest', direction: 'in', name: `${name} ${status}`, fields });
  }

  readonly #exchanged = (message: unknown): void => this.exchanged(message as ApiExchange);

  #take(item: Omit<WireItem, 'step' | 'at'> & { readonly at?: number }): void {
    if (this.#step !== '') this.take({ step: this.#step, at: this.#at(performance.now()), ...item });
  }

  #at(time: number): number {
    return Math.max(0, Math.round(time - this.#began));
  }

  #callOf(callId: string | undefined): { call?: number } {
    if (callId === undefined) return {};
    const known = this.#calls.get(callId) ?? this.#calls.size + 1;
    this.#calls.set(callId, known);
    return { call: known };
  }

  #headersOf(headers: SeenRequest['headers']): WireFields {
    const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name) && !OF_TUNNELS.test(name));
    return this.redactor.fields({
      header: Object.fromEntries(
        kept.map(([name, value]) => [name, name === 'content-type' ? String(value).split(';')[0] : value]),
      ),
    });
  }

  #message(message: string | Buffer): Pick<WireItem, 'name' | 'fields'> {
    const fields = typeof message === 'string' ? parseFields(message) : undefined;
    if (!fields) return { name: typeof message === 'string' ? 'text that is no JSON object' : 'binary', fields: {} };
    return {
      name: String(fields.event ?? fields.type ?? 'message without event').slice(0, 40),
      fields: this.redactor.fields(fields),
    };
  }

  #document(text: string): WireFields {
    if (!text.startsWith('<')) return text === '' ? {} : this.redactor.fields(parseFields(text) ?? {});
    return this.redactor.fields(convert(text, { format: 'object', wellFormed: true }));
  }
}
