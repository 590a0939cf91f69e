import { errorText } from '../../base/error-text.js';
import { type ErrorCode, VoicebotError } from '../../base/errors.js';
import { type Logger, silentLogger } from '../../base/logger.js';
import type { NumberRoute, NumberRouting, UndoOutcome } from '../../call/number-routing.js';
import { isSameAccount, type LeaseAccount, type LeaseEntry } from './lease-entry.js';
import { lockError } from './lease-errors.js';
import { type IsLive, isLiveAddress } from './lease-liveness.js';
import type { LeaseStore } from './lease-store.js';

/** How long another process may be changing a number before we give up, in milliseconds. */
const LOCK_LIMIT_MS = 10_000;

/**
 * What became of a number in the journal. `failed` stays there for the next time; `held` belongs to a run that lives,
 * `kept` to `configure-number`; `no_account`: there are no credentials for its account.
 */
export type RestoreOutcome = UndoOutcome | 'failed' | 'held' | 'kept' | 'no_account';

export interface RestoredNumber {
  /** `daily`, `plivo` … */
  readonly provider: string;
  /** What brings the provider, where it is one of an extension. */
  readonly extension?: string | undefined;
  /** E.164. */
  readonly number: string;
  readonly outcome: RestoreOutcome;
  /** How the number was before voicebot changed it. */
  readonly route: NumberRoute;
  /** Why it failed, for people. */
  readonly problem?: string;
  /** Of the failure, where it has one. */
  readonly code?: ErrorCode;
}

interface RestoreOptions {
  readonly journal: LeaseStore;
  /** Default: asks the address. */
  readonly isLive?: IsLive;
  /** Default: none. */
  readonly logger?: Logger;
  readonly signal?: AbortSignal | undefined;
}

/** Gives back what runs of one account have left that are gone. @returns what became of each of their numbers */
export async function restoreOrphans({
  routing,
  account,
  ...options
}: RestoreOptions & {
  readonly routing: NumberRouting;
  readonly account: LeaseAccount;
}): Promise<readonly RestoredNumber[]> {
  const restored = await restoreLeases({
    ...options,
    routingFor: (other) => (isSameAccount(other, account) ? routing : undefined),
  });
  return restored.filter(({ outcome }) => !['held', 'kept', 'no_account'].includes(outcome));
}

/**
 * Gives back what runs have left that are gone, whatever their account. Never throws for one number: the others have their
 * turn.
 * @param options `number`: only this one; `isForced`: with a number, also when a run holds it or it is kept;
 *   `routingFor`: undefined for an account that there are no credentials for
 * @returns what became of each number in the journal
 */
export async function restoreLeases({
  journal,
  routingFor,
  number,
  isForced = false,
  isLive = isLiveAddress,
  logger = silentLogger,
  signal,
}: RestoreOptions & {
  readonly routingFor: (account: LeaseAccount) => NumberRouting | undefined | Promise<NumberRouting | undefined>;
  readonly number?: string | undefined;
  readonly isForced?: boolean;
}): Promise<readonly RestoredNumber[]> {
  const restored: RestoredNumber[] = [];
  const isForcedHere = isForced && number !== undefined;
  const entries = (await journal.entries()).filter(({ change }) => number === undefined || change.number === number);
  for (const { account, change, route, below } of entries) {
    const { provider, extension } = account;
    // Forced, what configure-number has set is given back too.
    const result = {
      provider,
      ...(extension && { extension }),
      number: change.number,
      route: (isForcedHere && below?.route) || route,
    };
    try {
      const routing = await routingFor(account);
      if (!routing) {
        restored.push({ ...result, outcome: 'no_account' });
        continue;
      }
      const restore = (within?: AbortSignal) =>
        restoreOne(journal, account, change.number, routing, isForcedHere, isLive, within);
      const outcome = await journal.locked(
        account,
        change.number,
        routing,
        { limitMs: LOCK_LIMIT_MS, signal },
        restore,
      );
      if (outcome) restored.push({ ...result, outcome });
    } catch (error) {
      const told = lockError(change.number, error);
      const problem = errorText(told);
      logger.error('a number could not be given back', { provider, 'pii.number': change.number, problem });
      restored.push({
        ...result,
        outcome: 'failed',
        problem,
        ...(told instanceof VoicebotError && { code: told.code }),
      });
    }
  }
  return restored;
}

/** Undefined when another run has settled it meanwhile. */
async function restoreOne(
  journal: LeaseStore,
  account: LeaseAccount,
  number: string,
  routing: NumberRouting,
  isForced: boolean,
  isLive: IsLive,
  signal?: AbortSignal,
): Promise<RestoreOutcome | undefined> {
  const entry = await journal.read(account, number);
  if (!entry) return undefined;
  if (!isForced && !(await journal.isOrphan(entry, isLive, signal))) return entry.isKept ? 'kept' : 'held';
  const outcome = await undoEntry(journal, entry, routing, signal);
  return isForced && entry.below ? undoEntry(journal, entry.below, routing, signal) : outcome;
}

/** Only under the lock of the number. @throws VoicebotError VB_NUMBER_HELD, what a request throws; the entry stays then */
export async function undoEntry(
  journal: LeaseStore,
  entry: LeaseEntry,
  routing: NumberRouting,
  signal?: AbortSignal,
): Promise<UndoOutcome> {
  const ours = await journal.beforeUndo(entry);
  signal?.throwIfAborted();
  const outcome = await routing.undo(ours.change, signal);
  return (await journal.settle(ours)) ? outcome : 'foreign';
}
