export const TUNNEL_KINDS = ['localtunnel', 'ngrok', 'cloudflared'] as const;
export type TunnelKind = (typeof TUNNEL_KINDS)[number];

/** How a provider reaches this machine: through a tunnel of ours, or at an address that the user takes care of. */
export type PublicSideKind = TunnelKind | 'public-url';

export interface TunnelTarget {
  /** TCP port on this machine that the public name leads to. */
  readonly port: number;
  /** The former name, requested again from a tunnel provider that accepts wishes. */
  readonly previousUrl?: string | undefined;
}

/** One public name that leads to this machine, for as long as it lasts. */
export interface TunnelLink {
  /** An origin: `https:`, or `http:` on this machine. */
  readonly url: string;
  /** Connections it carries at once, media streams and requests together; undefined where no limit is known. */
  readonly maxConnections: number | undefined;
  /** Resolves with the reason, for people, when the link ends by itself. Never rejects. */
  readonly lost: Promise<string>;
  /** Releases everything; may be called twice, and after the link was lost. Never rejects. */
  close(): Promise<void>;
}

/** A program or service that gives out public names. */
export interface TunnelProvider {
  readonly kind: PublicSideKind;
  /** What it is good for, in a sentence for the terminal. */
  readonly note: string;
  /** How long it may take until requests come through a new link, in milliseconds. Default 8000. */
  readonly deadlineMs?: number;
  /**
   * Opens one link, once, without a check whether requests come through.
   * @param signal on abort the provider gives up and leaves nothing open; the caller ignores the rejection
   * @throws VoicebotError VB_TUNNEL_FAILED
   */
  open(target: TunnelTarget, signal: AbortSignal): Promise<TunnelLink>;
}
