import type { IncomingMessage } from 'node:http';
import { isLoopbackName } from '../../base/http/loopback-host.js';

/**
 * What proxies, load balancers, content networks and tunnels add. Nearly all of their names begin with `x-`, which no browser sends by
 * itself: a new one counts as forwarded before anybody knows it.
 */
const FORWARDING_HEADERS =
  /^(?:x-.+|forwarded|via|max-forwards|early-data|front-end-https|client-ip|.+-ip|remote-.+|(?:ali|akamai|cdn|cf|eo|fastly|fly|incap|ngrok|proxy|ssl|surrogate|tailscale|wl)-.+)$/;
/** What programs of this machine send: our own, scripts of pages, Prometheus, those that trace, and those that sign as a provider does. */
const OWN_HEADERS =
  /^x-(?:voicebot-.+|requested-with|prometheus-.+|b3-.+|datadog-.+|[a-z]+-(?:signature|timestamp)(?:-.+)?)$/;

/**
 * Whether a request truly comes from this machine: a loopback peer that addresses us by a loopback name, that no proxy
 * forwarded, and that no foreign web page sent. A tunnel's requests come from loopback too, but not by that name; a
 * page that rebinds its DNS name to 127.0.0.1 still sends its own name. Only one name counts: a request with a second
 * `Host` or with another one in its target may have reached the tunnel by that.
 * @see RFC 9112 section 3.2 (request target and Host), W3C Fetch Metadata (Sec-Fetch-Site)
 */
export function isLocalRequest({ socket, headers, rawHeaders, url }: IncomingMessage): boolean {
  return (
    isLoopbackAddress(socket.remoteAddress ?? '') &&
    isOurName(headers.host ?? '') &&
    rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length === 1 &&
    url?.startsWith('/') === true &&
    !Object.keys(headers).some((name) => FORWARDING_HEADERS.test(name) && !OWN_HEADERS.test(name)) &&
    (headers.origin === undefined || isLoopbackOrigin(headers.origin)) &&
    /^(?:same-origin|same-site|none)$/.test(String(headers['sec-fetch-site'] ?? 'none'))
  );
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}

/** @param host a name, with a port or without */
function isOurName(host: string): boolean {
  return isLoopbackName(host.toLowerCase().replace(/:\d+$/, ''));
}

function isLoopbackOrigin(origin: string): boolean {
  return /^https?:\/\//.test(origin) && isOurName(origin.replace(/^https?:\/\//, ''));
}
