/** The phone network of a load, with its callers, in a process of their own: a WebSocket for each telephone would cost more than the call. */
import { serveParent } from '../../sandbox/sandbox-child.js';
import { LoadCallers } from './load-callers.js';
import type { CallersNews, CallersRequest } from './load-messages.js';

serveParent((network) => {
  const callers = new LoadCallers(network, (news: CallersNews) => process.send?.(news));
  process.on('message', (request: CallersRequest) => callers.take(request));
});
