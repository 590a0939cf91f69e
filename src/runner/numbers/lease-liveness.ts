import { Agent, type Dispatcher, request } from 'undici';
import { loopbackLookup } from '../../base/http/loopback-lookup.js';
import { isGone } from '../../base/process/process-identity.js';
import type { RouteChange, RouteUrls } from '../../call/number-routing.js';
import type { LeaseEntry } from './lease-entry.js';

/** Where a change has pointed its number last. */
export const currentUrls = ({ urls }: RouteChange): RouteUrls => urls.at(-1) as RouteUrls;

/**
 * Whether no run holds a number any more that would give it back. An owner on another machine that shares our folder, or
 * in another container, cannot be seen; its address can be asked. So can that of a cluster, whose other runners may hold it.
 */
export async function isOrphan(entry: LeaseEntry, isLive: IsLive, signal?: AbortSignal): Promise<boolean> {
  if (entry.isKept) return false;
  const isOver = isGone(entry, entry.takenAt);
  if (isOver !== undefined && !(isOver && entry.cluster)) return isOver;
  return !(await isLive(currentUrls(entry.change).answerUrl, signal));
}

const LIMIT_MS = 3_000;
interface AskedMore {
  readonly method?: 'POST';
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const MAX_ANSWER_BYTES = 16 * 1_024;
/** A tunnel that shows browsers a page first lets this through. */
const HEADERS = { 'bypass-tunnel-reminder': '1', 'user-agent': 'voicebot' };

/** Asks an address that looks like a voicebot's. @returns whether one is there that serves calls */
export type IsLive = (url: string, signal?: AbortSignal) => Promise<boolean>;

/**
 * A runner says at `/health` that it is one. Where that does not lead to it, as behind a proxy that lets webhooks through only, its
 * webhooks are asked: the room provider's is sent the test request, which is unsigned and starts nothing; the carrier's answer URL
 * refuses an unsigned request with 403, and the runner warns of that. A name whose tunnel is gone gives 404, 502 or no answer.
 */
export const isLiveAddress: IsLive = async (url, signal) => {
  if (!URL.canParse(url)) return false;
  const agent = new Agent({ connect: { timeout: LIMIT_MS, lookup: loopbackLookup } });
  const signals = [AbortSignal.timeout(LIMIT_MS), ...(signal ? [signal] : [])];
  const ask = (address: string | URL, more: AskedMore = {}) =>
    request(address, {
      dispatcher: agent,
      signal: AbortSignal.any(signals),
      ...more,
      headers: { ...HEADERS, ...more.headers },
    });
  try {
    const health = await ask(new URL('health', url));
    if (await isRunner(health)) return true;
    if (!new URL(url).pathname.endsWith('/rooms-dialin-webhook')) {
      const refused = await ask(url);
      await refused.body.dump({ limit: MAX_ANSWER_BYTES });
      return refused.statusCode === 403;
    }
    const json = { 'content-type': 'application/json' };
    return await isRunner(await ask(url, { method: 'POST', body: '{"Test":"test"}', headers: json }));
  } catch {
    signal?.throwIfAborted();
    return false;
  } finally {
    await agent.destroy();
  }
};

async function isRunner({ statusCode, body }: Dispatcher.ResponseData): Promise<boolean> {
  const text = await textOf(body);
  return statusCode === 200 && isOurAnswer(text);
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) return '';
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function isOurAnswer(text: string): boolean {
  try {
    const answer: { version?: unknown; status?: unknown } | null = JSON.parse(text);
    return answer?.version === 1 && answer.status === 'ok';
  } catch {
    return false;
  }
}
