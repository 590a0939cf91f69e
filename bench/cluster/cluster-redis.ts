import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { callsComing } from '../../test/cluster/rig/calls-coming.js';
import { ClusterRig } from '../../test/cluster/rig/cluster-rig.js';
import type { Figure } from '../figure.js';
import { needsPrograms } from './needs-programs.js';

/** How long Redis is looked at before the first call, in milliseconds. */
const IDLE_MS = 10_000;
const LISTENS_MS = 5_000;

/** What a Redis has done so far. */
interface Done {
  readonly commands: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly cpuS: number;
  readonly atMs: number;
}

/** What Redis carries for a call, and for runners that have none. Counts: calls, seconds, runners. */
export async function* clusterRedis(calls = 200, seconds = 60, runners = 3): AsyncGenerator<Figure> {
  needsPrograms();
  await using rig = await ClusterRig.start({ runners, isCluster: true });
  const client = new Redis(rig.redis?.url ?? '');
  try {
    await delay(2_000);
    const first = await doneBy(client);
    await delay(IDLE_MS);
    const idle = difference(first, await doneBy(client));
    const before = await doneBy(client);
    await callsComing(rig.sandbox, { calls, overMs: seconds * 1_000, listensMs: LISTENS_MS });
    await delay(1_000);
    const busy = difference(before, await doneBy(client));
    const share = busy.atMs / idle.atMs;
    const perCall = (of: keyof Done) => (busy[of] - idle[of] * share) / calls;
    const perSecond = (of: keyof Done) => ((idle[of] / idle.atMs) * 1_000) / runners;
    const name = (figure: string) => `Redis, ${figure}`;
    yield { name: name('a runner without calls, per second'), ours: `${perSecond('commands').toFixed(1)} commands` };
    yield { name: name('the same, in and out'), ours: kib(perSecond('bytesIn') + perSecond('bytesOut')) };
    yield { name: name('an inbound call'), ours: `${perCall('commands').toFixed(1)} commands` };
    yield { name: name('the same, in'), ours: kib(perCall('bytesIn')) };
    yield { name: name('the same, out'), ours: kib(perCall('bytesOut')) };
    yield { name: name('the same, processor'), ours: `${(perCall('cpuS') * 1e6).toFixed(0)} us` };
  } finally {
    client.disconnect();
  }
}

const kib = (bytes: number) => `${(bytes / 1_024).toFixed(1)} KiB`;

async function doneBy(client: Redis): Promise<Done> {
  const text = await client.info();
  const field = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1] ?? Number.NaN);
  // Each script counts as one command, and those that it calls are counted beside it.
  return {
    commands: field('total_commands_processed'),
    bytesIn: field('total_net_input_bytes'),
    bytesOut: field('total_net_output_bytes'),
    cpuS: field('used_cpu_sys') + field('used_cpu_user'),
    atMs: performance.now(),
  };
}

const difference = (before: Done, after: Done): Done => ({
  commands: after.commands - before.commands,
  bytesIn: after.bytesIn - before.bytesIn,
  bytesOut: after.bytesOut - before.bytesOut,
  cpuS: after.cpuS - before.cpuS,
  atMs: after.atMs - before.atMs,
});
