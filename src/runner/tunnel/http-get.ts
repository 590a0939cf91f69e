import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { loopbackLookup } from '../../base/http/loopback-lookup.js';

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

const MAX_BODY_BYTES = 16_384;

/** Fetches an address once, over a connection of its own; redirects are not followed. @throws Error of node:http */
export function httpGet(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? overHttps : overHttp;
    const request = send(url, { agent: false, headers, lookup: loopbackLookup, signal }, (response) => {
      readBody(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    request.on('error', reject);
    request.end();
  });
}

async function readBody(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MAX_BODY_BYTES) break; // which closes the connection
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Why a request got no answer, for people. @param error of node:http, node:tls or ws */
export function networkReason(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ENODATA':
      return 'the name does not resolve';
    case 'ECONNREFUSED':
      return 'nothing listens there (ECONNREFUSED)';
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return 'the connection broke off';
    default:
      return message || code || 'failed';
  }
}
