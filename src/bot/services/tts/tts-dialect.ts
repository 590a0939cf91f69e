import type { TimedWord } from '../../pipeline/frames/index.js';
import type { VendorAccount } from '../vendor.js';
import type { VendorSocketOptions } from '../vendor-socket.js';

/** How a vendor sends samples: mu-law (G.711), or 16-bit PCM with the low byte first. */
export interface SpeechFormat {
  readonly encoding: 'PCMU' | 'L16';
  /** Hertz. */
  readonly sampleRate: number;
}

/** What a vendor's message says. `stream` as it was given to {@link TtsCodec.say}; absent where a vendor has only one. */
export type TtsEvent =
  /** Audio bytes, cut anywhere. */
  | { readonly type: 'audio'; readonly stream?: string | undefined; readonly bytes: Uint8Array }
  /** Times of words, counted from the stream's first sample. */
  | { readonly type: 'words'; readonly stream?: string | undefined; readonly words: readonly TimedWord[] }
  /** All audio of that many more texts has been sent. */
  | { readonly type: 'said'; readonly stream?: string | undefined; readonly texts: number }
  /** All audio of the stream has been sent; it takes no more text. */
  | { readonly type: 'done'; readonly stream?: string | undefined }
  | {
      readonly type: 'error';
      readonly stream?: string | undefined;
      /** The vendor's own words. */
      readonly message: string;
      /** As of HTTP, where the vendor gives one. Asking again is of no use after what `ProviderError.isRefusal` tells. */
      readonly status?: number | undefined;
    };

/**
 * Speaks a vendor's language on one connection: turns orders into messages and messages into events. Opens no socket and
 * sets no timer. A stream is one stretch of speech of several texts; there is one at a time, and identifiers are never
 * used twice.
 */
export interface TtsCodec {
  /** What asks for a text, in a stream that begins with its first. @returns messages to send, in order */
  say(stream: string, text: string): string[];
  /** No more text follows in the stream. */
  end(stream: string): string[];
  /** What is left of the stream is not wanted; the voice drops events of it that still come. */
  cancel(stream: string): string[];
  /** Takes leave before the connection is closed. */
  bye(): string[];
  /** What a message says; what makes no sense says nothing. A throw costs the connection: it is replaced. */
  parse(data: Buffer, isBinary: boolean): readonly TtsEvent[];
}

/** A vendor that makes speech over a WebSocket. One object of this, in one file, is all a new vendor needs. */
export interface TtsDialect {
  readonly account: VendorAccount;
  readonly format: SpeechFormat;
  /** Path and query of the socket. */
  readonly path: string;
  /** Carries the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The vendor says when all audio of a text was sent and not when a stream is over. Default false. */
  readonly endsWithTexts?: boolean;
  /**
   * How long a stream in which everything was said takes more text, in milliseconds; later text begins a new stream.
   * Default: as long as the connection lasts.
   */
  readonly streamIdleMs?: number;
  /** Sent while nothing else is, so that the vendor keeps the connection. */
  readonly keepAlive?: { readonly everyMs: number; readonly message: string };
  /** Opens a connection, where that is not a WebSocket of ours. @internal */
  connect?(options: VendorSocketOptions): Promise<unknown>;
  /** For a connection that has just been opened. */
  codec(): TtsCodec;
}
