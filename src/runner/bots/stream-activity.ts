import type { Socket } from 'node:net';
import { payloadCoding } from '../../base/audio/payload.js';
import { isSpeech, type SilenceWatch } from '../../call/silence-watch.js';
import type { Carrier, StreamCodec, StreamFormat, StreamMessage } from '../../providers/carrier.js';

/** One message of the caller's audio in this many is listened to: two in a second. */
const LISTEN_EVERY = 25;
/** A message this little longer or shorter than the last audio is audio too: counters and times grow. In bytes. */
const LIKE_AUDIO_BYTES = 32;
/** More bytes than this from one due look to the next are audio of the bot, not marks and commands. */
const SPOKEN_BYTES = 1_000;

/** Tells a silence watch when either side of a stream says something, or a key is pressed. */
export class StreamActivity {
  #messages = 0;
  /** Of the last message of audio that was listened to, in bytes. */
  #audioLength = 0;
  #bytesWritten = 0;
  #format: StreamFormat;

  /** @param connection counts what the bot sends */
  constructor(
    private readonly carrier: Pick<Carrier, 'createCodec' | 'capabilities'>,
    private readonly connection: Pick<Socket, 'bytesWritten'>,
    private readonly watch: Pick<SilenceWatch, 'activity'>,
  ) {
    this.#format = carrier.capabilities.audio.telephone;
  }

  /** A message of the carrier. */
  hear(bytes: Buffer): void {
    this.#messages += 1;
    const isDue = this.#messages % LISTEN_EVERY === 0;
    if (!isDue && Math.abs(bytes.length - this.#audioLength) <= LIKE_AUDIO_BYTES) return;
    // Of its own: a codec that puts frames in order would wait for those that are passed over.
    const message = this.#createCodec().decode(bytes);
    if (message.type === 'start') this.#format = message.format;
    if (message.type === 'audio' || message.type === 'held') this.#audioLength = bytes.length;
    if (this.#hasBotSpoken(isDue) || this.#isHeard(message)) this.watch.activity();
  }

  #createCodec(): StreamCodec {
    return this.carrier.createCodec('', this.#format);
  }

  #isHeard(message: StreamMessage): boolean {
    if (message.type === 'dtmf') return true;
    const coding = payloadCoding(this.#format.encoding);
    return message.type === 'audio' && coding !== undefined && isSpeech(coding.decode(message.payload));
  }

  /** Messages may come so densely that little is written from one to the next: only a due look counts afresh. */
  #hasBotSpoken(isDue: boolean): boolean {
    const { bytesWritten } = this.connection;
    const hasSpoken = bytesWritten - this.#bytesWritten > SPOKEN_BYTES;
    if (hasSpoken || isDue) this.#bytesWritten = bytesWritten;
    return hasSpoken;
  }
}
