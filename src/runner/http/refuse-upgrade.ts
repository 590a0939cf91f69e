import type { Duplex } from 'node:stream';

/** Answers a request for a WebSocket with a refusal, and lets go of the socket, whatever the other side does. @param status such as `403 Forbidden` */
export function refuseUpgrade(stream: Duplex, status: string, text = ''): void {
  stream.once('finish', () => stream.destroy());
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
}
