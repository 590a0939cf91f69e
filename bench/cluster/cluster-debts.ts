import { Redis } from 'ioredis';
import type { RunnerStatus } from '../../src/call/runner-status.js';
import { callsComing } from '../../test/cluster/rig/calls-coming.js';
import { ClusterRig } from '../../test/cluster/rig/cluster-rig.js';
import { until } from '../../test/e2e/processes.js';
import { ProviderLine, type SentRequest } from '../../test/e2e/provider-line.js';
import { atMost, type Figure, ms } from '../figure.js';
import { percentile } from '../statistics.js';
import type { Transport } from './cluster-load.js';
import { needsPrograms } from './needs-programs.js';

const LIMIT_MS = 15_000;
const OWED_LIMIT_MS = 60_000;
const SETTLED_LIMIT_MS = 90_000;
const LISTENS_MS = 3_000;

/** How the debts of a transport come about. */
interface Debts {
  /** Of what is owed in Redis. */
  readonly kind: 'hangups' | 'room-ends';
  readonly isOwed: (sent: SentRequest) => boolean;
  readonly run: (rig: ClusterRig, count: number) => Promise<unknown>;
}

const DEBTS: Readonly<Record<Transport, Debts>> = {
  /** Machines answer calls that are to end then; the carrier cannot do that by itself. */
  carrier: {
    kind: 'hangups',
    isOwed: ({ method, path }) => method === 'POST' && /\/Calls\/CA\w+\.json/.test(path),
    run: dialVoicemails,
  },
  /** Callers hang up, and their rooms are to be closed. */
  rooms: {
    kind: 'room-ends',
    isOwed: ({ method, path }) => method === 'DELETE' && path.includes('/rooms/'),
    run: ({ sandbox }, calls) => callsComing(sandbox, { calls, overMs: calls * 400, listensMs: LISTENS_MS }),
  },
};

/**
 * Calls are over and cannot be ended at the provider, whose API breaks off every request for that. The machine of a runner dies, and the
 * API is in order again at the same moment: how long until the others have settled what that runner owed. Counts: calls, runners.
 */
export const clusterDebts = (transport: Transport) =>
  async function* (calls = transport === 'rooms' ? 24 : 30, runners = 3): AsyncGenerator<Figure> {
    needsPrograms();
    const { kind, isOwed, run } = DEBTS[transport];
    await using settling = new Settling(isOwed);
    const environment = {
      VOICEBOT_DIAL_COUNTRIES: 'US',
      VOICEBOT_DIAL_PER_MINUTE: '1000',
      VOICEBOT_DIAL_AT_ONCE: '1000',
      VOICEBOT_MACHINE_DETECTION: transport === 'carrier' ? 'hangup' : 'off',
    };
    await using rig = await ClusterRig.start({
      runners,
      transport,
      carrier: 'twilio',
      apiVia: settling.via,
      environment,
    });
    const running = run(rig, calls);
    const owes = until(() => settling.tried.size >= calls, 'all is owed', OWED_LIMIT_MS);
    await Promise.race([owes, running.then(() => owes)]);
    const { cluster } = (await (await rig.machine(0).ask('GET', '/status')).json()) as RunnerStatus;
    const self = cluster?.runners.find(({ isOwn }) => isOwn);
    const owed = await owedBy(rig.redis?.url ?? '', kind, self?.id ?? '');
    const diedMs = await rig.machine(0).die();
    settling.isPossible = true;
    const settledMs = () =>
      owed
        .map((debt) => [...settling.settled].find(([path]) => path.includes(debt))?.[1])
        .filter((at) => at !== undefined);
    await until(() => settledMs().length === owed.length, '', SETTLED_LIMIT_MS).catch(() => {});
    const waits = settledMs().map((at) => at - diedMs);
    const name = (figure: string) => `${transport}, ${calls} debts, runners ${runners}, killed 1: ${figure}`;
    yield { name: name('owed by the runner that died'), ours: `${owed.length}` };
    yield { name: name('settled p50'), ours: waits.length > 0 ? ms(percentile(waits, 0.5)) : 'none' };
    const longest = Math.max(0, ...waits);
    yield { name: name('settled, the last'), ours: ms(longest), ...atMost(LIMIT_MS, longest, ' ms') };
    const open = owed.length - waits.length;
    yield { name: name('never settled'), ours: `${open}`, ...atMost(0, open, '') };
  };

/** Sees what the runners ask for to settle their debts, and lets it through when that is possible. */
class Settling implements AsyncDisposable {
  /** Paths of the requests. */
  readonly tried = new Set<string>();
  /** When the provider had carried them out, of the monotonic clock in milliseconds. */
  readonly settled = new Map<string, number>();
  isPossible = false;
  #line: ProviderLine | undefined;

  constructor(private readonly isOwed: (sent: SentRequest) => boolean) {}

  readonly via = async (apiUrl: string): Promise<string> => {
    const line = await ProviderLine.to(new URL(apiUrl).origin);
    line.beforeProvider = (sent) => {
      line.state = this.isPossible || !this.isOwed(sent) ? 'up' : 'broken';
      if (this.isOwed(sent)) this.tried.add(sent.path);
    };
    line.afterProvider = (sent) => {
      if (this.isOwed(sent)) this.settled.set(sent.path, performance.now());
    };
    this.#line = line;
    return line.via(apiUrl);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#line?.[Symbol.asyncDispose]();
  }
}

async function dialVoicemails(rig: ClusterRig, count: number): Promise<void> {
  for (let no = 0; no < count; no += 1) {
    const { url } = rig.machine(no % rig.machines.length);
    const headers = { authorization: `Bearer ${rig.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ phone_number: `+1212${200 + no}0105` });
    // A Redis that was started a moment ago lets no runner dial.
    await until(
      async () => (await fetch(`${url}/start`, { method: 'POST', headers, body })).status === 202,
      'a call is dialled',
    );
  }
}

/** Identifiers of what a runner owes, as Redis has it. */
async function owedBy(url: string, kind: Debts['kind'], runner: string): Promise<string[]> {
  const client = new Redis(url);
  try {
    const [key = ''] = await client.keys(`*:owed:${kind}:*`);
    const entries = Object.entries(await client.hgetall(key));
    return entries.flatMap(([id, entry]) => (entry.split(' ')[1] === runner ? [id] : []));
  } finally {
    client.disconnect();
  }
}
