import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';

const CLOSE_TIMEOUT_MS = 500;

/** Answers a request for a WebSocket with a refusal. @param status such as `404 Not Found` */
export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.on('error', () => {}); // the client may be gone already
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Closes a server's sockets; resolves when they are gone. */
export async function closeWebSockets(server: WebSocketServer): Promise<void> {
  const sockets = [...server.clients];
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  for (const socket of sockets) socket.close(1001);
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.terminate();
  }, CLOSE_TIMEOUT_MS);
  await Promise.all(closed);
  clearTimeout(timer);
  server.close();
}
