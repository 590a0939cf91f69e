import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { connect as connectTls } from 'node:tls';
import { Agent, type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { timeLimit } from '../../base/async/time-limit.js';
import { isFields } from '../../base/http/json-fields.js';
import { loopbackLookup } from '../../base/http/loopback-lookup.js';
import type { CallRecord } from '../../call/call-record.js';
import type { PassSigner } from '../../runner/calls/carrier/stream-pass.js';
import type { PassedRequest, PeerAnswer, PortableCall } from '../../runner/http/elsewhere.js';
import type { Member } from '../members/cluster-members.js';
import { PEER_HEADER, signPeerRequest } from './peer-signature.js';

/** Longest wait for a connection, in milliseconds. */
const CONNECT_MS = 500;
/** A runner that has not answered for this long is asked whether it is there, in milliseconds: a document may wait for a bot. */
const DOUBT_MS = 500;
/** Longest wait for the answer to that, in milliseconds. */
const PING_MS = 700;
/** When that wait ends so much later than it should have, it was this process that stood still, in milliseconds. */
const LATE_MS = 100;
/** Questions before an answer is believed that is none. */
const LOOKS = 3;
/** Longest wait for any answer, in milliseconds. */
const ANSWER_MS = 15_000;
const MAX_ANSWER_BYTES = 1_024 * 1_024;

/** What a runner answers to a request for the one that had its address before (RFC 9110 section 15.5.20). */
export const MISDIRECTED = 421;

/** Another runner has the address now. */
class Replaced extends Error {}

/** The runner that is asked. */
type AskedRunner = Pick<Member, 'id' | 'peerUrl'>;

/** Headers that belong to one connection only (RFC 9110 section 7.6.1), or are written anew. */
const OWN_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'expect',
  'host',
  PEER_HEADER,
]);

/** Asks the other runners of the cluster, directly. */
export class PeerClient {
  readonly #agent = new Agent({
    connect: { timeout: CONNECT_MS, lookup: loopbackLookup },
    connections: 64,
    keepAliveTimeout: 10_000,
  });
  /** Answers that go on for long do not keep webhooks waiting for a connection. */
  readonly #longAgent = new Agent({
    connect: { timeout: CONNECT_MS, lookup: loopbackLookup },
    headersTimeout: ANSWER_MS,
    bodyTimeout: 0,
  });

  /** @param ownId of this runner */
  constructor(
    private readonly signer: PassSigner,
    private readonly ownId: string,
  ) {}

  /** Passes a request on. @returns undefined when that runner is not there, or stands still, or another one has its address now */
  pass(peer: AskedRunner, { method, target, headers, body }: PassedRequest): Promise<PeerAnswer | undefined> {
    return this.#ask(peer, method, target, passedHeaders(headers), body);
  }

  /**
   * Passes a request without content on, and its answer back as it comes, however long that is.
   * @returns whether that runner has begun to answer
   */
  async passOn(
    peer: AskedRunner,
    { method = 'GET', url = '/', headers }: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const { authorization: _, cookie: __, ...passed } = passedHeaders(headers);
      const answer = await request(peer.peerUrl + url, {
        dispatcher: this.#longAgent,
        method: method as Dispatcher.HttpMethod,
        headers: { ...passed, [PEER_HEADER]: this.#signed(peer, method, url) },
        signal: gone.signal,
      });
      if (answer.statusCode === MISDIRECTED) {
        await answer.body.dump();
        return false;
      }
      const length = answer.headers['content-length']?.toString();
      response.writeHead(answer.statusCode, {
        ...passedHeaders(answer.headers),
        ...(length !== undefined && { 'content-length': length }),
      });
      response.flushHeaders();
      await pipeline(answer.body, response);
    } catch {
      if (!response.headersSent) return gone.signal.aborted;
      response.destroy();
    }
    return true;
  }

  /** Asks for something by the runners' own addresses. @returns undefined when that runner is not there, or stands still */
  async ask(peer: AskedRunner, target: string, content: object = {}): Promise<PeerAnswer | undefined> {
    const body = Buffer.from(JSON.stringify(content));
    return this.#ask(peer, 'POST', target, { 'content-type': 'application/json' }, body);
  }

  /** Whether a runner is there and answers; `silent`: its machine takes connections and no answer comes, as when the process stands still. */
  async look(peer: AskedRunner): Promise<'there' | 'silent' | 'gone'> {
    for (let look = 1; ; look += 1) {
      const startedAt = performance.now();
      try {
        const signal = timeLimit(PING_MS);
        const { status } = await this.#send(peer, 'POST', '/cluster/ping', {}, Buffer.alloc(0), signal);
        return status === 200 ? 'there' : 'gone';
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (error instanceof Replaced || code === 'ECONNREFUSED') return 'gone';
        const isTimeout = code === 'UND_ERR_CONNECT_TIMEOUT' || (error as Error).name === 'TimeoutError';
        const wasLate = performance.now() - startedAt > PING_MS + LATE_MS;
        if (isTimeout && !wasLate) return 'silent';
        if (look === LOOKS) return isTimeout ? 'silent' : 'gone'; // a connection may have broken that was kept for long
      }
    }
  }

  /** Passes a stream on, byte by byte, to the runner where a bot waits for it. */
  passStream(peer: AskedRunner, request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const { method = 'GET', url = '/', rawHeaders } = request;
    const { protocol, hostname, port } = new URL(peer.peerUrl);
    const onward =
      protocol === 'https:'
        ? connectTls({ host: hostname, port: Number(port || 443), servername: hostname })
        : connect({ host: hostname, port: Number(port || 80) });
    const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
    const signed = `${PEER_HEADER}: ${this.#signed(peer, method, url)}`;
    onward.write([`${method} ${url} HTTP/1.1`, ...lines, signed, '', ''].join('\r\n'), 'latin1');
    onward.write(head);
    for (const [from, to] of [
      [stream, onward],
      [onward, stream],
    ] as const) {
      from.on('error', () => to.destroy());
      from.once('close', () => to.destroy());
      from.pipe(to);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#longAgent.destroy()]);
  }

  /** A runner that stands still is found out by a question that it would answer at once. */
  async #ask(
    peer: AskedRunner,
    method: string,
    target: string,
    headers: Record<string, string | string[]>,
    body: Buffer,
  ): Promise<PeerAnswer | undefined> {
    const abort = new AbortController();
    const limit = setTimeout(() => abort.abort(), ANSWER_MS);
    const doubt = setInterval(() => {
      void this.look(peer).then((is) => is !== 'there' && abort.abort());
    }, DOUBT_MS);
    try {
      return await this.#send(peer, method, target, headers, body, abort.signal);
    } catch {
      return undefined;
    } finally {
      clearTimeout(limit);
      clearInterval(doubt);
    }
  }

  async #send(
    peer: AskedRunner,
    method: string,
    target: string,
    headers: Record<string, string | string[]>,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<PeerAnswer> {
    const answer = await request(peer.peerUrl + target, {
      dispatcher: this.#agent,
      method: method as Dispatcher.HttpMethod,
      headers: { ...headers, [PEER_HEADER]: this.#signed(peer, method, target) },
      body: method === 'GET' ? null : body,
      signal,
    });
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of answer.body) {
      bytes += part.length;
      if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
      parts.push(part);
    }
    if (answer.statusCode === MISDIRECTED) throw new Replaced();
    const { 'content-type': type } = answer.headers;
    return { status: answer.statusCode, contentType: type?.toString(), body: Buffer.concat(parts) };
  }

  #signed(peer: AskedRunner, method: string, target: string): string {
    return signPeerRequest(this.signer, { from: this.ownId, to: peer.id }, method, target);
  }
}

const passedHeaders = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== undefined && !OWN_HEADERS.has(name)),
  ) as Record<string, string | string[]>;

const GIVEN = z.object({
  epoch: z.int().min(1),
  kept: z.object({ record: z.custom<CallRecord>(isFields), life: z.record(z.string(), z.unknown()) }),
});

/** A call that another runner gives; what is in it is read by the runner that goes on with it. @throws ZodError for anything else */
export const givenCall = ({ body }: PeerAnswer): { readonly epoch: number; readonly kept: PortableCall } =>
  GIVEN.parse(JSON.parse(body.toString()));
