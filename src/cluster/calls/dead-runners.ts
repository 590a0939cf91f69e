import { pause } from '../../base/async/pause.js';
import { BOT_LEASE_MS } from '../../runner/bots/messages.js';
import type { ClusterMembers, Member } from '../members/cluster-members.js';
import type { PeerClient } from './peer-client.js';

/** Between two looks at a runner whose lease has run out and that answers all the same, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/** A runner that has its lease and does not answer is given up after this time, in milliseconds. */
const SILENCE_MS = 4_000;

/** A runner that stands still is given up for its rooms and transfers after this time, in milliseconds: its bots have left them by then. */
const STANDSTILL_MS = BOT_LEASE_MS + 2_000;

export interface DeadRunnersOptions {
  readonly members: Pick<ClusterMembers, 'isAlive'>;
  readonly peers: Pick<PeerClient, 'look'>;
  readonly isClosed: () => boolean;
}

/** Tells runners that have died from those that stand still, or cannot reach Redis. */
export class DeadRunners {
  constructor(private readonly options: DeadRunnersOptions) {}

  /** Whether a runner that has not answered has died. One that has its lease and stands still is waited for, since it may go on. */
  async isDead(member: Member): Promise<boolean> {
    const { members, peers } = this.options;
    const startedAt = performance.now();
    for (;;) {
      const is = await peers.look(member);
      if (is !== 'silent') return is === 'gone';
      const isGivenUp = performance.now() - startedAt > SILENCE_MS;
      if (isGivenUp || !members.isAlive(member.id)) return true;
    }
  }

  /** Resolves when a runner that has no lease any more has no bots in its rooms either, or is there again. */
  async surelyDead(member: Member): Promise<void> {
    const { members, peers, isClosed } = this.options;
    const startedAt = performance.now();
    while (!members.isAlive(member.id) && !isClosed()) {
      const is = await peers.look(member);
      const isDead = is === 'gone' || (is === 'silent' && performance.now() - startedAt > STANDSTILL_MS);
      if (isDead) return;
      await pause(LOOK_AGAIN_MS); // it lives, and cannot reach Redis
    }
  }
}
