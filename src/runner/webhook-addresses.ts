/** Every address the carrier is given, made from the one public base address. */
export class WebhookAddresses {
  readonly answerUrl: string;
  readonly resumeUrl: string;
  readonly hangupUrl: string;
  readonly statusUrl: string;
  /** The recorded line a caller hears when no bot could serve the call. */
  readonly apologyUrl: string;

  /** @param publicUrl `http:` or `https:`, without a trailing slash */
  constructor(readonly publicUrl: string) {
    this.answerUrl = `${publicUrl}/answer`;
    this.resumeUrl = `${publicUrl}/resume`;
    this.hangupUrl = `${publicUrl}/hangup`;
    this.statusUrl = `${publicUrl}/stream-status`;
    this.apologyUrl = `${publicUrl}/prompts/apology.wav`;
  }

  /** Where the media stream of one call connects; good for one connection. */
  streamUrl(callId: string, token: string): string {
    const url = new URL(`${this.publicUrl.replace(/^http/, 'ws')}/ws`);
    url.search = new URLSearchParams({ call_id: callId, token }).toString();
    return url.href;
  }

  /** The public address of a request, as the carrier was given it and signs it. */
  of(rawTarget: string): string {
    return `${this.publicUrl}${rawTarget}`;
  }
}
