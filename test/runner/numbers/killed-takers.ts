import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { silentLogger } from '../../../src/base/logger.js';
import { daily } from '../../../src/providers/daily/provider.js';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import { NumberLease } from '../../../src/runner/numbers/number-lease.js';
import { restoreOrphans } from '../../../src/runner/numbers/restore-leases.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js';
import { NoLimits } from '../../cluster/numbers/played-account.js';
import { WriteCounter } from './write-counter.js';

const API_KEY = 'room-api-key-of-the-tests';
const ACCOUNT = { provider: daily.name, id: '0123456789abcdef', apiUrl: 'http://127.0.0.1:1/v1' };
const TAKER = fileURLToPath(new URL('taker.ts', import.meta.url));
export const NUMBERS = ['+12025550100', '+12025550111', '+12025550112'];
export const SHAPES = ['an entry of its own', 'an entry in the array', 'nothing'];
/** Of a whole life: each number is set, moved and put back. */
export const WRITES = 9;
const secretOf = (name: string) => Buffer.from(`the secret of ${name}`).toString('base64');

let home: string;
let taker: string;
let sandbox: Sandbox;
export let proxy: WriteCounter;
const children = new Set<ChildProcess>();

let state: string;
/** Ten numbers; nine entries of other people or of ours, with secrets, in both places. */
async function configure(): Promise<void> {
  const entry = (number: string) => ({
    phone_number: number,
    room_creation_api: `http://127.0.0.1:9/of-${number.slice(-4)}`,
    name_prefix: `desk ${number.slice(-4)}`,
    hmac: secretOf(number),
  });
  const legacy = ['+12025550113', '+12025550111', '+12025550114', '+12025550115'].map(entry);
  const { phone_number: _, ...sipOnly } = entry('sip-only');
  await api('POST', '/', { properties: { pinless_dialin: [...legacy, sipOnly] } });
  for (const number of ['+12025550116', '+12025550117', '+12025550100', '+12025550118', '+12025550119']) {
    await api('POST', '/domain-dialin-config', { type: 'pinless_dialin', ...entry(number) });
  }
}

async function api(method: string, path: string, fields?: object): Promise<string> {
  const answer = await fetch(sandbox.roomsApiUrl + path, {
    method,
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    ...(fields && { body: JSON.stringify(fields) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

/** The raw bytes of all dial-in settings. */
export const stored = async () => (await api('GET', '/')) + (await api('GET', '/domain-dialin-config'));

/** A process that takes numbers. */
export function start(numbers: readonly string[], how: 'whole' | 'hold', host = '127.0.0.1') {
  const child = spawn(process.execPath, [taker, proxy.url, state, host, numbers.join(','), how], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ROOMS_API_KEY: API_KEY },
  });
  children.add(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exit = once(child, 'exit');
  return {
    child,
    exit,
    go: () => child.stdin.write('\n'),
    line: async (): Promise<string | undefined> => (await lines.next()).value,
  };
}

const journal = () => new LeaseJournal(state);
export const entries = () => readdirSync(join(state, 'leases')).filter((name) => name.endsWith('.json'));

async function restoreHere() {
  const routing = await daily.createNumberRouting({ apiKey: API_KEY, apiUrl: sandbox.roomsApiUrl });
  try {
    return await restoreOrphans({ routing, account: ACCOUNT, journal: journal() });
  } finally {
    await routing.close();
  }
}

async function takeAndGiveBack(number: string): Promise<void> {
  const routing = await daily.createNumberRouting({ apiKey: API_KEY, apiUrl: sandbox.roomsApiUrl });
  const urls = { answerUrl: 'http://127.0.0.1:3/rooms-dialin-webhook', hangupUrl: 'http://127.0.0.1:3' };
  const options = { routing, account: ACCOUNT, number, urls, secret: secretOf('the next'), journal: journal() };
  try {
    const lease = await NumberLease.take({ ...options, isTaking: false, logger: silentLogger });
    expect(await lease.giveBack()).toBe('restored');
  } finally {
    await routing.close();
  }
}

/**
 * Gives the tests of a file a sandbox with the settings of several people, which each of them leaves as it was, and each test a folder
 * for what is taken.
 */
export function useTakers(): void {
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'voicebot-taker-'));
    taker = join(home, 'taker.cjs');
    await build({
      entryPoints: [TAKER],
      outfile: taker,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
    });
    sandbox = await startSandbox({
      authId: 'MATEST',
      authToken: 'carrier-token-of-the-tests',
      phoneToken: 'phone-token-of-the-tests',
      rooms: { apiKey: API_KEY, rateLimits: new NoLimits() },
    });
    await configure();
  }, 60_000);
  afterAll(async () => {
    await sandbox.close();
    rmSync(home, { recursive: true, force: true });
  });

  beforeEach(async () => {
    state = mkdtempSync(join(home, 'state-'));
    proxy = await WriteCounter.start(sandbox.roomsApiUrl);
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    await proxy[Symbol.asyncDispose]();
  });
}

/** Checks that what a process leaves that is killed at this write is put back exactly by the next. */
export async function expectPutBack(nth: number, when: 'before' | 'after', number: string): Promise<void> {
  const before = await stored();
  const { child, exit } = start([number], 'whole');
  proxy.at = (write, moment) => {
    const isMoment = write === nth && moment === when;
    if (isMoment) child.kill('SIGKILL');
    return !isMoment;
  };
  await exit;
  expect(proxy.writes).toBe(nth);
  expect(entries()).toHaveLength(1);
  const [file = ''] = entries();
  expect(statSync(join(state, 'leases', file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(join(state, 'leases', file), 'utf8')).pid).toBe(child.pid);
  // The next run of the same number gives it back at once; any other start does so too.
  if (nth === 2) expect(await restoreHere()).toMatchObject([{ number, outcome: 'restored' }]);
  else await takeAndGiveBack(number);
  expect(await stored()).toBe(before);
  expect(entries()).toEqual([]);
  expect(await restoreHere()).toEqual([]);
}
