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
  let before: string[];
  const children = new Set<ChildProcess>();

  async function open(name: ProviderName): Promise<void> {
    server = await RedisServer.start();
    account = await PlayedAccount.open(name);
    before = await account.stored();
  }
  async function close(): Promise<void> {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    await account[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  }

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
      tell: (what: 'take' | 'give back') => child.stdin.write(`${what}\n`),
    };
  }

  const pointsAt = async (host: string) => (await account.answeredAt()) === urlsOf(account.name, host).answerUrl;

  describe.each(PROVIDERS)('at %s', (name) => {
    let first: Awaited<ReturnType<typeof start>>;
    let second: typeof first;
    beforeAll(async () => {
      await open(name);
      [first, second] = [await start('first'), await start('second')];
    }, 60_000);
    afterAll(close);

    test('and wakes after another has taken the number changes nothing any more', async () => {
      first.tell('take');
      expect(await first.line()).toBe('taken');
      first.child.kill('SIGSTOP');
      second.tell('take');
      expect(await second.line()).toBe('taken');
      const { writes } = account.writes;
      first.child.kill('SIGCONT');
      for (let looks = 0; looks < LOOKS; looks += 1) expect(await pointsAt('second')).toBe(true);
      first.tell('give back');
      expect(await first.line()).toBe('foreign');
      for (let looks = 0; looks < LOOKS; looks += 1) expect(await pointsAt('second')).toBe(true);
      expect(account.writes.writes).toBe(writes);
      second.tell('give back');
      expect(await second.line()).toBe('restored');
      expect(await account.stored()).toEqual(before);
    }, 60_000);

    // The numbers of this one are changed as Plivo's are, by the same writes.
    if (name === 'telnyx') return;

    test('in the middle of a change that arrives after another has taken the number is undone by that', async () => {
      account.writes.writes = 0;
      first.tell('take');
      expect(await first.line()).toBe('taken');
      first.tell('give back');
      expect(await first.line()).toBe('restored');
      const total = account.writes.writes;
      for (let nth = 1; nth <= total; nth += 1) {
        account.writes.writes = 0;
        const [held, arrives] = [deferred(), deferred()];
        account.writes.at = async (write, moment) => {
          if (write !== nth || moment !== 'before') return true;
          held.resolve();
          await arrives.promise;
          return true;
        };
        first.tell('take');
        first.tell('give back');
        await held.promise;
        first.child.kill('SIGSTOP');
        second.tell('take');
        expect([nth, await second.line()]).toEqual([nth, 'taken']);
        arrives.resolve();
        first.child.kill('SIGCONT');
        await Promise.all([first.line(), first.line()]);
        await until(() => pointsAt('second'), 'it points at the second');
        for (let looks = 0; looks < LOOKS; looks += 1) expect([nth, await pointsAt('second')]).toEqual([nth, true]);
        second.tell('give back');
        expect([nth, await second.line()]).toEqual([nth, 'restored']);
        expect([nth, ...(await account.stored())]).toEqual([nth, ...before]);
      }
    }, 120_000);
  });

  describe('while others hold the number too', () => {
    afterAll(close);

    test('and is killed leaves the number with them', async () => {
      await open('plivo');
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
        other.tell('give back');
        outcomes.push(await other.line());
      }
      expect(outcomes[0]).toBe('left_to_others');
      // Had the lease of the killed one not run out yet, the next run would put the number back.
      expect(outcomes[1]).toMatch(/^(restored|left_to_others)$/);
      if (outcomes[1] === 'restored') expect(await account.stored()).toEqual(before);
    }, 60_000);
  });
});
