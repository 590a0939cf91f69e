import type { DtmfDigit } from '../base/audio/dtmf.js';
import type { RestOptions } from '../base/http/rest-client.js';
import type { CallDirection, EndReason } from '../call/call.js';
import type { ProviderCallId } from '../call/call-id.js';
import type { NumberRouting } from '../call/number-routing.js';
import type { AccountNames, CarrierRegions, CarrierVariables } from './account-names.js';

/**
 * RFC 3551 names of the payload encodings a carrier stream may use. `L16` is little-endian on our side of a {@link StreamCodec}: a
 * dialect whose wire has the network's byte order swaps it.
 */
export type StreamEncoding = 'PCMU' | 'PCMA' | 'L16';

/** What the audio of a stream is. */
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
      readonly providerCallId: ProviderCallId;
      readonly format: StreamFormat;
    }
  /** The caller's audio, always whole samples. The bytes may be a view into a larger, unaligned buffer. */
  | { readonly type: 'audio'; readonly payload: Uint8Array }
  /** The caller's audio that came before its turn: a later message brings it, behind what belongs before it. */
  | { readonly type: 'held' }
  | { readonly type: 'dtmf'; readonly digit: DtmfDigit }
  /** Everything sent before the mark of this name has been played to the caller. */
  | { readonly type: 'mark'; readonly name: string }
  | { readonly type: 'cleared' }
  | { readonly type: 'stop' }
  /** A `start` whose audio this project cannot decode: refuse the stream, nothing that follows on it can be used. */
  | {
      readonly type: 'unsupported';
      readonly streamId: string;
      readonly providerCallId: ProviderCallId;
      readonly detail: string;
    }
  /** The carrier reports that something we sent could not be used. The stream goes on. */
  | { readonly type: 'error'; readonly detail: string }
  /** An event this dialect does not know; tolerated. */
  | { readonly type: 'unknown'; readonly event: string }
  /** Not a message of this wire at all; counted and ignored, never a reason to end a call. */
  | { readonly type: 'malformed'; readonly detail: string };

/** Turns one stream's messages into values and back. Holds no socket and no timer; `decode` never throws. */
export interface StreamCodec {
  /** What a message says. @param message the text, or its UTF-8 bytes: from these, audio costs the least */
  decode(message: string | Buffer): StreamMessage;
  /** "Play this." @param payload in the format of the stream */
  encodeAudio(payload: Uint8Array): string;
  /** "Tell me when everything sent so far has been played." */
  encodeMark(name: string): string;
  /** "Drop what you hold and have not played." */
  encodeClear(): string;
  /** Undefined where the carrier cannot send digits on the media stream. */
  encodeDtmf(digits: string): string | undefined;
}

/** How a caller is kept on the line for a while: silence, a sentence or none, and silence again. */
export interface AnswerHold {
  /** Silence before the sentence, in whole seconds. */
  readonly quietS: number;
  readonly text?: string;
  /** Silence after the sentence, in whole seconds. */
  readonly waitS: number;
}

/** A media stream that a document asks for. */
export interface AnswerStream {
  /** `ws:` or `wss:` address; has a query only where the carrier's streams can have one. */
  readonly url: string;
  /** What the stream is to carry, both ways: one of the carrier's {@link CarrierCapabilities.audio}. Default: telephone audio. */
  readonly format?: StreamFormat;
  /**
   * Custom data for the bot that serves the stream; the dialect puts it where its streams carry such data, and leaves out
   * what they cannot carry.
   */
  readonly parameters: Readonly<Record<string, string>>;
  /** Where the carrier goes for its next document when the stream has ended. */
  readonly continueUrl: string;
  /** What the caller gets before that: time for us to come with another document first. */
  readonly hold?: AnswerHold;
  readonly statusUrl?: string;
}

/** A call to a third party, to whom the caller is connected when it answers. */
export interface AnswerDial {
  /** E.164. */
  readonly to: string;
  /** What the third party sees as the number that calls, E.164. */
  readonly callerId: string;
  /** How long it may ring, in whole seconds. */
  readonly ringTimeoutS: number;
  /** How long the two may talk, in whole seconds. */
  readonly timeLimitS: number;
  /** Where the carrier goes for its next document when the dialled call is over or came to nothing. */
  readonly outcomeUrl: string;
  /** Told when the third party answers, is connected and leaves. */
  readonly statusUrl: string;
}

/** What a call's document tells the carrier to do, top to bottom. */
export type AnswerStep =
  | { readonly do: 'stream'; readonly stream: AnswerStream }
  | { readonly do: 'dial'; readonly dial: AnswerDial }
  | { readonly do: 'play'; readonly url: string }
  | { readonly do: 'speak'; readonly text: string }
  | { readonly do: 'hangup'; readonly reason?: 'busy' | 'rejected' };

/** A request of the carrier, as its signature is checked. */
export interface SignedRequest {
  readonly method: string;
  /** The full public address as the carrier was given it, with the query it was called with. */
  readonly url: string;
  /** Decoded form fields of a POST, in any order; a repeated field appears repeatedly. Empty when it brought no form. */
  readonly form: ReadonlyArray<readonly [name: string, value: string]>;
  /** As it came, byte for byte; empty for GET. */
  readonly body: Uint8Array;
  /** Header names in lower case, as Node gives them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What a carrier's requests to us are checked with. */
export interface WebhookCredentials {
  readonly authToken: string;
  /** The carrier's own key, in its own notation, where it signs with a key pair instead of the token. */
  readonly publicKey?: string | undefined;
  /** The variables that the account stands in, for hints. Default: ours. */
  readonly names?: AccountNames | undefined;
}

/** What a webhook says, once it is verified. */
export interface WebhookContent {
  /**
   * The query of the address, then the fields of a form, which win. A dialect whose signature does not cover the address
   * must read {@link body} alone.
   */
  readonly parameters: ReadonlyMap<string, string>;
  /** As it came, byte for byte; empty for GET. */
  readonly body: Uint8Array;
  /** Media type of the body in lower case, without parameters: `application/json`. Empty when none was named. */
  readonly contentType: string;
}

/** What a webhook is about. */
export type WebhookEvent = 'answer' | 'ring' | 'hangup' | 'continue' | 'machine_detection' | 'dial' | 'other';

/** What the carrier reports of a third party that a document has dialled. */
export type DialNews =
  | { readonly phase: 'answered'; readonly legId: string | undefined; readonly to: string }
  | {
      readonly phase: 'ended';
      /** `completed`: it was connected and is over. */
      readonly outcome: 'completed' | 'busy' | 'no_answer' | 'rejected' | 'failed' | 'caller_left';
      readonly legId: string | undefined;
      /** The carrier's own words, for logs. */
      readonly cause: string;
    }
  | { readonly phase: 'other' };

/** What came of dialling a third party. */
export type DialOutcome = Extract<DialNews, { phase: 'ended' }>['outcome'];

/** A carrier's webhook, in neutral words. */
export interface CarrierWebhook {
  readonly event: WebhookEvent;
  /** Strictly checked: safe inside a URL path. Undefined when missing or not of the carrier's form. */
  readonly providerCallId: ProviderCallId | undefined;
  /** What the carrier called this call when we dialled it, where it has another identifier for that; checked likewise. */
  readonly requestId?: ProviderCallId;
  /** E.164, or a `sip:` address; undefined where the caller's number is withheld or not known. */
  readonly from: string | undefined;
  readonly to: string;
  /** `inbound` where the carrier does not say; the runner knows the calls it dialled by their addresses. */
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
  /** Present on `dial`. */
  readonly dial?: DialNews;
  /** Present on `machine_detection` where the carrier could tell: whether a machine answered. */
  readonly isMachine?: boolean;
}

export interface CarrierCredentials extends WebhookCredentials {
  /** What the carrier calls the account. Where its key alone says that: something that stands for the key and does not give it away. */
  readonly authId: string;
  /** Signs in to the REST API in place of {@link authId} and the token, where the carrier has such keys and one is set. */
  readonly apiKey?: { readonly id: string; readonly secret: string } | undefined;
  /** Base address of the voice API, without the account part. */
  readonly apiUrl: string;
}

/** `report` tells our machine address and lets the call go on, `hangup` makes the carrier end it. */
export type MachineDetection = 'off' | 'report' | 'hangup';

/** A call that is to be dialled. */
export interface PlaceCallRequest {
  /** E.164. */
  readonly to: string;
  /** A number of the account, E.164. */
  readonly from: string;
  readonly answerUrl: string;
  /** Told that it rings. Told of the end too, for carriers that have one address for both. */
  readonly ringUrl: string;
  readonly hangupUrl: string;
  /** Told what answered, unless `machineDetection` is `off`. */
  readonly machineUrl: string;
  readonly machineDetection: MachineDetection;
  /** How long it may ring, in whole seconds. */
  readonly ringTimeoutS: number;
  /** How long it may last from the answer on, in whole seconds; the carrier keeps it even when we are gone. */
  readonly timeLimitS: number;
}

/** The REST API of one account, as far as calls go. */
export interface CarrierRestClient {
  /**
   * Dials a number. The request is sent once; only an answer that says the carrier has not taken it (429) is waited out
   * and repeated, for a bounded time.
   * @returns the carrier's identifier for the call where it gives one
   * @throws VoicebotError VB_CALL_UNCERTAIN when the carrier may have taken it and only {@link findCalls} can tell,
   *   VB_CREDENTIALS_REFUSED, VB_CARRIER_REQUEST_FAILED (a `ProviderRequestError`), VB_CARRIER_UNREACHABLE when it cannot have
   */
  placeCall(
    request: PlaceCallRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly providerCallId: ProviderCallId | undefined }>;
  /**
   * The account's unfinished outbound calls between two numbers, queued or live.
   * @throws VoicebotError VB_CREDENTIALS_REFUSED, VB_CARRIER_REQUEST_FAILED, VB_CARRIER_UNREACHABLE
   */
  findCalls(numbers: { from: string; to: string }, signal?: AbortSignal): Promise<readonly ProviderCallId[]>;
  /**
   * Gives a live call another document, which takes effect when its stream ends: transfer first, then close the stream.
   * @returns `no_such_call` when the call is over
   * @throws VoicebotError VB_IDENTIFIER_INVALID, VB_CREDENTIALS_REFUSED, VB_CARRIER_REQUEST_FAILED, VB_CARRIER_UNREACHABLE
   */
  transfer(
    providerCallId: ProviderCallId,
    documentUrl: string,
    signal?: AbortSignal,
  ): Promise<'transferring' | 'no_such_call'>;
  /**
   * Ends a call. Resolves `ended` when the carrier ended it now, `already_ended` when it knows no such live call.
   * @throws VoicebotError VB_IDENTIFIER_INVALID, VB_CREDENTIALS_REFUSED, VB_CARRIER_REQUEST_FAILED, VB_CARRIER_UNREACHABLE
   */
  hangUp(providerCallId: ProviderCallId, signal?: AbortSignal): Promise<'ended' | 'already_ended'>;
  /** Closes its connections. */
  close(): Promise<void>;
}

/** What a carrier's wire can do, where they differ: calls beside a call, hold and bridges need its streams and outgoing calls alone. */
export interface CarrierCapabilities {
  /** The address of a stream may have a query. Where it may not, the pass of a call stands in the path. */
  readonly allowsStreamQuery: boolean;
  /** A live call can be given another document. */
  readonly transfersCalls: boolean;
  /** What its streams carry, and what they carry where `audio: 'wideband'` is set and they can carry more. */
  readonly audio: { readonly telephone: StreamFormat; readonly wideband?: StreamFormat };
  /** Keys are pressed by a message on the stream ({@link StreamCodec.encodeDtmf}). Where not, tones are played into the audio. */
  readonly pressesKeys: boolean;
  /** It signs the upgrades of its streams as it signs webhooks. Where not, only the pass in the address lets a stream in. */
  readonly signsStreams: boolean;
  /** It says when it has dropped audio that it held. Where not, the marks that were behind that audio come back at once. */
  readonly confirmsClear: boolean;
}

/** A webhook that starts nothing, as a provider would send it. */
export interface TrialWebhook {
  /** With the content type and the signature. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** One carrier's wire: everything the rest of the project needs to know about it. */
export interface Carrier {
  readonly name: string;
  /** Where the voice API lives unless the configuration says otherwise. */
  readonly defaultApiUrl: string;
  readonly capabilities: CarrierCapabilities;
  readonly variables: CarrierVariables;
  readonly regions?: CarrierRegions;
  /** Whether these clearly open an account of this carrier: their form is that of no other's. Missing where no form tells. */
  looksLikeOurs?(account: { authId?: string | undefined; authToken?: string | undefined }): boolean;
  /** What is wrong with an identifier of an account, and the cure; undefined where nothing shows. @param name the variable that it stands in */
  authIdProblem?(authId: string, name: string): { readonly problem: string; readonly hint: string } | undefined;
  /** The header with the signature of a webhook, in lower case: who sends it looks like this carrier. */
  readonly signatureHeader: string;
  /** The parameter of a webhook that names its call. */
  readonly callIdParameter: string;
  /** For the messages of one stream. @throws VoicebotError VB_AUDIO_INVALID for a format that streams do not carry */
  createCodec(streamId: string, format?: StreamFormat): StreamCodec;
  /** The document that has the carrier do these steps. @throws VoicebotError VB_XML_INVALID for what no document can have */
  answerDocument(steps: readonly AnswerStep[]): string;
  /** Whether a webhook is the carrier's. Never throws. */
  verifyWebhook(request: SignedRequest, credentials: WebhookCredentials): boolean;
  /**
   * What the carrier gives a request once and signs with it. Missing where its requests have no such thing; undefined for
   * a request without one.
   */
  webhookNonce?(headers: SignedRequest['headers']): string | undefined;
  /**
   * A POST of a webhook about no call, signed as the carrier would, to see whether what it signs is taken for genuine at
   * `url`. Missing where only the carrier has the key.
   */
  trialWebhook?(url: string, credentials: WebhookCredentials): TrialWebhook;
  /**
   * Called after the pass in the address, which is good once and for one call, has been checked: true where the carrier
   * does not sign upgrades. `request.url` is the stream address with its `ws:`/`wss:` scheme.
   */
  verifyUpgrade(request: Pick<SignedRequest, 'url' | 'headers'>, credentials: WebhookCredentials): boolean;
  /** Never throws: what it cannot read has no `providerCallId`. */
  parseWebhook(content: WebhookContent): CarrierWebhook;
  /** Whether a query parameter of this name is one the carrier adds itself, and not one of the address it was given. */
  isWebhookParameter(name: string): boolean;
  /** Whether `id` has this carrier's form for call identifiers, and so may enter a URL path. */
  isCallId(id: string): id is ProviderCallId;
  /** @throws VoicebotError VB_CREDENTIALS_MISSING, VB_IDENTIFIER_INVALID */
  createRestClient(
    credentials: CarrierCredentials,
    options?: Pick<RestOptions, 'onSent' | 'signIn'>,
  ): Promise<CarrierRestClient>;
  /** @throws VoicebotError VB_CREDENTIALS_MISSING, VB_IDENTIFIER_INVALID */
  createNumberRouting(credentials: CarrierCredentials): Promise<NumberRouting>;
}
