import { withGrace } from '../../base/async/grace.js';
import { VoicebotError } from '../../base/errors.js';
import type { NumberRoute, NumberRouting, RouteChange } from '../../call/number-routing.js';
import type { LeaseEntry } from './lease-entry.js';
import { takenAway } from './lease-errors.js';
import { withoutQuery } from './lease-journal.js';
import { currentUrls } from './lease-liveness.js';
import type { LeaseStore } from './lease-store.js';

/** How long a change that is on its way to the provider is waited for when it is not wanted any more, in milliseconds. */
const ARRIVE_MS = 2_000;

/**
 * Where a number of ours is found to point: where it should; there again; at something that a person or another program has set,
 * which stays. `taken`: it is not ours any more.
 */
export type NumberPlace = 'in_place' | 'repaired' | 'changed' | 'taken';

/**
 * Only under the lock of the number.
 * @throws VoicebotError VB_REGISTRATION_FAILED naming what is not as it should be, VB_NUMBER_HELD when a cluster knows a newer
 *   holder, and what a request throws
 */
export async function register(
  routing: NumberRouting,
  journal: LeaseStore,
  entry: LeaseEntry,
  signal?: AbortSignal,
): Promise<void> {
  const { change } = entry;
  await refuseTaken(journal, entry);
  // What is on its way may be done although the runner does not wait for it any more, and then after it was undone.
  await withGrace(signal, ARRIVE_MS, (later) => routing.apply(change, later));
  signal?.throwIfAborted();
  const difference = await routing.verify(change, signal);
  await refuseTaken(journal, entry);
  if (difference) {
    throw new VoicebotError('VB_REGISTRATION_FAILED', difference, {
      hint: "see whether a person or another program changes the number at this moment, and look at it in the provider's dashboard",
    });
  }
}

/** A lock of files is never lost; one of a cluster is by a process that stood still. */
async function refuseTaken(journal: LeaseStore, entry: LeaseEntry): Promise<void> {
  if (journal.sharing && !(await journal.owned(entry))) throw takenAway(entry.change.number);
}

/** How the number is now. Only looks: what was there before is known, its secret too. */
export async function routeNow(
  routing: NumberRouting,
  change: RouteChange,
  signal?: AbortSignal,
): Promise<NumberRoute> {
  const { number, leaseId } = change;
  const target = { number, leaseId, urls: currentUrls(change), secret: undefined, isOldAddress: () => false };
  return (await routing.plan(target, signal)).route;
}

/** For a run that would change a number which points elsewhere by now. */
export function changedBySomebody({ number, webhookUrl }: NumberRoute): VoicebotError {
  const now = webhookUrl ? `go to ${withoutQuery(webhookUrl)}` : 'go nowhere';
  return new VoicebotError(
    'VB_REGISTRATION_FAILED',
    `a person or another program has changed ${number}: its calls ${now}`,
    {
      hint: 'start again to take the number back',
    },
  );
}

/**
 * Points a number where it should when a run of ours has changed it that had lost it. Only under the lock of the number.
 * @returns the entry as it is then
 */
export async function keepInPlace(
  routing: NumberRouting,
  journal: LeaseStore,
  entry: LeaseEntry,
  signal?: AbortSignal,
): Promise<{ readonly place: NumberPlace; readonly entry: LeaseEntry }> {
  if (!(await routing.verify(entry.change, signal))) return { place: 'in_place', entry };
  const route = await routeNow(routing, entry.change, signal);
  const late = await lateChange(journal, entry, route);
  if (!late) return { place: 'changed', entry };
  const repaired = await journal.replace({ ...entry, change: late });
  await register(routing, journal, repaired, signal);
  return { place: 'repaired', entry: repaired };
}

/**
 * The change to make again when what the number points at comes from a run that had lost it: the address of that run, or what
 * was there before, which it was putting back. Undefined for what a person or another program has set.
 */
async function lateChange(
  journal: LeaseStore,
  entry: LeaseEntry,
  { webhookUrl }: NumberRoute,
): Promise<RouteChange | undefined> {
  const { change, route } = entry;
  const current = currentUrls(change);
  if (webhookUrl === current.answerUrl) return undefined;
  if (webhookUrl === route.webhookUrl) return (await journal.sharing?.takeLateUndo(entry)) ? change : undefined;
  if (webhookUrl === undefined) return undefined;
  if (change.urls.some(({ answerUrl }) => answerUrl === webhookUrl)) return change;
  if (!(await journal.knownAddresses()).has(webhookUrl)) return undefined;
  // It is undone as one of ours should we end before it is replaced.
  const [first, ...rest] = [{ answerUrl: webhookUrl, hangupUrl: webhookUrl }, ...change.urls];
  return first && { ...change, urls: [first, ...rest] };
}
