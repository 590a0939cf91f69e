import { VoicebotError } from '../../../base/errors.js';
import type { DoNotCallEntry } from '../../../call/do-not-call.js';

/** A number to put on the list. */
export type NumberToList = Omit<DoNotCallEntry, 'at'>;

/** The numbers that asked not to be called again, as a runner needs them. */
export interface DoNotCallList {
  /**
   * Refuses a number that this runner's own copy of the list has. In a cluster a number may be confirmed before the copy of a runner has it that
   * stood still: {@link check} finds it.
   * @throws VoicebotError VB_DO_NOT_CALL, VB_DO_NOT_CALL_DAMAGED
   */
  refuse(number: string): void;
  /**
   * The same, and asks what runners of a cluster share: the last thing before the provider is asked to dial.
   * @throws VoicebotError as {@link refuse}, and VB_CLUSTER_UNREACHABLE
   */
  check(number: string): Promise<void>;
  /**
   * Resolves when the number is on the list for good: on the disk, and with the other runners of a cluster. A number that is there already
   * stays as it was.
   * @throws VoicebotError VB_DO_NOT_CALL_DAMAGED, VB_CLUSTER_UNREACHABLE; Error of the file system
   */
  add(asked: NumberToList): Promise<void>;
  close(): Promise<void>;
}

/**
 * Looks up a number that a bot dials out of a room. One that a caller is transferred to may go by the runner's own copy: the caller is to reach a
 * person while the Redis of the cluster is away, too.
 * @param isCallee whether it is the number that the bot was started for
 * @throws VoicebotError as {@link DoNotCallList.check}
 */
export async function checkDialledOut(
  list: Pick<DoNotCallList, 'check'>,
  number: string,
  isCallee: boolean,
): Promise<void> {
  await list.check(number).catch((error: VoicebotError) => {
    if (isCallee || error.code !== 'VB_CLUSTER_UNREACHABLE') throw error;
  });
}

/** What those see who want such a number called. */
export function listedError({ at, how, callId }: DoNotCallEntry, isSandbox = false): VoicebotError {
  const since = new Date(at).toISOString().slice(0, 10);
  const where = callId === undefined ? '' : ` in call ${callId}`;
  return new VoicebotError('VB_DO_NOT_CALL', `since ${since} (${how}${where})`, {
    hint: `If it may be called after all: npx voicebot do-not-call remove <number>${isSandbox ? ' --sandbox' : ''}`,
  });
}

/** Does what it is asked to and keeps nothing: for calls that are played. */
export class ForgetfulList implements DoNotCallList {
  refuse(): void {}
  async check(): Promise<void> {}
  async add(): Promise<void> {}
  async close(): Promise<void> {}
}
