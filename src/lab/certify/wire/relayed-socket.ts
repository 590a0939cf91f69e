import type { WebSocket } from 'ws';

/** How an upgrade that is passed on has ended. @returns 101, or the status of the refusal; 0 when there is no answer */
export function opened(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
    socket.on('error', () => resolve(0));
  });
}

/**
 * Closes a socket as the one that it is joined to was closed.
 * @param code of that close: 1005 where it had none, 1006 where the connection broke off
 * @see RFC 6455 section 7.4.1: neither of the two may be sent
 */
export function closeAs(socket: WebSocket, code: number): void {
  if (code === 1005) socket.close();
  else if (code === 1006) socket.terminate();
  else socket.close(code);
}
