import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { FrameClock } from '../../base/async/frame-clock.js';
import { FRAME_MS } from '../../base/audio/frame.js';
import { payloadCoding } from '../../base/audio/payload.js';
import { ToneSource } from '../../base/audio/tones.js';
import type { Carrier, StreamMessage } from '../../providers/carrier.js';
import { frameBytes, textFrameAt, textHead } from './text-frame.js';

/** What the carrier has sent before a bot reads: beyond this the carrier has to wait, in bytes. Media is 22 KB in a second. */
const MAX_HEARD_BYTES = 1_024 * 1_024;
/** How long the carrier may take to close a stream that we have ended, in milliseconds. */
const CLOSE_LIMIT_MS = 2_000;
/** Frames of the comfort tone that the carrier has beforehand, so that no gap is heard. */
const LEAD_FRAMES = 5;
/** The `start` is among this many first messages. */
const MAX_FIRST_MESSAGES = 5;
/** First byte of a close (RFC 6455 section 5.2). */
const CLOSE = 0x88;
const NORMAL_CLOSURE = 1000;

/** Answers the upgrade and leaves the connection alone: it is for the reader of the stream. */
class Handshake extends WebSocket {
  protected setSocket(): void {}
}

const handshakes = new WebSocketServer({
  noServer: true,
  WebSocket: Handshake as typeof WebSocket,
  perMessageDeflate: false,
  clientTracking: false,
});

export interface WaitingStreamEvents {
  /** The carrier has closed the stream, or its connection broke. */
  closed: [];
}

/** A stream's connection for its next reader, and what has come on it until then. */
export interface ReleasedStream {
  readonly socket: Socket;
  readonly head: Buffer;
}

/**
 * A media stream that the carrier has opened and no bot reads yet. The carrier gets its answer at once; what it sends is
 * kept for the bot, and the caller may hear a tone meanwhile.
 */
export class WaitingStream extends EventEmitter<WaitingStreamEvents> {
  readonly #heard: Buffer[];
  #heardBytes = 0;
  #stopTone: (() => void) | undefined;
  readonly #onData = (data: Buffer) => this.#hear(data);
  readonly #onClosed = () => this.#close();

  /** Answers an upgrade. Refuses one that is no proper handshake with status 400, and does not call `onAnswered` then. */
  static answer(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    onAnswered: (stream: WaitingStream) => void,
  ): void {
    socket.on('error', () => {}); // shows as the close
    handshakes.handleUpgrade(request, socket, head, () => onAnswered(new WaitingStream(socket, head)));
  }

  private constructor(
    private readonly socket: Socket,
    head: Buffer,
  ) {
    super();
    this.#heard = [head];
    socket.setTimeout(0).setNoDelay();
    socket.on('data', this.#onData).once('end', this.#onClosed).once('close', this.#onClosed);
  }

  /** The caller hears from now on that a bot is coming; not on a stream that has not said what it carries. */
  playTone(carrier: Pick<Carrier, 'createCodec'>): void {
    const start = this.#start(carrier);
    const coding = start && payloadCoding(start.format.encoding);
    if (!coding) return;
    const { streamId, format } = start;
    const codec = carrier.createCodec(streamId, format);
    const tone = ToneSource.hold(format.sampleRate);
    const samples = (format.sampleRate * FRAME_MS) / 1_000;
    const play = () => {
      const text = codec.encodeAudio(coding.encode(tone.read(samples)));
      this.socket.write(textHead(text.length) + text, 'latin1');
    };
    for (let frame = 0; frame < LEAD_FRAMES; frame += 1) play();
    this.#stopTone = new FrameClock().onTick(play);
  }

  #start(carrier: Pick<Carrier, 'createCodec'>): Extract<StreamMessage, { type: 'start' }> | undefined {
    const heard = Buffer.concat(this.#heard);
    let at = 0;
    for (let messages = 0; messages < MAX_FIRST_MESSAGES; messages += 1) {
      const text = textFrameAt(heard, at, heard.length);
      if (!text) return undefined;
      const message = carrier.createCodec('').decode(text);
      if (message.type === 'start') return message;
      at += frameBytes(text.length);
    }
    return undefined;
  }

  /** Lets go of the connection: it is paused until its next reader takes it. */
  release(): ReleasedStream {
    this.#leave();
    this.socket.off('data', this.#onData).pause();
    return { socket: this.socket, head: Buffer.concat(this.#heard) };
  }

  /** Closes the stream in order. */
  end(): void {
    this.#leave();
    this.socket.resume().end(Buffer.from([CLOSE, 2, NORMAL_CLOSURE >> 8, NORMAL_CLOSURE & 0xff]));
    const timer = setTimeout(() => this.socket.destroy(), CLOSE_LIMIT_MS);
    this.socket.once('close', () => clearTimeout(timer));
  }

  /** Breaks the connection off. */
  drop(): void {
    this.#leave();
    this.socket.destroy();
  }

  #hear(data: Buffer): void {
    this.#heard.push(data);
    this.#heardBytes += data.length;
    if (this.#heardBytes > MAX_HEARD_BYTES) this.socket.pause();
  }

  #leave(): void {
    this.#stopTone?.();
    this.socket.off('end', this.#onClosed).off('close', this.#onClosed);
  }

  #close(): void {
    this.drop();
    this.emit('closed');
  }
}
