import { once } from 'node:events';
import type { RawData, WebSocket } from 'ws';
import { deferred } from '../../base/async/deferred.js';
import { decodeMulaw } from '../../base/audio/mulaw.js';
import type { FakeRequest } from './fake-request.js';
import { SpeechEar, type Understood } from './speech-ear.js';

/** A connection without keep-alive is closed with this, as the real one does. */
const IDLE_CLOSE_CODE = 1011;
const IDLE_WORDS = 'Deepgram did not receive audio data or a text message within the timeout window. NET-0001';
/** Results come about this often while nothing is understood, in milliseconds of audio. */
const EMPTY_RESULT_MS = 1_000;

export interface ListenSessionOptions {
  /** What the caller says; holds what is left of it when the connection is gone. */
  texts: string[];
  silenceMs: number | undefined;
  delayMs: number;
  idleLimitMs: number;
}

/** One connection of a client to `/v1/listen`: what it sent, and what is said to it. */
export class ListenSession {
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** Types of the text messages that came, in order: `KeepAlive`, `CloseStream`, `Finalize`. */
  readonly messages: string[] = [];
  /** Sizes of the audio messages that came, in bytes. */
  readonly audioMessages: number[] = [];
  /** Says nothing of its own accord while true. */
  isMute = false;
  /** Resolves with the code when the connection is gone. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #options: ListenSessionOptions;
  readonly #audio: Buffer[] = [];
  #audioBytes = 0;
  readonly #bytesPerMs: number;
  readonly #isMulaw: boolean;
  readonly #ear: SpeechEar;
  /** Understood, and told when the timer says so. */
  readonly #untold = new Map<NodeJS.Timeout, Understood>();
  #idle: NodeJS.Timeout | undefined;
  /** Where the last final result ended, in milliseconds of audio. */
  #finalMs = 0;
  #toldMs = 0;
  #news = deferred();

  constructor(socket: WebSocket, { query, headers }: FakeRequest, options: ListenSessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.query = query;
    this.headers = headers;
    const sampleRate = Number(query.get('sample_rate'));
    this.#isMulaw = query.get('encoding') === 'mulaw';
    this.#bytesPerMs = (sampleRate * (this.#isMulaw ? 1 : 2)) / 1_000;
    const silenceMs = options.silenceMs ?? (Number(query.get('endpointing')) || 300);
    this.#ear = new SpeechEar(options.texts, sampleRate, silenceMs);
    this.closed = once(socket, 'close').then(([code]) => code);
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.once('close', () => this.#end());
    this.#restartIdle();
  }

  /** All audio that came, as it came. */
  get audio(): Buffer {
    return Buffer.concat(this.#audio);
  }

  /** Length of all audio that came, in milliseconds. */
  get audioMs(): number {
    return this.#audioBytes / this.#bytesPerMs;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Resolves when this much audio has come. */
  async heard(ms: number): Promise<void> {
    while (this.audioMs < ms) await this.#news.promise;
  }

  /** Resolves when a text message of this type has come this many times. */
  async received(type: string, times = 1): Promise<void> {
    while (this.messages.filter((message) => message === type).length < times) await this.#news.promise;
  }

  /**
   * Tells a final result.
   * @param options `endsUtterance`: whether silence was heard after it, default true; `untilMs`: where in the audio of this
   *   connection it ends, default all that came
   */
  say(text: string, { endsUtterance = true, untilMs = this.audioMs } = {}): void {
    this.#tell(text, true, endsUtterance, untilMs);
  }

  /** Tells an interim result: what was said since the last final one. */
  interim(text: string): void {
    this.#tell(text, false, false, this.audioMs);
  }

  /** Reports an error, as the service does before it closes. */
  error(description: string): void {
    this.send({ type: 'Error', description, message: 'fake error', variant: 'FAKE-0001' });
  }

  /** Sends a message as it stands: a string, or an object as JSON. */
  send(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Cuts the connection without a word. */
  dropConnection(): void {
    this.#socket.terminate();
  }

  /** Closes the connection. */
  close(code = 1000, reason = ''): void {
    this.#socket.close(code, reason);
  }

  #tell(transcript: string, isFinal: boolean, isSpeechFinal: boolean, untilMs: number): void {
    const words = transcript.split(' ').map((word) => ({ word, start: 0, end: 0, confidence: 0.99 }));
    this.#toldMs = untilMs;
    this.send({
      type: 'Results',
      channel_index: [0, 1],
      start: this.#finalMs / 1_000,
      duration: (untilMs - this.#finalMs) / 1_000,
      is_final: isFinal,
      speech_final: isSpeechFinal,
      channel: { alternatives: [{ transcript, confidence: transcript ? 0.99 : 0, words: transcript ? words : [] }] },
      metadata: { request_id: 'fake', model_uuid: 'fake', model_info: { name: 'fake', version: '0', arch: 'fake' } },
      from_finalize: false,
    });
    if (isFinal) this.#finalMs = untilMs;
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#restartIdle();
    if (isBinary) this.#receiveAudio(data as Buffer);
    else this.#receiveMessage(String(data));
    const news = this.#news;
    this.#news = deferred();
    news.resolve();
  }

  #receiveMessage(text: string): void {
    const { type } = JSON.parse(text);
    this.messages.push(type);
    if (type === 'CloseStream') this.close();
  }

  #receiveAudio(payload: Buffer): void {
    if (payload.length === 0) {
      this.close(1000, 'an empty message ends the audio');
      return;
    }
    this.#audio.push(payload);
    this.audioMessages.push(payload.length);
    this.#audioBytes += payload.length;
    if (this.isMute) return;
    for (const understood of this.#ear.hear(this.#decode(payload))) this.#tellLater(understood, this.audioMs);
    if (this.audioMs - this.#toldMs >= EMPTY_RESULT_MS) this.#tell('', false, false, this.audioMs);
  }

  #decode(payload: Buffer): Int16Array {
    if (this.#isMulaw) return decodeMulaw(payload);
    return Int16Array.from({ length: payload.length >> 1 }, (_, index) => payload.readInt16LE(index * 2));
  }

  #tellLater(understood: Understood, untilMs: number): void {
    const { text, isFinal } = understood;
    if (this.#options.delayMs === 0) {
      this.#tell(text, isFinal, isFinal, untilMs);
      return;
    }
    const timer = setTimeout(() => {
      this.#untold.delete(timer);
      if (!this.isMute) this.#tell(text, isFinal, isFinal, untilMs);
    }, this.#options.delayMs);
    this.#untold.set(timer, understood);
  }

  #restartIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(IDLE_CLOSE_CODE, IDLE_WORDS), this.#options.idleLimitMs);
  }

  #end(): void {
    clearTimeout(this.#idle);
    for (const timer of this.#untold.keys()) clearTimeout(timer);
    const finals = [...this.#untold.values()].filter(({ isFinal }) => isFinal);
    this.#options.texts.unshift(...finals.map(({ text }) => text));
  }
}
