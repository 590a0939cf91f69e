/** What the doctor says of a cluster. */
import { hostname } from 'node:os';
import { PassThrough } from 'node:stream';
import { clusterNameOf } from '../../src/assembly/cluster-of-run.js';
import { silentLogger } from '../../src/base/logger.js';
import { packageVersion } from '../../src/base/package-version.js';
import { examineCluster } from '../../src/cli/doctor/cluster-check.js';
import { Findings } from '../../src/cli/doctor/findings.js';
import { ClusterMembers } from '../../src/cluster/members/cluster-members.js';
import { RedisLink } from '../../src/cluster/redis/redis-link.js';
import { resolveConfig } from '../../src/config/config.js';
import { carrierByName } from '../../src/providers/registry/carriers.js';
import { Output } from '../../src/terminal/output.js';
import { describeWithRedis, RedisServer } from '../cluster/redis-server.js';
import { freePort } from '../free-port.js';

const ACCOUNT = {
  kind: 'carrier' as const,
  carrier: carrierByName('plivo'),
  credentials: { authId: 'MATESTTESTTESTTEST00', authToken: 'a-token', apiUrl: 'http://127.0.0.1:9/v1' },
};

/** What is found of a cluster at this address. */
async function found(url: string | undefined) {
  const environment = { VOICEBOT_CLUSTER: url, VOICEBOT_PUBLIC_URL: 'https://bot.example.com' };
  const config = await resolveConfig({ flags: {}, environment, directory: '/nowhere' });
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const findings = new Findings(new Output(streams));
  await examineCluster(findings, config, ACCOUNT);
  const named = (name: string) => findings.all.find(({ check }) => check === name);
  return { cluster: named('cluster'), runners: named('runners') };
}

/** A runner of the cluster of {@link ACCOUNT}. */
async function runnerOn(server: RedisServer, version: string) {
  const redis = await RedisLink.connect({ url: server.url, name: clusterNameOf(ACCOUNT), logger: silentLogger });
  const members = new ClusterMembers({ redis, version });
  await members.join({ peerUrl: 'http://127.0.0.1:1' }, () => ({ calls: 3, warm: 0, lateMs: 0, isDraining: false }));
  return {
    redis,
    async [Symbol.asyncDispose]() {
      await members.leave();
      redis.close();
    },
  };
}

test('nothing is said where there is no cluster', async () => {
  expect(await found(undefined)).toEqual({});
});

test('a cluster without an account: a failure before anything is asked', async () => {
  const environment = { VOICEBOT_CLUSTER: 'redis://127.0.0.1:1', VOICEBOT_PUBLIC_URL: 'https://bot.example.com' };
  const config = await resolveConfig({ flags: {}, environment, directory: '/nowhere' });
  const findings = new Findings(new Output({ stdout: new PassThrough(), stderr: new PassThrough() }));
  await examineCluster(findings, config, undefined);
  expect(findings.all).toMatchObject([{ check: 'cluster', status: 'failure', code: 'VB_CONFIG_INVALID' }]);
});

describeWithRedis('the doctor and a cluster', () => {
  test('Redis is named, and the runners with machine and version; nothing is joined', async () => {
    await using server = await RedisServer.start();
    await using other = await runnerOn(server, packageVersion());
    const { cluster, runners } = await found(server.url);
    expect(cluster).toMatchObject({ status: 'ok', message: expect.stringContaining(server.url) });
    const message = `1: ${hostname()} (process ${process.pid}, ${packageVersion()}, 3 calls)`;
    expect(runners).toMatchObject({ status: 'ok', message });
    expect(await other.redis.run((client) => client.zcard(other.redis.key('members')))).toBe(1);
  });

  test('runners of another version: a failure', async () => {
    await using server = await RedisServer.start();
    await using _ = await runnerOn(server, '0.0.1');
    expect((await found(server.url)).runners).toMatchObject({ status: 'failure', code: 'VB_CLUSTER_UNSUITABLE' });
  });

  test('a Redis that writes nothing down: a warning', async () => {
    await using server = await RedisServer.start('--appendonly', 'no');
    const { cluster, runners } = await found(server.url);
    expect(cluster).toMatchObject({ status: 'warning', fix: expect.stringContaining('appendonly') });
    expect(runners).toMatchObject({ status: 'ok', message: 'none is there yet' });
  });

  test('one that throws keys away, one that is not there: failures with their codes', async () => {
    await using evicting = await RedisServer.start('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru');
    expect((await found(evicting.url)).cluster).toMatchObject({ code: 'VB_CLUSTER_UNSUITABLE' });
    const nobody = `redis://127.0.0.1:${await freePort()}`;
    expect((await found(nobody)).cluster).toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
  });

  test('a wrong password: a failure that does not repeat it', async () => {
    await using locked = await RedisServer.start('--requirepass', 'correct-horse');
    const { cluster } = await found(`redis://:wrong-battery@127.0.0.1:${locked.port}`);
    expect(cluster).toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
    expect(JSON.stringify(cluster)).not.toContain('wrong-battery');
  });
});
