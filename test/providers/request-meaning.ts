import type { ReceivedRequest } from './plivo/scripted-api.js';

/** What a request says, whatever the order it is said in. */
export function meaningOf({ method, url, headers, body }: ReceivedRequest) {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const [type] = (body ? (headers['content-type'] ?? '') : '').split(';');
  const sorted = (fields: URLSearchParams) => [...fields].map(([name, value]) => `${name}=${value}`).sort();
  return {
    method,
    pathname,
    query: sorted(searchParams),
    authorization: headers.authorization,
    type,
    said: type === 'application/json' ? JSON.parse(body) : sorted(new URLSearchParams(body)),
  };
}
