import type { StreamCodec } from '../../providers/carrier.js';
import type { BotCall } from '../bots/bot-call.js';
import { BotEntry, type BotEntryOptions } from './bot-entry.js';
import type { WaitingStream } from './waiting-stream.js';

/** How long a bot may take to begin to read before another one is tried beside it, in milliseconds. */
const BESIDE_MS = 3_000;
/** From then on a caller without a bot hears a tone, in milliseconds. */
const TONE_MS = 4_000;
/** Longest a caller waits for a bot, in milliseconds: the carrier has another second to fetch the recorded line. */
const WAIT_LIMIT_MS = 9_000;

export interface StreamEntryOptions extends Omit<BotEntryOptions, 'besideMs' | 'limitMs'> {
  stream: WaitingStream;
  codec: Pick<StreamCodec, 'encodeAudio'>;
  /** How long the caller has waited already, on earlier streams, in milliseconds. */
  waitedMs: number;
}

/** The way from a media stream to a bot: a bot is there when it begins to listen, and then gets the stream. */
export class StreamEntry extends BotEntry {
  readonly stream: WaitingStream;

  /** @param waiting the call's bot that waits for its caller to come back, which is tried first */
  constructor({ stream, codec, waitedMs, ...options }: StreamEntryOptions, waiting?: BotCall) {
    super({ ...options, besideMs: BESIDE_MS, limitMs: WAIT_LIMIT_MS - waitedMs }, waiting);
    this.stream = stream;
    this.after(TONE_MS - waitedMs, () => stream.playTone(codec));
  }
}
