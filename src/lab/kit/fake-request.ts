import type { IncomingMessage } from 'node:http';

/** What a client of a fake provider asked for when it connected. */
export interface FakeRequest {
  readonly query: URLSearchParams;
  /** Without the key. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers that hold the key of one provider or another; that of OpenAI may stand among the protocols. */
const WITH_KEYS = ['authorization', 'x-api-key', 'xi-api-key', 'x-goog-api-key', 'sec-websocket-protocol'];

/** What a client asks for, and under which path. */
export function requestOf(incoming: IncomingMessage): FakeRequest & { readonly path: string } {
  const { pathname: path, searchParams: query } = new URL(`http://fake${incoming.url ?? '/'}`); // a path may begin with two slashes
  const headers = Object.entries(incoming.headers).filter(([name]) => !WITH_KEYS.includes(name));
  return { path, query, headers: Object.fromEntries(headers) as Record<string, string> };
}
