import { setTimeout as delay } from 'node:timers/promises';
import { PACKAGE_ROOT } from '../../test/cli/voicebot.js';
import { callsComing } from '../../test/cluster/rig/calls-coming.js';
import { ClusterRig } from '../../test/cluster/rig/cluster-rig.js';
import { atMost, type Figure } from '../figure.js';
import { runCampaign } from './campaign-of-rows.js';
import { CarrierLog } from './carrier-log.js';
import { loadFigures } from './cluster-load.js';
import { needsPrograms } from './needs-programs.js';

const RUNNERS = 3;
/** When the first runner is replaced, as a share of the time. */
const BEGINS = 0.2;
const LISTENS_MS = 15_000;
const TALKS_MS = 3_000;

/**
 * Three runners of an earlier version act as one, callers come and go, and a campaign runs. Then the runners become those of this version,
 * one after the other: two are told to stop and end their calls, the third is killed with its bots. Nothing may be lost.
 * `VOICEBOT_BENCH_FROM` is the folder of a compiled clone of the earlier version. Counts: calls, seconds, rows of the campaign.
 */
export async function* clusterUpgrade(calls = 120, seconds = 120, rows = 60): AsyncGenerator<Figure> {
  needsPrograms();
  const from = process.env.VOICEBOT_BENCH_FROM;
  if (from === undefined)
    throw new Error('VOICEBOT_BENCH_FROM is not set: the folder of a compiled clone of an earlier version');
  await using rig = await ClusterRig.start({
    runners: RUNNERS,
    root: `${from.replace(/\/+$/, '')}/`,
    environment: {
      VOICEBOT_DIAL_COUNTRIES: 'US',
      VOICEBOT_DIAL_PER_MINUTE: '600',
      VOICEBOT_DIAL_AT_ONCE: '20',
      VOICEBOT_DIAL_SECONDS_PER_NUMBER: '0',
    },
    botEnvironment: { TONE_MS: String(LISTENS_MS + TALKS_MS) },
  });
  await using log = new CarrierLog(rig.sandbox);
  const versionsBefore = await versionsOf(rig);
  const terms = { rows, perMinute: Math.ceil((rows * 60) / (seconds * 0.8)), atOnce: 10, retry: 'uncertain:1s:5' };
  const [stories, run] = await Promise.all([
    callsComing(rig.sandbox, { calls, overMs: seconds * 1_000, listensMs: LISTENS_MS }),
    runCampaign(rig.balancer.url, rig.token, terms),
    delay(seconds * 1_000 * BEGINS).then(() => replaceEach(rig)),
  ]);
  await log.read();
  const times = new Map<string, number>();
  for (const { to } of log.calls.values()) times.set(to, (times.get(to) ?? 0) + 1);
  const double = [...times.values()].filter((count) => count > 1).length;
  const open = rows - run.results.filter(({ outcome }) => outcome !== undefined).length;
  const name = (figure: string) => `upgrade of ${RUNNERS} runners: ${figure}`;
  yield { name: name('versions'), ours: `${versionsBefore} became ${await versionsOf(rig)}` };
  yield* loadFigures(stories, RUNNERS, name);
  yield { name: name('campaign is over'), ours: run.isOver ? 'yes' : 'no' };
  yield { name: name('rows without an outcome'), ours: `${open}`, ...atMost(0, open, '') };
  yield { name: name('rows never dialled'), ours: `${rows - times.size}`, ...atMost(0, rows - times.size, '') };
  yield { name: name('rows dialled twice'), ours: `${double}`, ...atMost(0, double, '') };
}

async function replaceEach(rig: ClusterRig): Promise<void> {
  for (const [at, machine] of rig.machines.entries()) {
    if (at === RUNNERS - 1) await machine.die();
    else await machine.drain();
    machine.root = PACKAGE_ROOT;
    await machine.start();
    await rig.balancer.knowsUp(RUNNERS);
  }
}

async function versionsOf({ machines }: ClusterRig): Promise<string> {
  const versions = machines.map(async (machine) => {
    const metrics = await (await machine.ask('GET', '/metrics')).text();
    return /\bversion="([^"]+)"/.exec(metrics)?.[1] ?? 'unknown';
  });
  return [...new Set(await Promise.all(versions))].join(', ');
}
