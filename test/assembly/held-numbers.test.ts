import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leaseAccountOf } from '../../src/assembly/account.js';
import { HeldNumbers } from '../../src/assembly/held-numbers.js';
import { silentLogger } from '../../src/base/logger.js';
import { RedisLink } from '../../src/cluster/redis/redis-link.js';
import { accountAt } from '../cli/left-numbers.js';
import { ToldMembers } from '../cluster/numbers/told-members.js';
import { describeWithRedis, RedisServer } from '../cluster/redis-server.js';
import { Accounts } from '../e2e/accounts.js';

const SECRET = Buffer.from('secret of the runners, long enough').toString('base64');
const OPTIONS = { secret: SECRET, isTaking: false } as const;
const URLS = { answerUrl: 'http://cluster.localhost:9/answer', hangupUrl: 'http://cluster.localhost:9/hangup' };

describeWithRedis('the numbers of runs of one cluster', () => {
  let server: RedisServer;
  let accounts: Accounts;
  let home: string;
  const alive = new Set<string>();
  const opened: Array<() => Promise<void> | void> = [];

  beforeEach(async () => {
    server = await RedisServer.start();
    accounts = await Accounts.open();
    home = mkdtempSync(join(tmpdir(), 'voicebot-held-'));
  });
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
    alive.clear();
    await accounts[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  async function run(id: string): Promise<HeldNumbers> {
    const redis = await RedisLink.connect({ url: server.url, name: 'test', logger: silentLogger });
    const cluster = { redis, members: new ToldMembers(id, alive) };
    const account = { ...accountAt(accounts, 'carrier'), phoneNumber: '+12025550100' };
    const held = await HeldNumbers.open(account, join(home, id), silentLogger, cluster);
    opened.push(
      () => redis.close(),
      () => held.close(),
    );
    return held;
  }

  test('are chosen, taken and joined, and go back with the last run', async () => {
    const before = await accounts.stored();
    const runs = [await run('a'), await run('b')];
    const outcomes: string[] = [];
    for (const held of runs) {
      const { number } = await held.choose(false);
      expect(await held.restoreOrphans()).toEqual([]);
      await held.take(number, URLS, OPTIONS, new AbortController().signal);
      expect(held.leases()).toHaveLength(1);
    }
    for (const held of runs) {
      await held.giveBack(AbortSignal.timeout(5_000), (_, outcome) => void outcomes.push(outcome));
      expect(held.leases()).toEqual([]);
    }
    expect(outcomes).toEqual(['left_to_others', 'restored']);
    expect(await accounts.stored()).toEqual(before);
  }, 30_000);

  test('are refused early while Redis is away, and what is held is named', async () => {
    const [a, b] = [await run('a'), await run('b')];
    await a.take('+12025550100', URLS, OPTIONS, new AbortController().signal);
    await server.stop();
    await expect(b.choose(false)).rejects.toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
    await expect(b.restoreOrphans()).rejects.toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
    await expect(a.giveBack(AbortSignal.timeout(5_000))).rejects.toMatchObject({ code: 'VB_RESTORE_FAILED' });
    expect(a.leases().map(({ number }) => number)).toEqual(['+12025550100']);
    // It is on the disk of that machine, for the command that gives it back.
    expect(a.journal.read(leaseAccountOf(accountAt(accounts, 'carrier')), '+12025550100')).toBeDefined();
  }, 30_000);
});
