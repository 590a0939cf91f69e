import type { SandboxStreamFormat } from '../network/stream-audio.js';
import type { HttpMethod, WebhookTarget } from '../network/webhook-target.js';

export interface StreamVerb {
  readonly verb: 'stream';
  readonly url: string;
  readonly bidirectional: boolean;
  /** The verb after it waits for the end of the stream. */
  readonly keepCallAlive: boolean;
  /** Another document for the call closes the stream at once. Otherwise that document waits for the end of the stream. */
  readonly endsOnTransfer: boolean;
  readonly format: SandboxStreamFormat;
  readonly statusCallback?: WebhookTarget | undefined;
  readonly timeoutMs: number;
  /** All attributes as written. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Custom data of the document for the bot that serves the stream. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** A number that a document dials. */
export interface DialParty {
  readonly number: string;
  /** Gets webhooks about it. */
  readonly callback?: WebhookTarget | undefined;
  /** Which of them, in the carrier's words, where the document chooses. */
  readonly events?: readonly string[];
}

export interface DialVerb {
  readonly verb: 'dial';
  /** Rung at the same time; the first that answers gets the caller. */
  readonly parties: readonly DialParty[];
  /** The caller's own number when the document names none. */
  readonly callerId?: string;
  readonly ringTimeoutMs: number;
  readonly timeLimitMs: number;
  /** Gets a request for the next document afterwards; its answer is ignored when `isRedirecting` is false. */
  readonly action?: WebhookTarget | undefined;
  readonly isRedirecting: boolean;
}

/** What a document has a carrier do, whatever its elements are called there. */
export type Verb =
  | StreamVerb
  | DialVerb
  | { readonly verb: 'redirect'; readonly url: string; readonly method: HttpMethod }
  | { readonly verb: 'hangup'; readonly reason?: 'busy' | 'rejected'; readonly afterMs: number }
  | { readonly verb: 'speak'; readonly text: string; readonly language: string }
  | { readonly verb: 'play'; readonly url: string }
  | { readonly verb: 'wait'; readonly ms: number }
  /** A verb of the carrier that the sandbox does not act out. */
  | { readonly verb: 'unsupported'; readonly name: string };

export interface SandboxDocument {
  readonly verbs: readonly Verb[];
  /** Mistakes that the carrier tolerates. */
  readonly warnings: readonly string[];
}
