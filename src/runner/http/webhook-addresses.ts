/** The paths of these addresses, those of streams and prompts, which go on behind them, among them. */
export const PROVIDER_PATH =
  /^\/(answer|resume|hangup|stream-status|ring|machine|transfer|transfer-status|transfer-ended|rooms-dialin-webhook|prompts\/[\w.-]+|ws)(?=[/?]|$)/;

/** Every address the provider is given, made from the one public base address. */
export class WebhookAddresses {
  /** What was the base address before, the latest first: calls keep the addresses that they were given. */
  readonly #former: string[] = [];

  /**
   * @param publicUrl `http:` or `https:`, without a trailing slash
   * @param advertised where streams reach this runner and no other behind the public address: `ws:` or `wss:`. Default: there
   */
  constructor(
    public publicUrl: string,
    private readonly advertised?: string | undefined,
  ) {}

  get answerUrl(): string {
    return `${this.publicUrl}/answer`;
  }

  get resumeUrl(): string {
    return `${this.publicUrl}/resume`;
  }

  get hangupUrl(): string {
    return `${this.publicUrl}/hangup`;
  }

  get statusUrl(): string {
    return `${this.publicUrl}/stream-status`;
  }

  get ringUrl(): string {
    return `${this.publicUrl}/ring`;
  }

  get machineUrl(): string {
    return `${this.publicUrl}/machine`;
  }

  get transferUrl(): string {
    return `${this.publicUrl}/transfer`;
  }

  get transferStatusUrl(): string {
    return `${this.publicUrl}/transfer-status`;
  }

  get transferEndedUrl(): string {
    return `${this.publicUrl}/transfer-ended`;
  }

  /** Where the room provider tells of calls. */
  get dialinUrl(): string {
    return `${this.publicUrl}/rooms-dialin-webhook`;
  }

  /** The recorded line a caller hears when no bot could serve the call. */
  get apologyUrl(): string {
    return `${this.publicUrl}/prompts/apology.wav`;
  }

  /** Where media streams connect: `ws:` or `wss:`. */
  get streamUrl(): string {
    return `${this.advertised ?? this.publicUrl.replace(/^http/, 'ws')}/ws`;
  }

  /** From now on the provider reaches us here. What comes by an earlier address is understood all the same. */
  moveTo(publicUrl: string): void {
    if (publicUrl === this.publicUrl) return;
    const former = [this.publicUrl, ...this.#former].filter((url) => url !== publicUrl);
    this.#former.splice(0, this.#former.length, ...former.slice(0, MAX_FORMER));
    this.publicUrl = publicUrl;
  }

  /** What the public address of a request can be, which the carrier signs: it was given one of these. */
  of(rawTarget: string): readonly string[] {
    const advertised = this.advertised === undefined ? [] : [this.advertised.replace(/^ws/, 'http')];
    return [this.publicUrl, ...advertised, ...this.#former].map((base) => `${base}${rawTarget}`);
  }
}

/** Each costs a signature check for every forged request. */
const MAX_FORMER = 20;

/** An address with a query, which it had not before. */
export function withQuery(url: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? url : `${url}?${query}`;
}
