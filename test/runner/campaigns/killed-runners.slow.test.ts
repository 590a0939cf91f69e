import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithRedis } from '../../cluster/redis-server.js';
import { until } from '../../e2e/processes.js';
import { ProgramToKill } from '../../program-to-kill.js';
import { CampaignRig, type QueueKind } from './campaign-rig.js';
import { NEWS_WITHIN_MS, numberOf } from './runner-of-campaigns.js';

const RUNNER_TO_KILL = new URL('runner-to-kill.ts', import.meta.url);
/** Longest time until the runner has begun its campaign, in milliseconds. */
const START_LIMIT_MS = 60_000;

interface KilledRunner {
  readonly campaign: string;
  readonly runner: string;
  /** The calls it has placed. */
  readonly calls: ReadonlyArray<{ phoneNumber: string; callId: string }>;
}

/** A runner that was killed with some of its calls on the line. */
async function killed(rig: CampaignRig, rows: number, atOnce: number, atCall: number): Promise<KilledRunner> {
  const log = join(rig.stateDirectory, 'calls.log');
  const runner = randomUUID();
  // In a cluster it was on a machine that nobody sees again.
  const directory = rig.redis ? rig.machine() : rig.stateDirectory;
  const args = [directory, log, rig.redis?.url ?? '-', `${rows}`, `${atOnce}`, runner];
  const callsIn = () => {
    const lines = read(log).trim().split('\n').filter(Boolean);
    return lines.map((line) => line.split(' ')).map(([phoneNumber = '', callId = '']) => ({ phoneNumber, callId }));
  };
  try {
    await using program = new ProgramToKill(RUNNER_TO_KILL, args);
    const campaign = await program.lines.next(undefined, START_LIMIT_MS);
    await until(() => callsIn().length >= atCall, 'it has placed calls');
    return { campaign, runner, calls: callsIn() };
  } finally {
    rig.bury(runner);
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has placed none
  }
}

function behaves(kind: QueueKind): void {
  test('nobody whom it has called is called again, and everybody else is', async () => {
    await using rig = await CampaignRig.start(kind);
    const { campaign, calls } = await killed(rig, 12, 3, 3);
    const runner = await rig.runner(undefined, rig.redis ? rig.machine() : undefined);
    const results = await runner.over(campaign, 20_000);
    const called = new Set(calls.map(({ phoneNumber }) => phoneNumber));
    expect(called.size).toBe(3);
    for (const { phoneNumber, outcome, attempts } of results) {
      const expected = called.has(phoneNumber) ? ['uncertain', 1, 0] : ['bot_ended', 1, 1];
      expect([outcome, attempts, runner.phones.timesOf(phoneNumber)]).toEqual(expected);
    }
  }, 60_000);

  test('a call of which something is heard is concluded with what became of it', async () => {
    await using rig = await CampaignRig.start(kind);
    const { campaign, calls } = await killed(rig, 1, 1, 1);
    const runner = await rig.runner(undefined, rig.redis ? rig.machine() : undefined);
    const [call] = calls;
    await until(() => runner.progress(campaign).running === 1, 'it is known that it was placed');
    runner.phones.tell({ body: {}, phoneNumber: numberOf(1), callId: call?.callId ?? '' }, 'caller_hung_up');
    expect(await runner.over(campaign)).toMatchObject([
      { outcome: 'caller_hung_up', attempts: 1, callId: call?.callId },
    ]);
    expect(runner.phones.dialled.all).toEqual([]);
  }, 60_000);

  test('until it is certain that nothing is heard of a call, nobody is called in its place', async () => {
    await using rig = await CampaignRig.start(kind);
    const { campaign } = await killed(rig, 3, 1, 1);
    const killedAt = performance.now();
    const runner = await rig.runner(undefined, rig.redis ? rig.machine() : undefined);
    const first = await runner.phones.dialled.next(undefined, 15_000);
    expect(first.at - killedAt).toBeGreaterThan(NEWS_WITHIN_MS - 1_000);
    expect(runner.campaigns.results(campaign)?.[0]).toMatchObject({ outcome: 'uncertain' });
  }, 60_000);
}

describe('a runner alone that is killed', () => behaves('files'));
describeWithRedis('a runner of a cluster that is killed', () => behaves('redis'));
