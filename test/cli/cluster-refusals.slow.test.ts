import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterNameOf } from '../../src/assembly/cluster-of-run.js';
import { silentLogger } from '../../src/base/logger.js';
import { ClusterMembers } from '../../src/cluster/members/cluster-members.js';
import { RedisLink } from '../../src/cluster/redis/redis-link.js';
import { carrierByName } from '../../src/providers/registry/carriers.js';
import { describeWithRedis, RedisServer } from '../cluster/redis-server.js';
import { freePort } from '../free-port.js';
import { command } from './in-process.js';
import { PACKAGE_ROOT, voicebot } from './voicebot.js';

const PASSWORD = 'correct-horse';
const WRONG = 'wrong-battery';
const CREDENTIALS = {
  authId: 'MATESTTESTTESTTEST00',
  authToken: 'a-token-of-the-account',
  apiUrl: 'http://127.0.0.1:9/v1',
};
const ACCOUNT = {
  CARRIER: 'plivo',
  CARRIER_AUTH_ID: CREDENTIALS.authId,
  CARRIER_AUTH_TOKEN: CREDENTIALS.authToken,
  CARRIER_API_URL: CREDENTIALS.apiUrl,
};
const PUBLIC = ['--public-url', 'https://bot.example.com'];
const BOT = join(PACKAGE_ROOT, 'templates/echo/bot.ts');

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'voicebot-cluster-'));
});
afterEach(() => rm(home, { recursive: true }));

interface Refused {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** No word of a secret in what it has said. */
function expectNothingSecret({ stdout, stderr }: Refused): void {
  for (const secret of [PASSWORD, WRONG, CREDENTIALS.authToken]) expect(stdout + stderr).not.toContain(secret);
}

/** Inside this process. @returns what it says, and the exit code */
async function refused(args: readonly string[], environment: Record<string, string> = {}): Promise<Refused> {
  const { PATH } = process.env;
  const settings = { PATH, VOICEBOT_HOME: home, ...environment };
  const finished = await command(['run', BOT, '--port', '0', ...args], home, settings).finished;
  expectNothingSecret(finished);
  return finished;
}

/** The real command. */
async function refusedAsProcess(args: readonly string[], environment: Record<string, string>): Promise<Refused> {
  const env = { VOICEBOT_HOME: home, ...environment };
  const finished = await voicebot(['run', BOT, '--port', '0', ...args], { env, cwd: home });
  expectNothingSecret(finished);
  return finished;
}

describe('what could never be a cluster is refused before anything is opened: exit 3', () => {
  test('--cluster without an account', async () => {
    const { exitCode, stderr } = await refused(['--cluster', 'redis://127.0.0.1:1', ...PUBLIC]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('a cluster needs an account');
  });

  test('--cluster without a public address', async () => {
    const { exitCode, stderr } = await refused(['--cluster', 'redis://127.0.0.1:1'], ACCOUNT);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('one public address for all its runners');
  });

  test('--advertise without --cluster', async () => {
    const { exitCode, stderr } = await refused(['--advertise', 'wss://one.example.com', ...PUBLIC], ACCOUNT);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('--advertise is for a runner of a cluster');
  });
});

describe('addresses that are none are refused, and no password is repeated', () => {
  test('a password on the command line, which other programs see: exit 2', async () => {
    const args = ['--cluster', `redis://:${PASSWORD}@127.0.0.1:6379`, ...PUBLIC];
    const { exitCode, stderr } = await refused(args, ACCOUNT);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('VOICEBOT_CLUSTER');
  });

  test('a password in an address that is none: exit 2', async () => {
    const { exitCode, stderr } = await refused(['--cluster', `http://:${PASSWORD}@127.0.0.1`, ...PUBLIC], ACCOUNT);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('redis://127.0.0.1:6379');
  });

  test.each(['http://127.0.0.1:6379', '127.0.0.1:6379', 'redis://', 'redis://127.0.0.1/one'])(
    '%s: exit 2',
    async (url) => {
      const { exitCode, stderr } = await refused(['--cluster', url, ...PUBLIC], ACCOUNT);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('redis://127.0.0.1:6379');
    },
  );

  test('one with a password in the environment that is none: exit 3', async () => {
    const environment = { ...ACCOUNT, VOICEBOT_CLUSTER: `http://:${PASSWORD}@127.0.0.1:6379` };
    const { exitCode, stderr } = await refused(PUBLIC, environment);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('VOICEBOT_CLUSTER');
  });
});

describeWithRedis('a Redis that cannot be reached: exit 5', () => {
  test('nobody is there', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const { exitCode, stderr } = await refusedAsProcess(['--cluster', url, ...PUBLIC], ACCOUNT);
    expect(exitCode).toBe(5);
    expect(stderr).toContain(url);
    expect(stderr).toContain('VB_CLUSTER_UNREACHABLE');
  }, 30_000);

  test('it refuses the password', async () => {
    await using server = await RedisServer.start('--requirepass', PASSWORD);
    const url = `redis://:${WRONG}@127.0.0.1:${server.port}`;
    const { exitCode, stderr } = await refusedAsProcess(PUBLIC, { ...ACCOUNT, VOICEBOT_CLUSTER: url });
    expect(exitCode).toBe(5);
    expect(stderr).toContain('refuses the password');
  }, 30_000);

  test('it wants a password, and none is given', async () => {
    await using server = await RedisServer.start('--requirepass', PASSWORD);
    const { exitCode, stderr } = await refused(['--cluster', server.url, ...PUBLIC], ACCOUNT);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('refuses the password');
  });

  test('TLS is asked of one that does not speak it', async () => {
    await using server = await RedisServer.start();
    const url = `rediss://127.0.0.1:${server.port}`;
    const { exitCode, stderr } = await refused(['--cluster', url, ...PUBLIC], ACCOUNT);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('rediss://');
  });

  test('it stands still', async () => {
    await using server = await RedisServer.start();
    server.freeze();
    const startedAt = performance.now();
    const { exitCode } = await refused(['--cluster', server.url, ...PUBLIC], ACCOUNT);
    expect(exitCode).toBe(5);
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });
});

describeWithRedis('a Redis that cannot be relied on: exit 3', () => {
  test('one that throws keys away when its memory is full', async () => {
    await using server = await RedisServer.start('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru');
    const { exitCode, stderr } = await refusedAsProcess(['--cluster', server.url, ...PUBLIC], ACCOUNT);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('maxmemory-policy allkeys-lru');
    expect(stderr).toContain('noeviction');
  }, 30_000);

  test('one whose clock is far from that of this machine', async () => {
    await using server = await RedisServer.start();
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 5_000);
    const { exitCode, stderr } = await refused(['--cluster', server.url, ...PUBLIC], ACCOUNT);
    jest.restoreAllMocks();
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/clock of this machine is \S+ s behind/);
  });
});

describeWithRedis('a runner that is not like the others: exit 3', () => {
  /** Another runner of the cluster of {@link ACCOUNT}. */
  async function other(
    server: RedisServer,
    version: string,
    peerUrl: string,
    advertise?: string,
    publicUrl = 'https://bot.example.com',
  ) {
    const account = { kind: 'carrier' as const, carrier: carrierByName('plivo'), credentials: CREDENTIALS };
    const redis = await RedisLink.connect({ url: server.url, name: clusterNameOf(account), logger: silentLogger });
    const members = new ClusterMembers({ redis, version });
    await members.join({ peerUrl, advertise, publicUrl }, () => ({ calls: 0, warm: 0, lateMs: 0, isDraining: false }));
    return {
      async [Symbol.asyncDispose]() {
        await members.leave();
        redis.close();
      },
    };
  }
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));

  test('another version of voicebot', async () => {
    await using server = await RedisServer.start();
    await using _ = await other(server, '0.0.1', 'http://127.0.0.1:1');
    const { exitCode, stderr } = await refused(['--cluster', server.url, ...PUBLIC], ACCOUNT);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`of voicebot 0.0.1, and this one is of ${version}`);
  }, 30_000);

  test('an address that another has', async () => {
    await using server = await RedisServer.start();
    await using _ = await other(server, version, 'https://one.example.com', 'wss://one.example.com');
    const args = ['--cluster', server.url, '--advertise', 'wss://one.example.com', ...PUBLIC];
    const { exitCode, stderr } = await refused(args, ACCOUNT);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`process ${process.pid}`);
    expect(stderr).toContain('--advertise');
  }, 30_000);

  test('another public address', async () => {
    await using server = await RedisServer.start();
    await using _ = await other(server, version, 'http://127.0.0.1:1', undefined, 'https://laptop.example.com');
    const { exitCode, stderr } = await refused(['--cluster', server.url, ...PUBLIC], ACCOUNT);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('https://laptop.example.com, and that of this one is https://bot.example.com');
    expect(stderr).toContain('--public-url');
  }, 30_000);
});
