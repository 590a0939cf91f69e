import { ClusterRig } from '../../test/cluster/rig/cluster-rig.js';
import { BenchProcess } from '../bench-process.js';
import { type Figure, ms } from '../figure.js';
import { plivoAccount } from '../processes/account.js';
import type { Load } from '../processes/load.js';
import { percentile } from '../statistics.js';
import { needsPrograms } from './needs-programs.js';

const ROUNDS = 5;
const AT_ONCE = 4;
const { authId, authToken } = plivoAccount;
/** The load plays the carrier; nothing is asked of the sandbox. */
const environment = { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken };

/** Signed webhooks to documents, through the balancer, in turns: of a runner that is alone, and of one in a cluster. Counts: webhooks of a round. */
export async function* clusterOverhead(webhooks = 1_000): AsyncGenerator<Figure> {
  needsPrograms();
  await using load = new BenchProcess<Load>('processes/load');
  await using alone = await ClusterRig.start({ runners: 1, isCluster: false, environment });
  await using clustered = await ClusterRig.start({ runners: 1, isCluster: true, environment });
  const waits = new Map<ClusterRig, number[]>([alone, clustered].map((rig) => [rig, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [rig, all] of waits) {
      const more = await load.ask('webhooks', rig.balancer.url, webhooks, AT_ONCE);
      if (round > 0) all.push(...more); // the first only warms up
    }
  }
  for (const share of [0.5, 0.95, 0.99]) {
    const [bare = Number.NaN, ours = Number.NaN] = [...waits.values()].map((all) => percentile(all, share));
    const name = `webhook to XML p${100 * share}, alone and in a cluster`;
    yield { name, bare: ms(bare), ours: ms(ours), ratio: (ours / bare).toFixed(2) };
  }
}
