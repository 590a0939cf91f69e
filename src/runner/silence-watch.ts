import type { Socket } from 'node:net';
import type { RawData } from 'ws';
import { levelDb } from '../audio/level.js';
import { decodeMulaw } from '../audio/mulaw.js';
import type { StreamCodec, StreamMessage } from '../carriers/contract.js';

/** One message of the caller's audio in this many is listened to: two in a second. */
const LISTEN_EVERY = 25;
/** A longer message carries audio. */
const LONGEST_COMMAND = 200;
/** More bytes than this from one look to the next are audio of the bot, not marks and commands. */
const SPOKEN_BYTES = 1_000;
/** Above this the caller says something, in dBFS. */
const SPEECH_DB = -45;

/** Calls `onSilence` once when neither side of a stream has said anything, and no key was pressed, for `limitMs`. */
export class SilenceWatch {
  readonly #timer: NodeJS.Timeout;
  #messages = 0;
  #bytesWritten = 0;

  /**
   * @param limitMs above 0
   * @param connection counts what the bot sends
   */
  constructor(
    private readonly codec: StreamCodec,
    private readonly connection: Pick<Socket, 'bytesWritten'>,
    limitMs: number,
    onSilence: () => void,
  ) {
    this.#timer = setTimeout(onSilence, limitMs);
  }

  /** A message of the carrier. */
  hear(data: RawData): void {
    this.#messages += 1;
    const { length } = data as Buffer;
    if (length > LONGEST_COMMAND && this.#messages % LISTEN_EVERY !== 0) return;
    if (this.#hasBotSpoken() || this.#isHeard(this.codec.decode(String(data)))) this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #isHeard(message: StreamMessage): boolean {
    if (message.type === 'audio') return levelDb(decodeMulaw(message.payload)) > SPEECH_DB;
    return message.type === 'dtmf';
  }

  #hasBotSpoken(): boolean {
    const { bytesWritten } = this.connection;
    const written = bytesWritten - this.#bytesWritten;
    this.#bytesWritten = bytesWritten;
    return written > SPOKEN_BYTES;
  }
}
