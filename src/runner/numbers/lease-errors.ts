import { errorText } from '../../base/error-text.js';
import { VoicebotError } from '../../base/errors.js';
import { isLoopbackHost } from '../../base/http/loopback-host.js';
import type { ProcessIdentity } from '../../base/process/process-identity.js';
import { LockHeldError } from './durable-file.js';
import type { LeaseEntry } from './lease-entry.js';

const GIVE_BACK = 'npx voicebot restore';

/** @param takenAt milliseconds since the epoch */
export function heldBy(number: string, { pid, host, takenAt }: Pick<LeaseEntry, 'pid' | 'host' | 'takenAt'>): Error {
  const since = new Date(takenAt).toISOString();
  return new VoicebotError('VB_NUMBER_HELD', `${number}, process ${pid} on ${host} since ${since}`, {
    hint: `stop that run, or take the number from it with --take; should it be gone, give the number back: ${GIVE_BACK}`,
  });
}

/** @param url of a voicebot by its form, and answers, and no lease knows of it */
export function heldElsewhere(number: string, url: string): Error {
  const isHere = isLoopbackHost(new URL(url).hostname);
  const who = isHere ? 'something on this machine' : 'a voicebot elsewhere';
  return new VoicebotError('VB_NUMBER_HELD', `${number}, ${who} answers at ${url}`, {
    hint: 'stop it, or take the number with --take',
  });
}

/** What a run is told that has lost a number to another run, or to `voicebot restore`. */
export function takenAway(number: string): Error {
  return new VoicebotError('VB_NUMBER_HELD', `${number} was taken from this run`, {
    hint: 'start again to take it back, with --take when another run holds it',
  });
}

/** Two runners that are reached by one address, and check its webhooks with different secrets. */
export function otherSecret(number: string): Error {
  return new VoicebotError(
    'VB_CLUSTER_UNSUITABLE',
    `the webhooks of ${number} are signed with another secret than ours`,
    {
      hint: 'give all runners of the cluster the same ROOMS_WEBHOOK_SECRET: openssl rand -base64 32',
    },
  );
}

/** In place of what a lock throws. */
export function lockError(number: string, error: unknown): unknown {
  if (!(error instanceof LockHeldError)) return error;
  const holder: ProcessIdentity | undefined = error.holder;
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
  return new VoicebotError('VB_NUMBER_HELD', `${who} is changing ${number} right now`, {
    hint: 'wait for it, or stop it; then try again',
    cause: error,
  });
}

/** @param first what led to giving the number back, when that was an error itself */
export function notGivenBack(number: string, cause: unknown, first?: unknown): VoicebotError {
  const before = first ? `${errorText(first)}; then ` : '';
  return new VoicebotError('VB_RESTORE_FAILED', `${number}: ${before}${errorText(cause)}`, {
    hint: `give it back with: ${GIVE_BACK}`,
    cause,
  });
}
