/** Every address the provider is given, made from the one public base address. */
export class WebhookAddresses {
  readonly answerUrl: string;
  readonly resumeUrl: string;
  readonly hangupUrl: string;
  readonly statusUrl: string;
  readonly ringUrl: string;
  readonly machineUrl: string;
  readonly transferUrl: string;
  readonly transferStatusUrl: string;
  readonly transferEndedUrl: string;
  /** Where the room provider tells of calls. */
  readonly dialinUrl: string;
  /** The recorded line a caller hears when no bot could serve the call. */
  readonly apologyUrl: string;

  /** @param publicUrl `http:` or `https:`, without a trailing slash */
  constructor(readonly publicUrl: string) {
    this.answerUrl = `${publicUrl}/answer`;
    this.resumeUrl = `${publicUrl}/resume`;
    this.hangupUrl = `${publicUrl}/hangup`;
    this.statusUrl = `${publicUrl}/stream-status`;
    this.ringUrl = `${publicUrl}/ring`;
    this.machineUrl = `${publicUrl}/machine`;
    this.transferUrl = `${publicUrl}/transfer`;
    this.transferStatusUrl = `${publicUrl}/transfer-status`;
    this.transferEndedUrl = `${publicUrl}/transfer-ended`;
    this.dialinUrl = `${publicUrl}/rooms-dialin-webhook`;
    this.apologyUrl = `${publicUrl}/prompts/apology.wav`;
  }

  /** Where media streams connect: `ws:` or `wss:`. */
  get streamUrl(): string {
    return `${this.publicUrl.replace(/^http/, 'ws')}/ws`;
  }

  /** The public address of a request, as the carrier was given it and signs it. */
  of(rawTarget: string): string {
    return `${this.publicUrl}${rawTarget}`;
  }
}

/** An address with a query, which it had not before. */
export function withQuery(url: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? url : `${url}?${query}`;
}
