import { ProviderError } from '../../base/provider-error.js';

export interface VendorFailureActions {
  /** Whether the caller can hear an apology now. */
  mayApologise(): boolean;
  failed(error: ProviderError): void;
  /** Says that the bot is sorry, and does what comes after. @returns whether the caller is with another person now */
  apologise(): Promise<boolean>;
  end(reason: 'provider_error' | undefined): void;
}

/** Apologises to the caller and ends the call when a vendor has failed for good. */
export class VendorFailure {
  #error: ProviderError | undefined;
  #hasApologised = false;

  constructor(private readonly actions: VendorFailureActions) {}

  /** Whether a vendor has failed for good. */
  get isKnown(): boolean {
    return this.#error !== undefined;
  }

  /** All errors but final ones of vendors have been reported already, and the conversation goes on. */
  take(error: Error): void {
    if (!(error instanceof ProviderError) || !error.isFinal || this.#error) return;
    this.#error = error;
    this.actions.failed(error);
    this.consider();
  }

  /** Apologises if there is something to apologise for, and the caller can hear it. Once. */
  consider(): void {
    if (!this.#error || this.#hasApologised || !this.actions.mayApologise()) return;
    this.#hasApologised = true;
    void this.#apologise();
  }

  async #apologise(): Promise<void> {
    const isElsewhere = await this.actions.apologise().catch(() => false);
    this.actions.end(isElsewhere ? undefined : 'provider_error');
  }
}
