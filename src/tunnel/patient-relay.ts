import { connect, type Socket } from 'node:net';

/**
 * Connects a waiting connection of a tunnel with the server on this machine when the first byte of a request comes. A
 * server that is connected earlier answers the silence with `408 Request Timeout` after some seconds, which the next
 * request would get as its answer. When the bot's side breaks off, the waiting connection is closed gracefully, so that
 * the bot's last audio still arrives.
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
      if (!waiting.readableEnded) local.destroy(); // otherwise its last bytes are still on their way
    });
    waiting.pipe(local).pipe(waiting);
  });
}
