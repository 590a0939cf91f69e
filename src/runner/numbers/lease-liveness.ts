import { Agent, request } from 'undici';
import { timeLimit } from '../../base/async/time-limit.js';
import { loopbackLookup } from '../../base/http/loopback-lookup.js';
import { isGone } from '../../base/process/process-identity.js';
import type { RouteChange, RouteUrls } from '../../call/number-routing.js';
import { PROBE_AGENT } from '../http/probe-agent.js';
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
const MAX_ANSWER_BYTES = 16 * 1_024;
/** A tunnel that shows browsers a page first lets this through. */
const HEADERS = { 'bypass-tunnel-reminder': '1', 'user-agent': PROBE_AGENT };

/** Asks an address that looks like a voicebot's. @returns whether one is there that serves calls */
export type IsLive = (url: string, signal?: AbortSignal) => Promise<boolean>;

/**
 * The room provider's webhook is sent the test request, which is unsigned and starts nothing; the carrier's answer URL
 * refuses an unsigned request with 403. A name whose tunnel is gone gives 404, 502 or no answer.
 */
export const isLiveAddress: IsLive = async (url, signal) => {
  if (!URL.canParse(url)) return false;
  const isWebhook = new URL(url).pathname.endsWith('/rooms-dialin-webhook');
  const agent = new Agent({ connect: { timeout: LIMIT_MS, lookup: loopbackLookup } });
  const signals = [timeLimit(LIMIT_MS), ...(signal ? [signal] : [])];
  try {
    const answer = await request(url, {
      dispatcher: agent,
      signal: AbortSignal.any(signals),
      headers: { ...HEADERS, ...(isWebhook && { 'content-type': 'application/json' }) },
      ...(isWebhook && { method: 'POST', body: '{"Test":"test"}' }),
    });
    if (!isWebhook) {
      await answer.body.dump({ limit: MAX_ANSWER_BYTES });
      return answer.statusCode === 403;
    }
    return answer.statusCode === 200 && isOurAnswer(await textOf(answer.body));
  } catch {
    signal?.throwIfAborted();
    return false;
  } finally {
    await agent.destroy();
  }
};

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
  const answer: { version?: unknown; status?: unknown } | null = JSON.parse(text);
  return answer?.version === 1 && answer.status === 'ok';
}
