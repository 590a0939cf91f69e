import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestObserver } from '../../../base/http/rest-client.js';
import type { CallId } from '../../../call/call-id.js';
import type { CallRegistry } from './call-registry.js';

/** The call for whose sake something is done; what follows from that is done for it too. */
const current = new AsyncLocalStorage<CallId>();

/** Does work for a call: requests to the provider that come of it, at whatever time, are noted in the call's timeline. */
export const forCall = <Result>(id: CallId, work: () => Result): Result => current.run(id, work);

/** Notes requests to the provider in the timelines of the calls that they are made for. */
export const noteRequests =
  (registry: CallRegistry): RequestObserver =>
  (sent) => {
    const id = current.getStore();
    if (id !== undefined && registry.get(id)) registry.timelines.note(id, { type: 'request', ...sent });
  };
