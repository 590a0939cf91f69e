import { setTimeout as delay } from 'node:timers/promises';
import { ClusterRig } from '../../test/cluster/rig/cluster-rig.js';
import type { RunnerMachine } from '../../test/cluster/rig/runner-machine.js';
import { atMost, type Figure } from '../figure.js';
import { type CampaignRun, runCampaign } from './campaign-of-rows.js';
import { CarrierLog, mostAtOnce, mostPerMinute } from './carrier-log.js';
import { needsPrograms } from './needs-programs.js';

const KILL_EVERY_MS = 20_000;
/** Before a runner that was killed is back, in milliseconds. */
const AWAY_MS = 5_000;
const REDIS_AWAY_MS = 10_000;
/** When Redis stops, in milliseconds from the beginning. */
const REDIS_STOPS_MS = [15_000, 50_000];
/** How long a bot talks to a callee, in milliseconds. */
const TALKS_MS = 3_000;
/** How often a runner that does not start is started again. */
const MOST_STARTS = 10;
const ALIVE_LIMIT_MS = 90_000;
/** A call that was never placed when its runner died is placed in another attempt, once that is certain. */
const RETRY = 'uncertain:1s:5';

/**
 * A campaign of so many rows, while a runner dies every twenty seconds and Redis stops twice. The carrier's own list says what came of it.
 * Counts: rows, calls per minute, calls at once, runners.
 */
export async function* clusterCampaign(
  rows = 1_000,
  perMinute = 300,
  atOnce = 40,
  runners = 3,
): AsyncGenerator<Figure> {
  needsPrograms();
  await using rig = await ClusterRig.start({
    runners,
    environment: {
      VOICEBOT_DIAL_COUNTRIES: 'US',
      VOICEBOT_RING_SECONDS: '5',
      VOICEBOT_DIAL_PER_MINUTE: String(perMinute),
      VOICEBOT_DIAL_AT_ONCE: String(atOnce),
      VOICEBOT_DIAL_MINUTES_PER_DAY: '1000000',
      VOICEBOT_DIAL_SECONDS_PER_NUMBER: '0',
    },
    botEnvironment: { TONE_MS: String(TALKS_MS) },
  });
  await using log = new CarrierLog(rig.sandbox);
  const startedMs = performance.now();
  const over = new AbortController();
  const troubles = Promise.all([killInTurn(rig, over.signal), stopRedis(rig, over.signal)]);
  const terms = { rows, perMinute, atOnce, retry: RETRY };
  const run = await runCampaign(rig.balancer.url, rig.token, terms);
  const tookS = (performance.now() - startedMs) / 1_000;
  over.abort();
  const [kills, stops] = await troubles;
  const alive = await aliveAfterwards(log);
  await log.read();
  yield* figures({ rows, perMinute, atOnce, kills, stops, tookS, alive, run, log });
}

interface Outcome {
  readonly rows: number;
  readonly perMinute: number;
  readonly atOnce: number;
  readonly kills: number;
  readonly stops: number;
  readonly tookS: number;
  readonly alive: number;
  readonly run: CampaignRun;
  readonly log: CarrierLog;
}

function* figures({ rows, perMinute, atOnce, kills, stops, tookS, alive, run, log }: Outcome): Generator<Figure> {
  const calls = [...log.calls.values()];
  const times = new Map<string, number>();
  for (const { to } of calls) times.set(to, (times.get(to) ?? 0) + 1);
  const double = [...times.values()].filter((count) => count > 1).length;
  const lost = rows - times.size;
  const open = rows - run.results.filter(({ outcome }) => outcome !== undefined).length;
  const attempts = run.results.reduce((sum, result) => sum + result.attempts, 0);
  const [minute, once] = [mostPerMinute(calls), mostAtOnce(calls)];
  const name = (figure: string) => `campaign of ${rows}: ${figure}`;
  yield { name: name('runners killed, times Redis was away'), ours: `${kills}, ${stops}` };
  yield { name: name('is over'), ours: run.isOver ? 'yes' : 'no' };
  yield { name: name('dialled twice'), ours: `${double}`, ...atMost(0, double, '') };
  yield { name: name('never dialled'), ours: `${lost}`, ...atMost(0, lost, '') };
  yield { name: name('rows without an outcome'), ours: `${open}`, ...atMost(0, open, '') };
  yield { name: name('attempts'), ours: `${attempts}` };
  yield { name: name('most within a minute'), ours: `${minute}`, ...atMost(perMinute, minute, '') };
  yield { name: name('most at once'), ours: `${once}`, ...atMost(atOnce, once, '') };
  yield { name: name('alive afterwards'), ours: `${alive}`, ...atMost(0, alive, '') };
  yield { name: name('outcomes'), ours: outcomesOf(run) };
  yield { name: name('questions without an answer'), ours: `${run.unanswered}` };
  yield { name: name('time'), ours: `${tookS.toFixed(0)} s` };
}

async function killInTurn(rig: ClusterRig, signal: AbortSignal): Promise<number> {
  let kills = 0;
  while (await waits(KILL_EVERY_MS, signal)) {
    const machine = rig.machine(kills % rig.machines.length);
    await machine.die();
    kills += 1;
    await waits(AWAY_MS, signal);
    await startAgain(machine);
  }
  return kills;
}

/** As a process manager does it: a runner that finds no Redis ends, and is started again. */
async function startAgain(machine: RunnerMachine): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await machine.start();
    } catch (error) {
      if (tries >= MOST_STARTS) throw error;
      await delay(2_000);
    }
  }
}

async function stopRedis({ redis }: ClusterRig, signal: AbortSignal): Promise<number> {
  let [stops, waited] = [0, 0];
  for (const at of REDIS_STOPS_MS) {
    if (!(await waits(at - waited, signal)) || !redis) break;
    await redis.stop();
    stops += 1;
    await waits(REDIS_AWAY_MS, signal);
    await redis.start();
    waited = at + REDIS_AWAY_MS;
  }
  return stops;
}

/** @returns false when the signal came first */
const waits = (forMs: number, signal: AbortSignal): Promise<boolean> =>
  delay(forMs, true, { signal }).catch(() => false);

async function aliveAfterwards(log: CarrierLog): Promise<number> {
  const limit = performance.now() + ALIVE_LIMIT_MS;
  for (;;) {
    const alive = await log.alive();
    if (alive === 0 || performance.now() > limit) return alive;
    await delay(500);
  }
}

function outcomesOf({ results }: CampaignRun): string {
  const counts = new Map<string, number>();
  for (const { outcome = 'none' } of results) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
}
