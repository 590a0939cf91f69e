import { EventEmitter } from 'node:events';
import type { ProviderError } from '../../base/provider-error.js';

interface LinkSocketEvents {
  open: [];
  message: [data: Buffer, isBinary: boolean];
  close: [code: number, reason: Buffer];
}

/** What a `VendorLink` needs of a connection. A WebSocket has it. */
export interface LinkSocket {
  /** What was sent and waits in this process, in bytes. */
  readonly bufferedAmount: number;
  /** Why it was closed, where that is known better than a close code can say. */
  readonly failure?: ProviderError | undefined;
  on<Name extends keyof LinkSocketEvents>(name: Name, listener: (...args: LinkSocketEvents[Name]) => void): unknown;
  once<Name extends keyof LinkSocketEvents>(name: Name, listener: (...args: LinkSocketEvents[Name]) => void): unknown;
  send(message: string | Uint8Array): void;
  /** Asks the far end for a sign of life. */
  ping(): void;
  /** In good order. */
  close(code?: number): void;
  /** At once. */
  terminate(): void;
}

/** The close code of a connection that failed at the vendor's. */
const FAILED = 1_011;

/** A connection that the package of a vendor holds, in the shape of a WebSocket. */
export abstract class PackageSocket extends EventEmitter<LinkSocketEvents> implements LinkSocket {
  failure: ProviderError | undefined;
  #isClosed = false;

  abstract get bufferedAmount(): number;

  abstract send(message: string | Uint8Array): void;

  /** The package keeps its connection by itself. */
  ping(): void {}

  /** Lets go of what the package holds. */
  protected abstract release(): void;

  protected get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#end(1_000);
  }

  terminate(): void {
    this.#end(1_006);
  }

  protected fail(error: ProviderError): void {
    this.failure ??= error;
    this.#end(FAILED);
  }

  #end(code: number): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.release();
    this.emit('close', code, Buffer.alloc(0));
  }
}
