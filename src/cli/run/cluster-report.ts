import type { Closer } from '../../assembly/close-all.js';
import type { ClusterMembers } from '../../cluster/members/cluster-members.js';
import type { Output } from '../../terminal/output.js';

/** What of the members of a cluster is told. */
type Told = Pick<ClusterMembers, 'others' | 'get' | 'on' | 'off'>;

/**
 * Tells how many runners the cluster of a run has: now, and whenever one joins or leaves.
 * @returns ends it
 */
export function reportCluster(members: Told, output: Output): Closer {
  const countNow = () => members.others.length + 1;
  const tell = (id: string | undefined, change: 'joined' | 'left' | undefined) => {
    const runners = countNow();
    const { machine, pid } = (id !== undefined && members.get(id)) || {};
    const fields = { runners, machine, pid };
    output.event('cluster', { ...fields, change });
    output.log('info', change === undefined ? 'the runner is one of a cluster' : `a runner has ${change}`, fields);
    const whole = `cluster of ${runners === 1 ? '1 runner' : `${runners} runners`}`;
    const who = machine === undefined ? 'a runner' : `the runner on ${machine} (process ${pid})`;
    output.news(change === undefined ? `This is one of a ${whole}` : `${who} has ${change}: ${whole}`);
  };
  tell(undefined, undefined);
  const joined = (id: string) => tell(id, 'joined');
  const left = (id: string) => tell(id, 'left');
  members.on('joined', joined).on('left', left);
  return async () => void members.off('joined', joined).off('left', left);
}
