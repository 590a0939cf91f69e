import type { RequestListener } from 'node:http';
import type { DtmfDigit } from '../../base/audio/dtmf.js';
import type { CallSetup, PhoneCall } from '../network/call.js';
import type { HangupCause } from '../network/hangup-causes.js';
import type { HttpMethod, WebhookTarget } from '../network/webhook-target.js';
import type { DialParty, SandboxDocument, StreamVerb } from './call-document.js';
import type { SandboxFaults } from './faults.js';
import type { Quirks } from './quirks.js';

export type WebhookParameters = Readonly<Record<string, string>>;

/** Why a call's next document is asked for. */
export type DocumentHop = 'answer' | 'redirect' | 'transfer' | 'action';

/** A request that a carrier signs. */
export interface RequestToSign {
  readonly method: HttpMethod;
  /** With the query, where it has one. */
  readonly url: string;
  /** Fields of a POST. */
  readonly form: ReadonlyArray<readonly [name: string, value: string]>;
  /** The same as it is sent; empty for GET. */
  readonly body: string;
}

/** How the `<Dial>` of a document went. */
export interface DialVerbOutcome {
  readonly cause: HangupCause;
  /** The dialled call that was answered. */
  readonly leg: PhoneCall | undefined;
  readonly hasRung: boolean;
}

/** The parameters of the webhooks about a call, in one carrier's words. Undefined: this carrier does not tell. */
export interface WebhookWords {
  document(call: PhoneCall, hop: DocumentHop): WebhookParameters;
  ringing(call: PhoneCall): WebhookParameters;
  /** The dialled phone has answered; told where {@link CallSetup.answered} says so. */
  answered(call: PhoneCall): WebhookParameters;
  over(call: PhoneCall): WebhookParameters;
  machine(call: PhoneCall, isMachine: boolean): WebhookParameters;
  /** Sent with the request to the `action` of a `<Dial>`, besides {@link document}. */
  dialEnded(call: PhoneCall, outcome: DialVerbOutcome): WebhookParameters;
  /** @param position of the number in the document, from 1 */
  leg(
    call: PhoneCall,
    leg: PhoneCall,
    party: DialParty & { readonly position: number },
    action: 'answer' | 'connected' | 'hangup',
  ): WebhookParameters | undefined;
  stream(
    call: PhoneCall,
    event: 'started' | 'stopped' | 'dropped',
    verb: StreamVerb,
    streamId: string,
  ): WebhookParameters | undefined;
}

/** What a bot may send on its media stream. */
export type StreamCommand =
  | { readonly do: 'play'; readonly payload: Buffer }
  | { readonly do: 'mark'; readonly name: string }
  | { readonly do: 'clear' }
  | { readonly do: 'press'; readonly digits: readonly DtmfDigit[] };

/** A message that cannot be used; `message` says what is wrong with it. */
export class IncorrectPayload extends Error {}

/** The messages of one media stream, in one carrier's words: JSON text both ways. */
export interface StreamWords {
  /** The carrier's identifier of the stream. */
  readonly id: string;
  /** What the stream begins with. */
  opening(): readonly string[];
  /** @param payload 20 ms in the stream's format @returns undefined while a message waits for its turn */
  audio(payload: Buffer): string | undefined;
  digit(digit: DtmfDigit): string;
  /** Reads one message of the bot more strictly than the real carrier. @throws IncorrectPayload */
  read(data: Buffer, isBinary: boolean): StreamCommand;
  marked(name: string): string;
  /** Undefined where the carrier does not confirm that it has dropped what it held. */
  cleared(): string | undefined;
  /** Undefined where the carrier tells the account's owner only. */
  problem(reason: 'incorrectPayload' | 'buffer_overflow', problem: string): string | undefined;
  /** What the carrier says before it closes the stream, where it says something. */
  stopped(): string | undefined;
}

export interface StreamSetup {
  readonly call: PhoneCall;
  readonly verb: StreamVerb;
  readonly quirks: Quirks;
  /** See {@link SandboxFaults}. */
  readonly hasTwoCallNames?: boolean;
  readonly otherCodec?: string | undefined;
}

/** Where the webhooks of an incoming call go. */
export type InboundTargets = Pick<CallSetup, 'answer' | 'fallback' | 'hangup'>;

export type OutgoingCall = Omit<CallSetup, 'direction' | 'answer'> & { readonly answer: WebhookTarget };

/** The calls of the account, for its REST API. */
export interface AccountCalls {
  /** Unfinished calls, oldest first. */
  readonly calls: Iterable<PhoneCall>;
  /** The last 1 000 calls that have ended, newest first. */
  readonly ended: readonly PhoneCall[];
  /** An unfinished call. */
  find(callId: string): PhoneCall | undefined;
  findEnded(callId: string): PhoneCall | undefined;
  /**
   * The application dials a number; the phone behind it acts by its last digits.
   * @throws VoicebotError VB_CARRIER_REQUEST_FAILED when too many calls are live
   */
  dialOut(request: OutgoingCall): PhoneCall;
}

/** The account of a carrier as a sandbox begins with it. */
export interface FaceOptions {
  /** Credentials of the REST API; the token also signs the webhooks, where no key does. */
  readonly authId: string;
  readonly authToken: string;
  /** PEM; signs the webhooks of a carrier that has a key pair for that. */
  readonly privateKey?: string | undefined;
  /** Where calls to the first number go; empty: nowhere until it is set by REST. */
  readonly answerUrl: string;
  readonly hangupUrl: string;
}

/** One carrier as the sandbox plays it: its words and its REST API, on top of calls that are the same for all. */
export interface CarrierFace {
  /** What stands before the account in the addresses of the REST API: `/v1`. */
  readonly apiPath: string;
  /** The application that the first number is attached to; undefined where numbers have their addresses themselves. */
  readonly applicationId?: string;
  /** Incoming calls are answered before their first document is asked for, which then cannot refuse them. */
  readonly answersFirst?: boolean;
  /** An identifier of the carrier's form for a new call. */
  newCallId(): string;
  /** @throws VoicebotError VB_XML_INVALID saying what is wrong and what to write instead */
  readDocument(source: string): SandboxDocument;
  readonly words: WebhookWords;
  /** The headers of a webhook that prove it is the carrier's. */
  signatureOf(request: RequestToSign): Record<string, string>;
  readonly stream: {
    /** What the carrier's client asks for in an upgrade. */
    readonly subprotocol?: string;
    /** Longest audio that waits to be played, in seconds of call time. */
    readonly maxQueuedS: number;
    /** The marks behind audio that is dropped come back at once. */
    readonly returnsMarks: boolean;
    /** The headers that the upgrade of a stream comes with, its signature among them. */
    upgradeHeaders(url: string): Record<string, string>;
    /** A stream of a call begins. */
    open(setup: StreamSetup): StreamWords;
  };
  /** Undefined when calls to this number (E.164) go nowhere. */
  targetsOf(number: string): InboundTargets | undefined;
  /** Serves the REST API, for an account with these calls. */
  restApi(calls: AccountCalls, faults: SandboxFaults): RequestListener;
}
