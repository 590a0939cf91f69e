import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import { childrenOf, showsProcesses } from '../process-tree.js';
import type { BenchRunner } from '../processes/runner.js';
import { percentile } from '../statistics.js';
import type { Attacker } from './attacker.js';
import type { SteadyCarrier } from './steady-carrier.js';

const UPGRADES = 10_000;
const SLOW_SOCKETS = 1_000;
const OVER_MS = 5_000;

/** The real runner, flooded from one address with what it must refuse, while the carrier's calls go on coming in. */
export async function* flood(): AsyncGenerator<Figure> {
  await using carrier = new BenchProcess<SteadyCarrier>('flood/steady-carrier');
  await using attacker = new BenchProcess<Attacker>('flood/attacker');
  await using runner = new BenchProcess<BenchRunner>('processes/runner', compiled('bench/bots/talker'));
  const url = await runner.ask('url');
  const callId = await carrier.ask('call', url);
  const processes = botsOf(runner.pid);

  await carrier.ask('start', url);
  const attack = { upgrades: UPGRADES, slowSockets: SLOW_SOCKETS, overMs: OVER_MS, callId };
  const { upgrades, slowSocketsOpen, tookMs } = await attacker.ask('flood', url, attack);
  const waits = await carrier.ask('stop');

  const newProcesses = botsOf(runner.pid).filter((pid) => !processes.includes(pid)).length;
  const bots = Math.max(newProcesses, await callsWithBot(url));
  const standing = (upgrades['101'] ?? 0) + (upgrades.open ?? 0);
  const refused = Object.entries(upgrades).map(([result, count]) => `${count} ${result}`);
  const waited = (connections: string, values: readonly number[]): Figure[] => {
    const p99 = percentile(values, 0.99);
    return [
      { name: `flood: webhook on ${connections} connection p50`, ours: ms(percentile(values, 0.5)) },
      { name: `flood: webhook on ${connections} connection p99`, ours: ms(p99), ...atMost(100, p99, ' ms') },
    ];
  };
  yield* [
    ...waited('a new', waits.onNewConnections),
    ...waited('a kept', waits.onKeptConnections),
    { name: 'flood: webhooks without a document', ours: `${waits.failed}`, ...atMost(0, waits.failed, '') },
    { name: 'flood: bots started by it', ours: `${bots}`, ...atMost(0, bots, '') },
    {
      name: `flood: forged streams let in or left open, of ${UPGRADES}`,
      ours: `${standing}`,
      ...atMost(0, standing, ''),
    },
    {
      name: 'flood: what they got, and in which time',
      ours: `${refused.join(', ')}; ${(tookMs / 1_000).toFixed(1)} s`,
    },
    { name: `flood: half requests left open, of ${SLOW_SOCKETS}`, ours: `${slowSocketsOpen}` },
  ];
}

async function callsWithBot(runnerUrl: string): Promise<number> {
  const response = await fetch(`${runnerUrl}/calls`);
  const { calls } = (await response.json()) as { calls: { state: string; connectedAt?: number }[] };
  return calls.filter(({ state, connectedAt }) => state === 'starting' || connectedAt !== undefined).length;
}

/** Where the system tells. A bot that was started and has ended again shows too: another one was kept ready. */
const botsOf = (pid: number): number[] => (showsProcesses ? childrenOf(pid) : []);
