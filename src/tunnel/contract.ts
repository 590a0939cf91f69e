export const TUNNEL_KINDS = ['localtunnel', 'ngrok', 'cloudflared'] as const;
export type TunnelKind = (typeof TUNNEL_KINDS)[number];

/** What leads to this machine: a tunnel, or an address that somebody else takes care of. */
export type PublicSideKind = TunnelKind | 'public-url';

export interface TunnelTarget {
  /** TCP port on this machine that the public name leads to. */
  readonly port: number;
  /** The name before, which is asked for again where the provider gives out names by wish. */
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
  /** Lets go of everything; safe to call twice and after it was lost. Never rejects. */
  close(): Promise<void>;
}

/** Somebody who gives out public names. */
export interface TunnelProvider {
  readonly kind: PublicSideKind;
  /** What it is good for, in a sentence for the terminal. */
  readonly note: string;
  /** How long it may take until requests come through a new link, in milliseconds. Default 8000. */
  readonly deadlineMs?: number;
  /**
   * Opens one link, once, without looking whether requests come through.
   * @param signal gives up and leaves nothing open; the rejection is then of no interest
   * @throws VoicebotError VB_TUNNEL_FAILED
   */
  open(target: TunnelTarget, signal: AbortSignal): Promise<TunnelLink>;
}
