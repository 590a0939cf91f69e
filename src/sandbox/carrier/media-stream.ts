import { type RawData, WebSocket } from 'ws';
import type { DtmfDigit } from '../../base/audio/dtmf.js';
import { VoicebotError } from '../../base/errors.js';
import { loopbackLookup } from '../../base/http/loopback-lookup.js';
import type { PhoneProgress } from '../../call/phone-messages.js';
import type { CallStream } from '../network/call.js';
import { loopbackUrl, WEB_SOCKET } from '../network/loopback.js';
import type { PlaybackQueue } from '../network/playback-queue.js';
import { dtmfAudio } from '../network/prompt-audio.js';
import { StreamAudio } from '../network/stream-audio.js';
import type { StreamVerb } from './call-document.js';
import { type CarrierFace, IncorrectPayload, type StreamCommand, type StreamWords } from './face.js';

const HANDSHAKE_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;
/** Larger messages than carriers allow are still read, to be refused by name; beyond this the socket closes (1009). */
const MAX_READ_BYTES = 1024 * 1024;
/** Mu-law. */
const BYTES_PER_S = 8_000;
const MAX_PENDING_MARKS = 1_000;
/** About 40 s of media messages the bot does not read. */
const MAX_UNREAD_BYTES = 700_000;
const MAX_REPORTED_PROBLEMS = 20;

export interface MediaStreamOptions {
  readonly verb: StreamVerb;
  readonly face: CarrierFace['stream'];
  /** Makes the messages of this stream. */
  readonly words: () => StreamWords;
  /** Where the bot's audio goes. */
  readonly playback: PlaybackQueue;
  readonly progress: (line: PhoneProgress) => void;
  /** It acknowledges no mark. */
  readonly losesMarks?: boolean | undefined;
}

export interface StreamEnd {
  /** WebSocket close code; 1006 when the bot vanished. */
  readonly code: number;
  /** The bot was too slow to read its audio. */
  readonly isTooSlow: boolean;
}

/** A refused or failed connection of a media stream; `status` is set when the server answered the upgrade with it. */
export class StreamRefused extends Error {
  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}

/** The carrier's end of one media stream: a WebSocket client of the bot's address that sends what the phone says, and plays what the bot sends. */
export class MediaStream implements CallStream {
  /** Resolves once the socket is closed, by either side. */
  readonly closed: Promise<StreamEnd>;
  readonly #opened: Promise<void>;
  readonly #socket: WebSocket;
  readonly #options: MediaStreamOptions;
  readonly #words: StreamWords;
  readonly #audio: StreamAudio;
  readonly #reported = new Set<string>();
  #isTooSlow = false;

  /**
   * Opens the socket and sends what a stream begins with. Aborting `signal` closes the stream at any time.
   * @throws StreamRefused
   */
  static async connect(options: MediaStreamOptions, signal: AbortSignal): Promise<MediaStream> {
    const stream = new MediaStream(options);
    const close = (): void => stream.close();
    if (signal.aborted) close();
    signal.addEventListener('abort', close, { once: true });
    void stream.closed.then(() => signal.removeEventListener('abort', close));
    await stream.#opened;
    return stream;
  }

  /** Use {@link connect}. The listeners must be there before the first message can arrive. */
  private constructor(options: MediaStreamOptions) {
    this.#options = options;
    this.#words = options.words();
    this.#audio = new StreamAudio(options.verb.format);
    const { url } = options.verb;
    const { subprotocol, upgradeHeaders } = options.face;
    const socket = new WebSocket(checked(url), subprotocol ? [subprotocol] : [], {
      headers: upgradeHeaders(url),
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      lookup: loopbackLookup,
      maxPayload: MAX_READ_BYTES,
    });
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once('close', (code) => resolve({ code, isTooSlow: this.#isTooSlow }));
    });
    this.#opened = new Promise((resolve, reject) => {
      // Servers that answer without a subprotocol work with the real carrier, though not with this client library.
      socket.once('upgrade', (response) => {
        if (subprotocol) response.headers['sec-websocket-protocol'] ??= subprotocol;
      });
      socket.once('unexpected-response', (request, response) => {
        reject(new StreamRefused(`refused with status ${response.statusCode}`, response.statusCode));
        request.destroy();
        socket.terminate();
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        reject(
          new StreamRefused(error.code === 'ECONNREFUSED' ? 'nothing listens there (ECONNREFUSED)' : error.message),
        );
      });
      socket.once('open', () => {
        for (const message of this.#words.opening()) this.#socket.send(message);
        resolve();
      });
    });
    socket.on('message', (data: RawData, isBinary) => this.#receive(data as Buffer, isBinary));
  }

  get id(): string {
    return this.#words.id;
  }

  /** @param frame 20 ms of mu-law from the phone */
  sendAudio(frame: Uint8Array): void {
    this.#send(() => this.#words.audio(this.#audio.toBot(frame)));
  }

  sendDigit(digit: DtmfDigit): void {
    this.#send(() => this.#words.digit(digit));
  }

  close(): void {
    if (this.#socket.readyState === WebSocket.CONNECTING) {
      this.#socket.terminate();
      return;
    }
    this.#send(() => this.#words.stopped());
    this.#socket.close(1000);
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT_MS);
    void this.closed.then(() => clearTimeout(timer));
  }

  /** The connection breaks, and neither side has said so. */
  breakOff(): void {
    this.#socket.terminate();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    try {
      this.#perform(this.#words.read(data, isBinary));
    } catch (error) {
      if (!(error instanceof IncorrectPayload)) throw error;
      this.#report('incorrectPayload', error.message);
    }
  }

  #perform(command: StreamCommand): void {
    switch (command.do) {
      case 'play':
        this.#enqueue(this.#audio.fromBot(command.payload));
        break;
      case 'press':
        this.#options.progress({ hop: 'dtmf', ok: true, text: `the bot presses ${command.digits.join(' ')}` });
        this.#enqueue(dtmfAudio(command.digits));
        break;
      case 'mark':
        this.#enqueue(this.#audio.flush());
        this.#mark(command.name);
        break;
      case 'clear':
        this.#audio.flush();
        this.#options.playback.clear();
        this.#send(() => this.#words.cleared());
    }
  }

  #enqueue(payload: Uint8Array): void {
    const { maxQueuedS } = this.#options.face;
    const room = maxQueuedS * BYTES_PER_S - this.#options.playback.queuedBytes;
    this.#options.playback.push(payload.subarray(0, Math.max(0, room)));
    if (payload.length > room) {
      this.#report('buffer_overflow', `more than ${maxQueuedS} s of audio wait to be played; the rest is dropped`);
    }
  }

  #mark(name: string): void {
    const { playback, face, losesMarks } = this.#options;
    if (losesMarks) return;
    if (playback.pendingMarks >= MAX_PENDING_MARKS) {
      this.#report('buffer_overflow', `more than ${MAX_PENDING_MARKS} checkpoints wait for their audio`);
      return;
    }
    playback.mark((isPlayed) => {
      if (isPlayed || face.returnsMarks) this.#send(() => this.#words.marked(name));
    });
  }

  /** Tells the bot, and the person at the phone once per kind of problem. */
  #report(reason: 'incorrectPayload' | 'buffer_overflow', problem: string): void {
    this.#send(() => this.#words.problem(reason, problem));
    if (this.#reported.has(problem) || this.#reported.size >= MAX_REPORTED_PROBLEMS) return;
    this.#reported.add(problem);
    this.#options.progress({
      hop: 'stream',
      ok: false,
      text: `the bot sent something unusable (${reason}): ${problem}`,
    });
  }

  /** @param message made when it can be sent: it may have a number of its own */
  #send(message: () => string | undefined): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_UNREAD_BYTES) {
      this.#isTooSlow = true;
      this.#socket.terminate();
      return;
    }
    const text = message();
    if (text !== undefined) this.#socket.send(text);
  }
}

function checked(url: string): URL {
  try {
    return loopbackUrl(url, WEB_SOCKET);
  } catch (error) {
    throw new StreamRefused(error instanceof VoicebotError ? error.message : String(error));
  }
}
