import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Takes the connections of a tunnel for the server on this machine, and connects each with it when the first byte of a request
 * comes. A server that is connected earlier answers the silence with `408 Request Timeout` after some seconds, which the next
 * request would get as its answer.
 * @param port where the server listens on this machine
 * @returns not yet listening
 * @see https://github.com/localtunnel/server/issues/203
 */
export function patientRelay(port: number): Server {
  // A media message is far smaller than a packet.
  return createServer({ noDelay: true }, (waiting) => relayFromFirstByte(waiting, port));
}

/** When the bot's side breaks off, the tunnel's connection is closed gracefully, so that the bot's last audio still arrives. */
function relayFromFirstByte(waiting: Socket, port: number): void {
  waiting.on('error', () => {}); // it is closed then
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
