import { EventEmitter } from 'node:events';
import type { WebhookAddresses } from './webhook-addresses.js';

/** Pause between two looks whether requests come through, in milliseconds. */
const LOOK_AGAIN_MS = 500;

export interface ReachEvents {
  lost: [];
  back: [hasMoved: boolean];
}

export interface ReachOptions {
  /** Default true. */
  isUp?: boolean;
  /** Sends a request of our own through the public address; rejects when it does not come back. Default: what was told counts. */
  probe?: ((publicUrl: string) => Promise<unknown>) | undefined;
}

/** Whether, and where, the provider reaches this runner: told by the code that looks after the tunnel. */
export class Reach extends EventEmitter<ReachEvents> {
  #isUp: boolean;
  #looking: Promise<boolean> | undefined;

  constructor(
    private readonly addresses: WebhookAddresses,
    private readonly options: ReachOptions = {},
  ) {
    super();
    this.setMaxListeners(0); // one per call that waits
    this.#isUp = options.isUp ?? true;
  }

  /** What was told last. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** The tunnel is gone. */
  lost(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.emit('lost');
  }

  /** The provider reaches us here, from now on and again. */
  back(publicUrl: string): void {
    const hasMoved = publicUrl !== this.addresses.publicUrl;
    this.addresses.moveTo(publicUrl);
    this.#isUp = true;
    this.emit('back', hasMoved);
  }

  /** Whether a request would come through now. A tunnel may be gone before anybody has told. */
  async isOpen(): Promise<boolean> {
    if (!this.#isUp) return false;
    const { publicUrl } = this.addresses;
    this.#looking ??= this.#look(publicUrl).finally(() => {
      this.#looking = undefined;
    });
    return (await this.#looking) && this.#isUp && publicUrl === this.addresses.publicUrl;
  }

  /** Resolves when requests come through. @throws the signal's reason */
  async opened(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      if (await this.isOpen()) break;
      await this.#news(signal);
    }
    signal.throwIfAborted();
  }

  #look(publicUrl: string): Promise<boolean> {
    const { probe } = this.options;
    if (!probe) return Promise.resolve(true);
    return probe(publicUrl).then(
      () => true,
      () => false,
    );
  }

  /** Resolves when the address is back, or when it is time to look by ourselves. */
  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.off('back', done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, LOOK_AGAIN_MS);
      this.on('back', done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }
}
