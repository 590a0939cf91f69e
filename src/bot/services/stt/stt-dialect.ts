import type { EndOfTurnFrame } from '../../pipeline/frames/index.js';
import type { VendorAccount } from '../vendor.js';
import type { VendorSocketOptions } from '../vendor-socket.js';

/** How the caller's audio travels to a vendor: mono, PCMU (G.711 mu-law) or L16 (signed 16 bits, little-endian). */
export interface AudioFormat {
  readonly encoding: 'PCMU' | 'L16';
  /** Hertz. */
  readonly sampleRate: number;
}

/** What one message of a vendor says. */
export type SttResult =
  | {
      /** What the caller seems to be saying since the last final words; empty when it seems to have been nothing. */
      readonly type: 'interim';
      readonly text: string;
    }
  | {
      /** Words that will not change any more; empty when the audio held none. */
      readonly type: 'final';
      readonly text: string;
      /** The vendor has heard the caller stop. */
      readonly endsUtterance: boolean;
      /**
       * Up to where the audio of this connection is done with, in milliseconds since its first sample: it is not sent
       * again when the connection breaks. Undefined where the vendor does not say; then it is all that was sent.
       */
      readonly untilMs?: number | undefined;
    }
  | {
      /** What a vendor that finds the ends of turns says of this one: beside the words, in a list. */
      readonly type: 'end_of_turn';
      readonly is: EndOfTurnFrame['is'];
    }
  | {
      /** The vendor has failed and the connection is of no more use. */
      readonly type: 'error';
      /** Its own words. */
      readonly words: string;
    }
  /** Says nothing of interest, except that the vendor is there. */
  | { readonly type: 'other' };

/**
 * How one vendor of speech to text is spoken to over a WebSocket. It holds no state of a connection, opens nothing and
 * starts no timers: `SttService` does all that, the same for every vendor.
 */
export interface SttDialect {
  readonly account: VendorAccount;

  /** Which of the vendor's models listens. */
  readonly model?: string | undefined;

  /** The format the audio is sent in, given the rate of the pipeline: 8000, 16000, 24000 or 48000 Hz. */
  format(sampleRate: number): AudioFormat;

  /** Where to connect. The path stands behind the account's base address; the key belongs into a header, not into it. */
  request(format: AudioFormat): { readonly path: string; readonly headers: Readonly<Record<string, string>> };

  /** Opens a connection for such audio, where that is not a WebSocket of ours. @internal */
  connect?(format: AudioFormat, options: VendorSocketOptions): Promise<unknown>;

  /** The message that carries some audio; never empty. Default: the bytes themselves, as a binary message. */
  encode?(audio: Uint8Array): string | Uint8Array;

  /** Sent when nothing else was for so long, where a vendor wants to hear something; without `message`, a ping of WebSocket's. */
  readonly keepAlive?: { readonly message?: string; readonly afterMs: number };

  /** Longest audio that may wait for words that will not change, in milliseconds: older is not sent again. Default 10000. */
  readonly backlogMs?: number;

  /** Sent before the connection is closed in good order. */
  readonly farewell?: string;

  /**
   * A vendor that was sent this much audio and in all that time said nothing at all is taken for dead. Undefined where
   * silence may be a vendor's answer to silence.
   */
  readonly answersWithinMs?: number | undefined;

  /** What a message says, in the order in which it is told. A throw counts as an `error`: the connection is replaced. */
  parse(message: string): SttResult | readonly SttResult[];
}
