import type { ClientRequestArgs } from 'node:http';
import { type ClientOptions, WebSocket } from 'ws';
import type { ProviderError } from '../../base/provider-error.js';
import type { AiModel } from './model-kind.js';
import { withWebSocket } from './model-vendor.js';
import type { VendorAccount } from './vendor.js';
import { connectionFailure, refusalOf, SOCKET_OPTIONS } from './vendor-socket.js';

/** What became of the connections that a package of a vendor opened. */
export interface OpenedSockets<Model> {
  /** The model, to be asked in place of the one that was given. */
  readonly model: Model;
  /** What the vendor answered when it refused to connect: packages say only that there was an error. */
  refusal: ProviderError | undefined;
}

/**
 * Has a model connect by WebSockets of ours, which send headers and know why they were refused, on every version of Node.
 * @param limitMs longest wait for the vendor to accept a connection
 */
export function withOurSockets<Model extends AiModel>(
  model: Model,
  account: VendorAccount,
  limitMs?: number,
): OpenedSockets<Model> {
  class AiWebSocket extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[], given?: ClientOptions | ClientRequestArgs) {
      super(ownAddress(address, account), protocols, {
        ...given,
        ...SOCKET_OPTIONS,
        ...(limitMs && { handshakeTimeout: limitMs }),
      });
      this.once('unexpected-response', (_request, response) => {
        void refusalOf(account, response).then((refusal) => {
          opened.refusal = refusal;
          this.terminate();
        });
      });
      this.on('error', ({ message }) => {
        opened.refusal ??= connectionFailure(account, message);
      });
    }
  }
  const opened: OpenedSockets<Model> = { model: withWebSocket(model, AiWebSocket), refusal: undefined };
  // a model that was wrapped hides where it could be given one
  globalThis.WebSocket ??= WebSocket as never;
  return opened;
}

/** Where the variable of the vendor's address says, for a package that knows one address only. */
function ownAddress(address: string | URL, { provider: { defaultUrl, urlVariable } }: VendorAccount): string {
  const own = process.env[urlVariable];
  const [from, to] = [defaultUrl, own ?? ''].map((url) => url.replace(/^http/, 'ws').replace(/\/+$/, ''));
  return own && from ? String(address).replace(from, to as string) : String(address);
}

/** Has a model that would connect fail instead: to ask it what it takes. */
export function withoutNetwork<Model extends AiModel>(model: Model): Model {
  return withWebSocket(model, function NoWebSocket() {
    throw new Error('no network is to be used');
  });
}
