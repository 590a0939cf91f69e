/** A cluster of real processes behind HAProxy, used as its operators use it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../e2e/processes.js';
import { Voicebot } from '../e2e/voicebot.js';
import { hasRedis } from './redis-server.js';
import { hasBalancer } from './rig/balancer.js';
import { spreadOf } from './rig/call-stories.js';
import type { CallStory } from './rig/caller.js';
import { callsComing } from './rig/calls-coming.js';
import { ClusterRig } from './rig/cluster-rig.js';
import type { RunnerMachine } from './rig/runner-machine.js';

const RUNNERS = 2;
const needed = hasRedis && hasBalancer ? test : test.skip;

let rig: ClusterRig;
let directory: string;
beforeAll(async () => {
  if (!hasRedis || !hasBalancer) return;
  directory = mkdtempSync(join(tmpdir(), 'voicebot-operator-'));
  rig = await ClusterRig.start({ runners: RUNNERS, botEnvironment: { TONE_MS: '3000' }, environment: SETTINGS });
}, 60_000);
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]();
  if (directory) rmSync(directory, { recursive: true });
}, 30_000);

const SETTINGS = { VOICEBOT_DIAL_COUNTRIES: 'US', VOICEBOT_DIAL_AT_ONCE: '20', VOICEBOT_DIAL_SECONDS_PER_NUMBER: '0' };
const ANSWERS = '+12025550101';

/** A command of an operator, with a home of its own. */
const command = (...args: string[]) =>
  new Voicebot(args, { home: directory, cwd: directory, environment: { VOICEBOT_TOKEN: rig.token } });

/** A call that has come in is what named the first of two Redis scripts that had one name. */
const callIn = (calls = 1) => callsComing(rig.sandbox, { calls, overMs: 0, listensMs: 1_000 });

async function start(url: string, key: string): Promise<{ status: number; body: { call_id?: string } }> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key, authorization: `Bearer ${rig.token}` };
  const response = await fetch(`${url}/start`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ phone_number: ANSWERS }),
  });
  return { status: response.status, body: (await response.json()) as { call_id?: string } };
}

needed(
  'after a call has come in, dialout and keyed requests work at every runner (needs redis-server, haproxy)',
  async () => {
    for (const { heard } of await callIn(4)) expect(heard.length).toBeGreaterThan(0);
    for (const { url } of rig.machines) {
      let told: unknown[] = [];
      await until(
        async () => {
          await using dialout = command('dialout', ANSWERS, '--wait', '--server', url);
          told = [await dialout.exit, dialout.lines.all.join('\n')];
          return !String(told[1]).includes('a moment ago'); // on a busy machine the cluster is still young
        },
        'the cluster knows what it has dialled',
        30_000,
      );
      expect(told).toEqual([0, '']);
    }
    const answers = [];
    for (const { url } of rig.machines) answers.push(await start(url, 'one-key'));
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(answers[0]?.body.call_id).toBe(answers[1]?.body.call_id); // one call for one key, wherever it was asked for
  },
  90_000,
);

needed(
  'a runner of another public address is refused, and eight callers at once are all served (needs redis-server, haproxy)',
  async () => {
    const home = join(directory, 'foreign');
    mkdirSync(home);
    const args = [join(import.meta.dirname, 'rig', 'tone-bot.mjs'), '--transport', 'carrier', '--port', '0'];
    const cluster = ['--cluster', rig.redis?.url ?? '', '--advertise', 'ws://127.0.0.1:1'];
    await using foreign = new Voicebot(['run', ...args, '--public-url', 'https://other.example.com', ...cluster], {
      home,
      cwd: home,
      environment: { ...rig.sandbox.environment(), VOICEBOT_TOKEN: rig.token, TONE_HZ: '2000' },
    });
    const coming = callIn(8);
    expect(await foreign.exit).toBe(3);
    const said = [...foreign.lines.all, ...foreign.events.all.map((event) => JSON.stringify(event))].join('\n');
    expect(said).toContain('VB_CLUSTER_UNSUITABLE');
    expect(said).toContain('https://other.example.com');
    const served = spreadOf(await coming, RUNNERS);
    expect(served.reduce((sum, calls) => sum + calls, 0)).toBe(8);
  },
  60_000,
);

needed(
  'campaign --server over the balancer waits for the end and writes the results (needs redis-server, haproxy)',
  async () => {
    const contacts = join(directory, 'contacts.csv');
    const numbers = [ANSWERS, '+12025550106', '+12025550102'];
    writeFileSync(contacts, ['phone_number', ...numbers].join('\n'));
    await using campaign = command('campaign', contacts, '--server', rig.balancer.url, '--per-minute', '600');
    expect([await campaign.exit, campaign.lines.all.join('\n')]).toEqual([0, expect.any(String)]);
    const { results: path } = await campaign.event('campaign_ended');
    const results = readFileSync(path as string, 'utf8');
    for (const number of numbers) expect(results).toContain(number);
  },
  90_000,
);

/** Rings until the limit of a transfer. */
const RINGS_ON = '+12025550103';

const callsAt = async (machine: RunnerMachine) => {
  const answer = (await (await machine.ask('GET', '/calls')).json()) as { calls: Array<{ id: string; state: string }> };
  return answer.calls.map(({ id, state }) => `${id} ${state}`);
};

needed(
  'a call goes on and is listed, by a runner that joins later too, when its runner was killed (needs redis-server, haproxy)',
  async () => {
    await using losing = await ClusterRig.start({
      runners: 3,
      botEnvironment: { TONE_MS: '90000' },
      environment: SETTINGS,
    });
    let isListed = false;
    const stays = () => !isListed;
    const story = callsComing(losing.sandbox, { calls: 1, overMs: 0, listensMs: 0, patienceMs: 60_000, stays });
    story.catch(() => {}); // it ends with the rig
    const liveAt = () => Promise.all(losing.machines.map((machine) => machine.liveCalls()));
    await until(async () => (await liveAt()).includes(1), 'the call is at a runner', 30_000);
    const at = (await liveAt()).indexOf(1);
    const [watcher] = losing.machines.filter((_, index) => index !== at) as [RunnerMachine];
    await until(async () => (await callsAt(watcher)).some((call) => call.endsWith(' connected')), 'it is connected');
    const [listed] = await callsAt(watcher);
    const lost = losing.machine(at);
    await lost.loseRunner();
    const runners = async () =>
      ((await (await watcher.ask('GET', '/status')).json()) as { cluster: { runners: unknown[] } }).cluster.runners;
    await until(async () => (await runners()).length === 2, 'the runner is gone for the others');
    expect(await callsAt(watcher)).toEqual([listed]);
    await lost.start();
    expect(await callsAt(lost)).toEqual([listed]);
    isListed = true;
    const [{ heard }] = (await story) as [CallStory];
    expect(heard.length).toBeGreaterThan(0);
    await until(async () => (await callsAt(watcher)).every((call) => call.endsWith(' ended')), 'its end is known');
  },
  120_000,
);

needed(
  'a call whose destination rings is still listed when its runner is dead (needs redis-server, haproxy)',
  async () => {
    await using dying = await ClusterRig.start({
      runners: RUNNERS,
      botEnvironment: { TONE_TRANSFER_TO: RINGS_ON },
      environment: { ...SETTINGS, OPERATOR_NUMBER: RINGS_ON },
    });
    const story = callsComing(dying.sandbox, { calls: 1, overMs: 0, listensMs: 60_000, patienceMs: 60_000 });
    story.catch(() => {}); // it ends with the rig
    let owner: RunnerMachine | undefined;
    const rings = async () => {
      for (const machine of dying.machines) if ((await machine.liveCalls()) > 0) owner = machine;
      return owner !== undefined && /transferring/.test(String(await callsAt(owner)));
    };
    await until(rings, 'the destination rings', 20_000);
    const [listed] = await callsAt(owner as RunnerMachine);
    await owner?.die();
    const other = dying.machines.find((machine) => machine !== owner) as RunnerMachine;
    await until(async () => (await other.liveCalls()) === 1, 'the other runner has the call', 25_000);
    expect(await callsAt(other)).toEqual([listed]);
  },
  90_000,
);
