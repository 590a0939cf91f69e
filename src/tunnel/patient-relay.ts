import { connect, type Socket } from 'node:net';

/**
 * Connects a waiting connection of a tunnel with the server on this machine, when its first byte comes. A server that is
 * connected to before there is a request ends such silence with `408 Request Timeout` after some seconds, and the next
 * caller gets that for an answer. Where a bot's end breaks off, the waiting connection is ended softly, so that what the
 * bot said last still arrives.
 * @param port where the server listens on this machine
 * @see https://github.com/localtunnel/server/issues/203
 */
export function relayFromFirstByte(waiting: Socket, port: number): void {
  waiting.once('data', (first) => {
    waiting.pause();
    const local = connect({ host: '127.0.0.1', port, noDelay: true });
    local.write(first);
    local.on('error', () => waiting.end());
    waiting.once('close', () => {
      if (!waiting.readableEnded) local.destroy(); // otherwise its last words are still on their way
    });
    waiting.pipe(local).pipe(waiting);
  });
}
