import { randomBytes } from 'node:crypto';
import type { Logger } from '../../base/logger.js';
import { type ProcessIdentity, thisProcess } from '../../base/process/process-identity.js';
import type { NumberRoute, NumberRouting, RouteChange, RouteTarget, RouteUrls } from '../../call/number-routing.js';
import type { LeaseAccount, LeaseEntry } from './lease-entry.js';
import { heldBy, heldElsewhere } from './lease-errors.js';
import { currentUrls, type IsLive, isLiveAddress } from './lease-liveness.js';
import type { LeaseStore } from './lease-store.js';
import { undoEntry } from './restore-leases.js';

/** Addresses that one lease remembers to have given the provider. */
const MAX_URLS = 50;

export interface LeaseRequest {
  readonly routing: NumberRouting;
  readonly account: LeaseAccount;
  /** E.164. */
  readonly number: string;
  readonly urls: RouteUrls;
  /** Signs the room provider's webhooks, base64; undefined: the secret there stays what it is. */
  readonly secret?: string | undefined;
  readonly journal: LeaseStore;
  /** Take it even from a run that lives. */
  readonly isTaking: boolean;
  /** Until the user asks for it back, and not for as long as its owner lives. Default false. */
  readonly isKept?: boolean;
  /** Who gives it back. Default: this process. */
  readonly owner?: ProcessIdentity;
  /** Default: asks the address. */
  readonly isLive?: IsLive;
  readonly logger: Logger;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Who holds the number, after one that is gone has been given back.
 * @throws VoicebotError VB_NUMBER_HELD when that is a run that lives, and it is not to be taken from it
 */
export async function conflictingLease(request: LeaseRequest): Promise<LeaseEntry | undefined> {
  const { routing, account, number, journal, isTaking, isLive = isLiveAddress, logger, signal } = request;
  let entry = (await journal.read(account, number)) ?? (await reappearing(request));
  if (entry && (await journal.isOrphan(entry, isLive, signal))) {
    const outcome = await undoEntry(journal, entry, routing, signal);
    logger.warn('a number that an earlier run left behind was given back', { provider: account.provider, outcome });
    entry = await journal.read(account, number);
  }
  if (entry && !entry.isKept && !isTaking && !isShareable(request, entry)) throw heldBy(number, entry);
  return entry;
}

/** What other runners hold at our address, and are about to write down again after Redis has lost it. */
async function reappearing(request: LeaseRequest): Promise<LeaseEntry | undefined> {
  const { routing, account, number, urls, journal, signal } = request;
  if (!journal.sharing) return undefined;
  const { webhookUrl } = (
    await routing.plan(
      targetOf(request, newId(), () => false),
      signal,
    )
  ).route;
  return webhookUrl === urls.answerUrl ? journal.sharing.reappearing(account, number, signal) : undefined;
}

/** Whether two runs can hold the number together: they are reached by the same addresses. */
export function isShareable({ journal, urls }: Pick<LeaseRequest, 'journal' | 'urls'>, found: LeaseEntry): boolean {
  const { answerUrl, hangupUrl } = currentUrls(found.change);
  const isSame = answerUrl === urls.answerUrl && hangupUrl === urls.hangupUrl;
  return journal.sharing !== undefined && !found.isKept && !found.change.isInPlace && isSame;
}

/**
 * The same change under a new owner: what was before the first of them is what is put back in the end. Undefined when the
 * other one's change does not stand, or was made in place: it is undone, and there is nothing to take over; and when it is kept
 * and this is a run, which gives it back to that.
 * @returns `from`: what is in the journal of the other one now
 */
export async function transferOwnership(
  request: LeaseRequest,
  found: LeaseEntry,
): Promise<{ readonly from: LeaseEntry; readonly entry?: LeaseEntry }> {
  const { routing, journal, urls, secret, isKept = false, signal } = request;
  if (found.isKept && !isKept) return { from: found };
  // A secret that it has not replaced yet must be one that can be put back.
  const target = { ...targetOf(request, newId(), () => false), secret: found.change.secret ? undefined : secret };
  const { route } = await routing.plan(target, signal);
  if (!found.change.isInPlace && pointsAt(found.change, route)) {
    const change = { ...withUrls(found.change, urls), ...(secret !== undefined && { secret }) };
    return { from: found, entry: { ...found, ...ownerFields(request, newId()), change } };
  }
  // What a person or another program has set stays; what the other run has made at the provider goes.
  const from = await journal.beforeUndo(found);
  await routing.undo(from.change, signal);
  return { from };
}

/** @param found what is in the journal: one that holds again afterwards when it is kept */
export async function newEntry(request: LeaseRequest, found: LeaseEntry | undefined): Promise<LeaseEntry> {
  const { routing, account, number, urls, journal, isTaking, isKept = false, isLive = isLiveAddress, signal } = request;
  const leaseId = newId();
  const below = found?.isKept && !isKept ? found : found?.below;
  const kept = below?.change.urls.flatMap(({ answerUrl, hangupUrl }) => [answerUrl, hangupUrl]) ?? [];
  const known = await journal.knownAddresses();
  const isKnown = (url: string) => !kept.includes(url) && known.has(url);
  const plan = (isOld: (url: string) => boolean) => routing.plan(targetOf(request, leaseId, isOld), signal);

  let planned = await plan(isKnown);
  const { webhookUrl, isOurs } = planned.route;
  // The address of a voicebot that is not in the journal: of another machine, or of a run that was forgotten.
  if (webhookUrl && webhookUrl !== urls.answerUrl && !kept.includes(webhookUrl) && (isOurs || isKnown(webhookUrl))) {
    const isAnswered = await isLive(webhookUrl, signal);
    if (isAnswered && !isTaking) throw heldElsewhere(number, webhookUrl);
    // One that does not answer us may answer the provider: only our own dead addresses are never put back.
    if (isAnswered && isKnown(webhookUrl)) {
      planned = await plan((url) => isKnown(url) && !isSameOrigin(url, webhookUrl));
    }
  }
  const { change, route } = planned;
  return { version: 1, account, ...ownerFields(request, leaseId), change, route, ...(below && { below }) };
}

function targetOf(
  { number, urls, secret }: LeaseRequest,
  leaseId: string,
  isOldAddress: (url: string) => boolean,
): RouteTarget {
  return { number, urls, leaseId, secret, isOldAddress };
}

function ownerFields({ isKept = false, owner = thisProcess() }: LeaseRequest, leaseId: string) {
  return { leaseId, isKept, ...owner, takenAt: Date.now() };
}

export const pointsAt = ({ urls }: RouteChange, { webhookUrl }: NumberRoute) =>
  urls.some(({ answerUrl }) => answerUrl === webhookUrl);

/** The address last, and once. */
export function withUrls(change: RouteChange, urls: RouteUrls): RouteChange {
  const others = change.urls.filter(({ answerUrl }) => answerUrl !== urls.answerUrl).slice(1 - MAX_URLS);
  const [first = urls, ...rest] = [...others, urls];
  return { ...change, urls: [first, ...rest] };
}

const isSameOrigin = (one: string, other: string) =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;

const newId = () => randomBytes(8).toString('hex');
