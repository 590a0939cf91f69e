import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { deferred } from '../../../src/base/async/deferred.js';
import { bundledProgram } from '../../e2e/bundled-program.js';
import { until } from '../../e2e/processes.js';
import { describeWithRedis, RedisServer } from '../redis-server.js';
import { PlayedAccount, PROVIDERS, type ProviderName } from './played-account.js';
import { urlsOf } from './provider-access.js';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
/** How long nothing may go wrong after all is as it should be, in looks at the provider. */
const LOOKS = 20;

let home: string;
let program: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-stopped-'));
  program = await bundledProgram(fileURLToPath(new URL('holder-process.ts', import.meta.url)), home, import.meta.url);
}, 60_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

describeWithRedis('a process that stands still', () => {
  let server: RedisServer;
  let account: PlayedAccount;
  const children = new Set<ChildProcess>();

  async function open(name: ProviderName): Promise<void> {
    server = await RedisServer.start();
    account = await PlayedAccount.open(name);
  }
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    await account[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  async function start(id: string, host = id) {
    const args = [program, account.name, server.url, join(home, `${id}-${server.port}`), id, host];
    const child = spawn(process.execPath, args, {
      cwd: PROJECT,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, CREDENTIALS: JSON.stringify(account.credentials) },
    });
    children.add(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const exit = once(child, 'exit');
    const line = async (): Promise<string | undefined> => (await lines.next()).value;
    expect(await line()).toBe('ready');
    return {
      child,
      exit,
      line,
      tell: (what: 'take' | 'end') => child.stdin.write(`${what}\n`),
    };
  }

  const pointsAt = async (host: string) => (await account.answeredAt()) === urlsOf(account.name, host).answerUrl;

  describe.each(PROVIDERS)('at %s', (name) => {
    test('and wakes after another has taken the number changes nothing any more', async () => {
      await open(name);
      const before = await account.stored();
      const [first, second] = [await start('first'), await start('second')];
      first.tell('take');
      expect(await first.line()).toBe('taken');
      first.child.kill('SIGSTOP');
      second.tell('take');
      expect(await second.line()).toBe('taken');
      const { writes } = account.writes;
      first.child.kill('SIGCONT');
      for (let looks = 0; looks < LOOKS; looks += 1) expect(await pointsAt('second')).toBe(true);
      first.tell('end');
      expect(await first.line()).toBe('foreign');
      for (let looks = 0; looks < LOOKS; looks += 1) expect(await pointsAt('second')).toBe(true);
      expect(account.writes.writes).toBe(writes);
      second.tell('end');
      expect(await second.line()).toBe('restored');
      expect(await account.stored()).toEqual(before);
      await Promise.all([first.exit, second.exit]);
    }, 60_000);

    test('in the middle of a change that arrives after another has taken the number is undone by that', async () => {
      await open(name);
      const before = await account.stored();
      const whole = await start('whole');
      whole.tell('take');
      expect(await whole.line()).toBe('taken');
      whole.tell('end');
      expect(await whole.line()).toBe('restored');
      const total = account.writes.writes;
      for (let nth = 1; nth <= total; nth += 1) {
        account.writes.writes = 0;
        const [first, second] = [await start('first'), await start('second')];
        const [held, arrives] = [deferred(), deferred()];
        account.writes.at = async (write, moment) => {
          if (write !== nth || moment !== 'before') return true;
          held.resolve();
          await arrives.promise;
          return true;
        };
        first.tell('take');
        first.tell('end');
        await held.promise;
        first.child.kill('SIGSTOP');
        second.tell('take');
        expect([nth, await second.line()]).toEqual([nth, 'taken']);
        arrives.resolve();
        first.child.kill('SIGCONT');
        await first.exit;
        await until(() => pointsAt('second'), 'it points at the second');
        for (let looks = 0; looks < LOOKS; looks += 1) expect([nth, await pointsAt('second')]).toEqual([nth, true]);
        second.tell('end');
        expect([nth, await second.line()]).toEqual([nth, 'restored']);
        expect([nth, ...(await account.stored())]).toEqual([nth, ...before]);
        await second.exit;
      }
    }, 120_000);
  });

  test('and is killed leaves the number with those that hold it too', async () => {
    await open('plivo');
    const before = await account.stored();
    const holders = [await start('a', 'cluster'), await start('b', 'cluster'), await start('c', 'cluster')];
    for (const holder of holders) {
      holder.tell('take');
      expect(await holder.line()).toBe('taken');
    }
    const [first, ...others] = holders;
    first?.child.kill('SIGKILL');
    await first?.exit;
    const outcomes: unknown[] = [];
    for (const other of others) {
      expect(await pointsAt('cluster')).toBe(true);
      other.tell('end');
      outcomes.push(await other.line());
      await other.exit;
    }
    expect(outcomes[0]).toBe('left_to_others');
    // Had the lease of the killed one not run out yet, the next run would put the number back.
    expect(outcomes[1]).toMatch(/^(restored|left_to_others)$/);
    if (outcomes[1] === 'restored') expect(await account.stored()).toEqual(before);
  }, 60_000);
});
