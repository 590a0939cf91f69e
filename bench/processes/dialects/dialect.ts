import type { CarrierCredentials } from '../../../src/providers/carrier.js';

/** A webhook as it is sent. */
export interface SentWebhook {
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** The media stream of one call. */
export interface StreamIds {
  readonly streamId: string;
  readonly callId: string;
}

/** What one carrier says to the runner in the calls of the bench, and how it reads the answers. */
export interface Dialect {
  readonly credentials: CarrierCredentials;
  newCallId(): string;
  newStreamId(): string;
  /** An inbound call asks for its document. */
  callComes(url: string, callId: string, status: 'ringing' | 'in-progress'): SentWebhook;
  callIsOver(url: string, callId: string): SentWebhook;
  /** The address of the stream in a document. */
  streamIn(document: string): string | undefined;
  upgradeHeaders(url: string): Record<string, string>;
  /** What the stream begins with. */
  opening(ids: StreamIds): object[];
  /** @param chunk counts from 1 @param payload 20 ms of mu-law, base64 */
  audio(ids: StreamIds, chunk: number, payload: string): string;
  key(ids: StreamIds, digit: string): object;
  /** Whether the bot wants dropped what it has said, and what is said to that beside the marks that come back. */
  isClear(text: string): boolean;
  cleared(ids: StreamIds): object | undefined;
  /** Marks that are behind dropped audio come back at once. */
  readonly returnsMarks: boolean;
  /** The name of the mark that the bot sets with this message. */
  markIn(text: string): string | undefined;
  marked(ids: StreamIds, name: string): object;
}

/** A document's address as it was meant. */
export const unescaped = (address: string | undefined) => address?.replaceAll('&amp;', '&');

/** A webhook whose parameters are a form. */
export const formOf = (parameters: Record<string, string>, signature: Record<string, string>): SentWebhook => ({
  body: new URLSearchParams(parameters).toString(),
  headers: { ...signature, 'content-type': 'application/x-www-form-urlencoded' },
});
