import { pause } from '../../base/async/pause.js';
import type { CallId } from '../../call/call-id.js';
import type { ClusterMembers } from '../members/cluster-members.js';
import type { CallDirectory } from './call-directory.js';
import type { PeerClient } from './peer-client.js';

/** How often it is looked whether a runner has taken the other call, and the pause between two looks, in milliseconds: both lose their streams at once. */
const LOOKS = 4;
const LOOK_AGAIN_MS = 400;

export interface LinkedCallTaking {
  readonly directory: Pick<CallDirectory, 'kept' | 'ownerOf'>;
  readonly peers: Pick<PeerClient, 'ask'>;
  readonly members: Pick<ClusterMembers, 'find' | 'ownId'>;
  /** Whether this runner has the call. */
  readonly isLive: (id: CallId) => boolean;
}

/**
 * A call of a runner that is gone, and that was dialled beside another one, belongs where that one is, whose bot it needs: the runner that
 * has taken the other one is told to take this one as well.
 * @param from the runner that is gone
 * @returns whether another runner was told; false where this one may take it
 */
export async function goesToOther(
  { directory, peers, members, isLive }: LinkedCallTaking,
  id: CallId,
  from: string,
): Promise<boolean> {
  const { linkedTo } = (await directory.kept(id))?.record ?? {};
  if (linkedTo === undefined) return false;
  for (let look = 1; look <= LOOKS && !isLive(linkedTo); look += 1) {
    const owner = await directory.ownerOf(linkedTo);
    if (owner === undefined || owner === members.ownId) return false;
    const peer = owner === from ? undefined : await members.find(owner);
    if (peer) {
      await peers.ask(peer, `/cluster/calls/${encodeURIComponent(id)}/take`, { from });
      return true;
    }
    await pause(LOOK_AGAIN_MS);
  }
  return false;
}
