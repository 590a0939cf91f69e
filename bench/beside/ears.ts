import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CallScript, EarsOptions, Stretch } from './call-script.js';

/** What comes first over the ears' socket: what the bot is to say in this call. */
export type EarsOpening = Pick<CallScript, 'greetingWords' | 'answerWords'>;

export interface EarsMessage {
  readonly type: 'interim' | 'final';
  readonly text: string;
}

const FRAME_BYTES = 160;
const FRAME_MS = 20;

/** They know from the script what the caller says, and when; bots get it over a socket of each call. */
export class Ears {
  readonly #server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  readonly #openings = new Map<string, EarsOpening>();
  readonly #sockets = new Map<string, WebSocket>();

  async start(): Promise<string> {
    this.#server.on('connection', (socket, { url = '' }) => {
      const callId = new URLSearchParams(url.split('?')[1]).get('call_id') ?? '';
      this.#sockets.set(callId, socket);
      socket.once('close', () => this.#sockets.delete(callId));
      socket.send(JSON.stringify(this.#openings.get(callId)));
    });
    await once(this.#server, 'listening');
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Before the call begins. */
  expect(callId: string, { greetingWords, answerWords }: EarsOpening): void {
    this.#openings.set(callId, { greetingWords, answerWords });
  }

  tell(callId: string, message: EarsMessage): void {
    this.#sockets.get(callId)?.send(JSON.stringify(message));
  }
}

/** What the ears understand of one call. */
export class Hearing {
  readonly #timers = new Set<NodeJS.Timeout>();
  #isSpeaking = false;
  /** Of this stretch, and of stretches before it that were not final when it began. */
  #open = '';

  constructor(
    private readonly options: EarsOptions,
    private readonly tell: (message: EarsMessage) => void,
  ) {}

  /** A stretch begins now. */
  begins({ audio, text }: Stretch): void {
    this.#isSpeaking = true;
    if (text === '') return;
    const durationMs = ((audio.length * 3) / 4 / FRAME_BYTES) * FRAME_MS;
    const before = this.#open;
    const words = text.split(' ');
    const characters = text.length + 1;
    let spoken = 0;
    words.forEach((word, index) => {
      spoken += word.length + 1;
      const said = joined(before, words.slice(0, index + 1).join(' '));
      const isLast = index === words.length - 1;
      // a word is shown without the mark that follows it: that is known when the next has begun, or at the end
      const shown = isLast ? said.replace(/[.,?!]$/, '') : said;
      this.#after((durationMs * spoken) / characters + this.options.interimMs, () => {
        if (this.#open.startsWith(joined(before, text))) this.#tell('interim', shown);
      });
    });
    this.#open = joined(before, text);
  }

  /** The stretch that has begun is over now. */
  ends(): void {
    this.#isSpeaking = false;
    const text = this.#open;
    if (text === '') return;
    this.#after(this.options.finalMs, () => {
      // gone on with in the meantime: final together with that
      if (this.#open !== text || this.#isSpeaking) return;
      this.#open = '';
      this.#tell('final', text);
    });
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #after(ms: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      then();
    }, ms);
    this.#timers.add(timer);
  }

  #tell(type: EarsMessage['type'], text: string): void {
    this.tell({ type, text: this.options.punctuates ? text : text.replace(/[.,?!]/g, '').toLowerCase() });
  }
}

const joined = (before: string, text: string) => (before === '' ? text : `${before} ${text}`);
