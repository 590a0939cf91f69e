import type { Socket } from 'node:net';
import type { RawData } from 'ws';
import { levelDb } from '../../audio/level.js';
import { decodeMulaw } from '../../audio/mulaw.js';
import type { StreamCodec, StreamMessage } from '../../providers/carrier.js';

/** One message of the caller's audio in this many is listened to: two in a second. */
const LISTEN_EVERY = 25;
/** A message this little longer or shorter than the last audio is audio too: counters and times grow. In bytes. */
const LIKE_AUDIO_BYTES = 32;
/** More bytes than this from one due look to the next are audio of the bot, not marks and commands. */
const SPOKEN_BYTES = 1_000;
/** Above this the caller says something, in dBFS. */
const SPEECH_DB = -45;

/** Calls `onSilence` once when neither side of a stream has said anything, and no key was pressed, for `limitMs`. */
export class SilenceWatch {
  readonly #timer: NodeJS.Timeout;
  #messages = 0;
  /** Of the last message of audio that was listened to, in bytes. */
  #audioLength = 0;
  #bytesWritten = 0;
  /** From then on the timer is not refreshed, which would start it again. */
  #isOver = false;

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
    this.#timer = setTimeout(() => {
      this.stop();
      onSilence();
    }, limitMs);
  }

  /** A message of the carrier. */
  hear(data: RawData): void {
    if (this.#isOver) return;
    this.#messages += 1;
    const { length } = data as Buffer;
    const isDue = this.#messages % LISTEN_EVERY === 0;
    if (!isDue && Math.abs(length - this.#audioLength) <= LIKE_AUDIO_BYTES) return;
    const message = this.codec.decode(String(data));
    if (message.type === 'audio') this.#audioLength = length;
    if (this.#hasBotSpoken(isDue) || isHeard(message)) this.#timer.refresh();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Messages may come so densely that little is written from one to the next: only a due look counts afresh. */
  #hasBotSpoken(isDue: boolean): boolean {
    const { bytesWritten } = this.connection;
    const hasSpoken = bytesWritten - this.#bytesWritten > SPOKEN_BYTES;
    if (hasSpoken || isDue) this.#bytesWritten = bytesWritten;
    return hasSpoken;
  }
}

function isHeard(message: StreamMessage): boolean {
  if (message.type === 'audio') return levelDb(decodeMulaw(message.payload)) > SPEECH_DB;
  return message.type === 'dtmf';
}
