import type { DialoutAnsweredData } from '../../call/transfer-outcome.js';
import type { DialoutData } from '../../rooms/room-connection.js';
import { RequestLostError } from '../../rooms/room-refusal.js';

/** Whom a bot has called out of its room: a provider need not say who has answered. */
export class DialledTargets {
  readonly #byLeg = new Map<string, string>();
  #latest = '';
  /** Who may be being called, though nobody knows. */
  readonly #uncertain = new Map<string, RequestLostError>();

  /**
   * Calls nobody a second time whose first call may have gone out.
   * @param to E.164, or a `sip:` address. @throws as `dial` does
   */
  async dial<Dialled extends { readonly sessionId: string }>(
    to: string,
    dial: () => Promise<Dialled>,
  ): Promise<Dialled> {
    const earlier = this.#uncertain.get(to);
    if (earlier) throw earlier;
    this.#latest = to;
    try {
      const dialled = await dial();
      this.#byLeg.set(dialled.sessionId, to);
      return dialled;
    } catch (error) {
      if (error instanceof RequestLostError) this.#uncertain.set(to, error);
      throw error;
    }
  }

  /** @param data of the provider, which may come before it has named the leg */
  answered({ sessionId, destination }: DialoutData): DialoutAnsweredData {
    return { toEndPoint: destination ?? this.#byLeg.get(sessionId) ?? this.#latest, sessionId };
  }
}
