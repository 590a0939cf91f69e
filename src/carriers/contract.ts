import type { DtmfDigit } from '../audio/dtmf.js';
import type { CallDirection, EndReason } from '../call/call.js';

/** RFC 3551 names of the payload encodings a carrier stream may use. */
export type StreamEncoding = 'PCMU' | 'PCMA' | 'L16';

export interface StreamFormat {
  readonly encoding: StreamEncoding;
  /** Hertz. */
  readonly sampleRate: number;
}

/** One message of a carrier's media stream, in neutral words. */
export type StreamMessage =
  | {
      readonly type: 'start';
      readonly streamId: string;
      readonly callId: string;
      readonly format: StreamFormat;
      /** Custom data the carrier carried along; `{}` when there is none. */
      readonly customParameters: Readonly<Record<string, string>>;
    }
  /** The caller's audio, always whole samples. The bytes may be a view into a larger, unaligned buffer. */
  | { readonly type: 'audio'; readonly payload: Uint8Array }
  | { readonly type: 'dtmf'; readonly digit: DtmfDigit }
  /** Everything sent before the mark of this name has been played to the caller. */
  | { readonly type: 'mark'; readonly name: string }
  | { readonly type: 'cleared' }
  | { readonly type: 'stop' }
  /** A `start` whose audio this project cannot decode: refuse the stream, nothing that follows on it can be used. */
  | { readonly type: 'unsupported'; readonly streamId: string; readonly callId: string; readonly detail: string }
  /** The carrier reports that something we sent could not be used. The stream goes on. */
  | { readonly type: 'error'; readonly detail: string }
  /** An event this dialect does not know; tolerated. */
  | { readonly type: 'unknown'; readonly event: string }
  /** Not a message of this wire at all; counted and ignored, never a reason to end a call. */
  | { readonly type: 'malformed'; readonly detail: string };

/** Turns one stream's messages into values and back. Holds no socket and no timer; `decode` never throws. */
export interface StreamCodec {
  decode(text: string): StreamMessage;
  encodeAudio(payload: Uint8Array): string;
  /** "Tell me when everything sent so far has been played." */
  encodeMark(name: string): string;
  /** "Drop what you hold and have not played." */
  encodeClear(): string;
  /** Undefined where the carrier cannot send digits on the media stream. */
  encodeDtmf(digits: string): string | undefined;
}

export interface AnswerStream {
  /** `ws:` or `wss:` address; may have a query. */
  readonly url: string;
  /** Where the carrier goes for its next document when the stream has ended. */
  readonly continueUrl: string;
  readonly statusUrl?: string;
}

/** What a call's document tells the carrier to do, top to bottom. */
export type AnswerStep =
  | { readonly do: 'stream'; readonly stream: AnswerStream }
  | { readonly do: 'play'; readonly url: string }
  | { readonly do: 'speak'; readonly text: string }
  | { readonly do: 'hangup'; readonly reason?: 'busy' | 'rejected' };

export interface SignedRequest {
  readonly method: string;
  /** The full public address as the carrier was given it, with the query it was called with. */
  readonly url: string;
  /** Decoded form fields of a POST, in any order; a repeated field appears repeatedly. Empty for GET. */
  readonly form: ReadonlyArray<readonly [name: string, value: string]>;
  /** Header names in lower case, as Node gives them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export type WebhookEvent = 'answer' | 'ring' | 'hangup' | 'continue' | 'machine_detection' | 'other';

/** The parameters of a carrier's webhook, in neutral words. */
export interface CarrierWebhook {
  readonly event: WebhookEvent;
  /** Strictly checked: safe inside a URL path. Undefined when missing or not of the carrier's form. */
  readonly callId: string | undefined;
  readonly from: string;
  readonly to: string;
  readonly direction: CallDirection;
  /** Present on `hangup`. */
  readonly hangup?: {
    readonly reason: EndReason;
    /** The carrier's own words, for logs. */
    readonly cause: string;
    readonly source: string;
    readonly durationMs: number | undefined;
  };
  /** Present when the carrier says that it lost the media stream: its word for why. */
  readonly streamProblem?: string;
}

export interface CarrierCredentials {
  readonly authId: string;
  readonly authToken: string;
  /** Base address of the voice API, without the account part. */
  readonly apiUrl: string;
}

export interface CarrierRestClient {
  /**
   * Ends a call. Resolves `ended` when the carrier ended it now, `already_ended` when it knows no such live call.
   * @throws VoicebotError VB_IDENTIFIER_INVALID, VB_CREDENTIALS_REFUSED, VB_CARRIER_REQUEST_FAILED, VB_CARRIER_UNREACHABLE
   */
  hangUp(callId: string, signal?: AbortSignal): Promise<'ended' | 'already_ended'>;
  /** Points the application at our webhooks; fields left out keep their value. */
  updateApplication(
    applicationId: string,
    webhooks: { answerUrl: string; hangupUrl: string },
    signal?: AbortSignal,
  ): Promise<void>;
  close(): Promise<void>;
}

export interface CarrierCapabilities {
  /** The carrier says when it has dropped audio on our request. */
  readonly acknowledgesClear: boolean;
  /** Marks pending at a clear come back although their audio was not played. */
  readonly returnsMarksOnClear: boolean;
  readonly sendsDtmfOnStream: boolean;
  readonly maxMessageBytes: number;
}

/** One carrier's wire: everything the rest of the project needs to know about it. */
export interface Carrier {
  readonly name: string;
  /** Where the voice API lives unless the configuration says otherwise. */
  readonly defaultApiUrl: string;
  readonly capabilities: CarrierCapabilities;
  createCodec(streamId: string, format?: StreamFormat): StreamCodec;
  answerDocument(steps: readonly AnswerStep[]): string;
  verifyWebhook(request: SignedRequest, authToken: string): boolean;
  /** `request.url` is the stream address with its `ws:`/`wss:` scheme. */
  verifyUpgrade(request: Pick<SignedRequest, 'url' | 'headers'>, authToken: string): boolean;
  parseWebhook(parameters: ReadonlyMap<string, string>): CarrierWebhook;
  /** Whether `id` has this carrier's form for call identifiers, and so may enter a URL path. */
  isCallId(id: string): boolean;
  createRestClient(credentials: CarrierCredentials): Promise<CarrierRestClient>;
}
