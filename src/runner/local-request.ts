import type { IncomingMessage } from 'node:http';

const FORWARDING_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'cf-connecting-ip'];

/**
 * Whether a request truly comes from this machine: a loopback peer that addresses us by a loopback name, that nobody
 * forwarded, and that no foreign web page sent. A tunnel's requests come from loopback too, but not by that name; a
 * page that rebinds its DNS name to 127.0.0.1 still sends its own name.
 */
export function isLocalRequest({ socket, headers }: IncomingMessage): boolean {
  return (
    isLoopbackAddress(socket.remoteAddress ?? '') &&
    isLoopbackHost(headers.host ?? '') &&
    FORWARDING_HEADERS.every((name) => headers[name] === undefined) &&
    (headers.origin === undefined || isLoopbackOrigin(headers.origin))
  );
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}

function isLoopbackHost(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(host);
}

function isLoopbackOrigin(origin: string): boolean {
  return /^https?:\/\//.test(origin) && isLoopbackHost(origin.replace(/^https?:\/\//, ''));
}
