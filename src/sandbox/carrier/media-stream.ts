import { randomUUID } from 'node:crypto';
import { type RawData, WebSocket } from 'ws';
import type { DtmfDigit } from '../../audio/dtmf.js';
import type { PhoneProgress } from '../../call/phone-messages.js';
import { VoicebotError } from '../../errors.js';
import { loopbackLookup } from '../../http/loopback-lookup.js';
import { upgradeSignatureHeaders } from '../../providers/plivo/signature.js';
import { playingTimeMs } from '../network/frame.js';
import { loopbackUrl, WEB_SOCKET } from '../network/loopback.js';
import type { PlaybackQueue } from '../network/playback-queue.js';
import { dtmfAudio } from '../network/prompt-audio.js';
import { StreamAudio } from '../network/stream-audio.js';
import type { StreamVerb } from './document.js';
import type { Quirks } from './quirks.js';
import { IncorrectPayload, readBotMessage, type StreamCommand } from './stream-messages.js';

const SUBPROTOCOL = 'audio.plivo.com';
const HANDSHAKE_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;
/** Larger messages than the allowed 64 KB are still read, to be refused by name; beyond this the socket closes (1009). */
const MAX_READ_BYTES = 1024 * 1024;
/** 40 s of audio waiting to be played (carrier reference 5.5). */
const MAX_QUEUED_BYTES = 40 * 8_000;
const MAX_PENDING_CHECKPOINTS = 1_000;
/** About 40 s of media messages the bot does not read. */
const MAX_UNREAD_BYTES = 700_000;
const MAX_REPORTED_PROBLEMS = 20;

export interface MediaStreamOptions {
  readonly verb: StreamVerb;
  readonly callId: string;
  readonly authToken: string;
  readonly quirks: Quirks;
  /** Where the bot's audio goes. */
  readonly playback: PlaybackQueue;
  readonly progress: (line: PhoneProgress) => void;
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

/**
 * The carrier's end of one media stream: a WebSocket client of the bot's address that sends `start` and then what the
 * phone says, and plays what the bot sends.
 * @see carrier reference 5
 */
export class MediaStream {
  readonly id = randomUUID();
  /** Resolves once the socket is closed, whoever closed it. */
  readonly closed: Promise<StreamEnd>;
  readonly #opened: Promise<void>;
  readonly #socket: WebSocket;
  readonly #options: MediaStreamOptions;
  readonly #audio: StreamAudio;
  readonly #reported = new Set<string>();
  #sequenceNumber: number;
  #chunk = 0;
  #isTooSlow = false;

  /**
   * Opens the socket and sends `start`. Aborting `signal` closes the stream at any time.
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
    this.#audio = new StreamAudio(options.verb.format);
    this.#sequenceNumber = options.quirks.firstSequenceNumber;
    const { url } = options.verb;
    const socket = new WebSocket(checked(url), [SUBPROTOCOL], {
      headers: upgradeSignatureHeaders(url, options.authToken),
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
        response.headers['sec-websocket-protocol'] ??= SUBPROTOCOL;
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
        this.#sendStart();
        resolve();
      });
    });
    socket.on('message', (data: RawData, isBinary) => this.#receive(data as Buffer, isBinary));
  }

  /** @param frame 20 ms of mu-law from the phone */
  sendAudio(frame: Uint8Array): void {
    this.#chunk += 1;
    const payload = this.#audio.toBot(frame).toString('base64');
    this.#send('media', {
      streamId: this.id,
      media: { track: 'inbound', timestamp: String(Date.now()), chunk: this.#number(this.#chunk), payload },
      extra_headers: this.#options.verb.extraHeaders,
    });
  }

  sendDigit(digit: DtmfDigit): void {
    this.#send('dtmf', {
      streamId: this.id,
      dtmf: { track: 'inbound', digit, timestamp: String(Date.now()) },
      extra_headers: this.#options.verb.extraHeaders,
    });
  }

  close(): void {
    if (this.#socket.readyState === WebSocket.CONNECTING) {
      this.#socket.terminate();
      return;
    }
    this.#socket.close(1000);
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT_MS);
    void this.closed.then(() => clearTimeout(timer));
  }

  #sendStart(): void {
    const { callId, quirks, verb } = this.#options;
    const { contentType, sampleRate } = verb.format;
    this.#send('start', {
      start: {
        callId,
        streamId: this.id,
        accountId: '1234567',
        tracks: ['inbound'],
        mediaFormat: { encoding: contentType, sampleRate: this.#number(sampleRate) },
      },
      extra_headers: verb.extraHeaders,
    });
    if (quirks.unknownEvent) this.#send('networkQuality', { streamId: this.id, networkQuality: { jitter: 3 } });
  }

  #receive(data: Buffer, isBinary: boolean): void {
    try {
      this.#perform(readBotMessage(data, isBinary, this.id, this.#options.verb.format));
    } catch (error) {
      if (!(error instanceof IncorrectPayload)) throw error;
      this.#report('incorrectPayload', error.message);
    }
  }

  #perform(message: StreamCommand): void {
    switch (message.event) {
      case 'playAudio':
        this.#requireBidirectional(message.event);
        this.#enqueue(this.#audio.fromBot(message.payload));
        break;
      case 'sendDTMF':
        this.#requireBidirectional(message.event);
        this.#playDigits(message.digits);
        break;
      case 'checkpoint':
        this.#enqueue(this.#audio.flush());
        this.#checkpoint(message.name);
        break;
      case 'clearAudio':
        this.#audio.flush();
        this.#options.playback.clear();
        this.#sendAck('clearedAudio', {});
    }
  }

  #requireBidirectional(event: string): void {
    if (!this.#options.verb.bidirectional) throw new IncorrectPayload(`${event} needs <Stream bidirectional="true">`);
  }

  #enqueue(payload: Uint8Array): void {
    const room = MAX_QUEUED_BYTES - this.#options.playback.queuedBytes;
    this.#options.playback.push(payload.subarray(0, Math.max(0, room)));
    if (payload.length > room) {
      this.#report(
        'buffer_overflow',
        `more than ${playingTimeMs(MAX_QUEUED_BYTES) / 1_000} s of audio wait to be played; the rest is dropped`,
      );
    }
  }

  #checkpoint(name: string): void {
    const { playback } = this.#options;
    if (playback.pendingMarks >= MAX_PENDING_CHECKPOINTS) {
      this.#report('buffer_overflow', `more than ${MAX_PENDING_CHECKPOINTS} checkpoints wait for their audio`);
      return;
    }
    playback.mark((isPlayed) => {
      if (isPlayed) this.#sendAck('playedStream', { name });
    });
  }

  #playDigits(digits: readonly DtmfDigit[]): void {
    this.#options.progress({ hop: 'dtmf', ok: true, text: `the bot presses ${digits.join(' ')}` });
    this.#enqueue(dtmfAudio(digits));
  }

  /** Tells the bot, and the person at the phone once per kind of problem. */
  #report(reason: 'incorrectPayload' | 'buffer_overflow', problem: string): void {
    this.#send('error', { streamId: this.id, reason, message: problem });
    if (this.#reported.has(problem) || this.#reported.size >= MAX_REPORTED_PROBLEMS) return;
    this.#reported.add(problem);
    this.#options.progress({
      hop: 'stream',
      ok: false,
      text: `the bot sent something unusable (${reason}): ${problem}`,
    });
  }

  #sendAck(event: string, fields: object): void {
    if (this.#options.quirks.repeatedAckNumbers) this.#sequenceNumber -= 1;
    this.#send(event, { streamId: this.id, ...fields });
  }

  #send(event: string, fields: object): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_UNREAD_BYTES) {
      this.#isTooSlow = true;
      this.#socket.terminate();
      return;
    }
    const sequenceNumber = this.#number(this.#sequenceNumber);
    this.#sequenceNumber += 1;
    const extra = this.#options.quirks.extraKeys ? { region: 'sandbox', trace: { hop: 1 } } : {};
    this.#socket.send(JSON.stringify({ sequenceNumber, event, ...fields, ...extra }));
  }

  #number(value: number): number | string {
    return this.#options.quirks.numbersAsStrings ? String(value) : value;
  }
}

function checked(url: string): URL {
  try {
    return loopbackUrl(url, WEB_SOCKET);
  } catch (error) {
    throw new StreamRefused(error instanceof VoicebotError ? error.message : String(error));
  }
}
