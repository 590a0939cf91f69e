import { setTimeout as delay } from 'node:timers/promises';
import { BenchProcess } from '../bench-process.js';
import { atMost, type Figure, mib, ms } from '../figure.js';
import { type Memory, memoryOf } from '../process-memory.js';
import { processorWaitMsOf, showsProcesses } from '../process-tree.js';
import type { Usage } from '../processes/questions.js';
import { percentile } from '../statistics.js';
import type { Bots } from './bots.js';
import type { Callers, Talk } from './callers.js';
import type { Providers, ProvidersOptions } from './providers.js';

/** Until all callers are there, and the code is compiled to the end. */
const WARM_UP_MS = 8_000;
const WINDOW_MS = 30_000;
/** How long one caller talks alone. */
const ALONE_MS = 20_000;
const LATE_MS = 40;

/** They answer at once and go on faster than real time, as providers do: the audio is there before it is due. */
const PROVIDERS: ProvidersOptions = {
  reply:
    'Yes, of course, that is no trouble. Bread was baked in this very street when she was little. Is there anything else?',
  tokenDelayMs: 10,
  betweenChunksMs: 40,
  silenceMs: 300,
};

/** Callers and bots who talk by turns, all bots in one process: whether the bots' audio comes in time, and what it costs. */
export async function* conversations(calls = 50): AsyncGenerator<Figure> {
  await using providers = new BenchProcess<Providers>('conversation/providers', JSON.stringify(PROVIDERS));
  const environment = JSON.stringify(await providers.ask('environment'));
  const alone = await memoryOfOne(environment);
  await using bots = new BenchProcess<Bots>('conversation/bots', environment);
  await using callers = new BenchProcess<Callers>('conversation/callers');
  const url = await bots.ask('url');
  const idle = memory(bots);
  await callers.ask('talk', url, calls);
  await delay(WARM_UP_MS);

  const usages = () => Promise.all([bots.ask('usage'), providers.ask('usage')]);
  const loopDelays = () => Promise.all([bots.ask('loopDelay'), providers.ask('loopDelay')]);
  await loopDelays(); // of the beginning
  const before = [...(await usages()), await callers.ask('usage')];
  const waitBefore = processorWait(bots);
  const inWindow = async () => {
    await delay(WINDOW_MS);
    const waitMs = processorWait(bots) - waitBefore;
    return { after: await usages(), delays: await loopDelays(), waitMs, loaded: memory(bots) };
  };
  const [talk, { after, delays, waitMs, loaded }] = await Promise.all([callers.ask('measure', WINDOW_MS), inWindow()]);
  const callersAfter = await callers.ask('usage');
  const shares = [...after, callersAfter].map((usage, index) => shareOf(before[index] as Usage, usage));
  delays.push(await callers.ask('loopDelay'));
  await callers.ask('hangUp');

  const name = (what: string) => `${calls} conversations: ${what}`;
  yield* [
    ...heard(talk, name),
    {
      name: name('CPU of a core: bots, providers, carrier'),
      ours: shares.map((share) => `${share.toFixed(0)} %`).join(', '),
    },
    {
      name: name('event loop late by, p99 / max: bots, providers, carrier'),
      ours: delays.map(({ p99, max }) => `${p99.toFixed(1)} / ${max.toFixed(1)}`).join(', '),
    },
    { name: name('the bots waited for a processor'), ours: `${waitMs.toFixed(0)} ms of ${WINDOW_MS / 1_000} s` },
    ...memoryFigures(idle, loaded, alone, calls, name),
  ];
}

function heard(talk: Talk, name: (what: string) => string): Figure[] {
  const { answers, unanswered, frames, waits, gaps, lateness, gapsHeard, endedCalls } = talk;
  const late = lateness.filter((by) => by > LATE_MS).length;
  const spread = (values: readonly number[], ...shares: number[]) =>
    shares.map((share) => ms(percentile(values, share))).join(' / ');
  return [
    { name: name('turns answered'), ours: `${answers}` },
    {
      name: name('turns unanswered, calls ended'),
      ours: `${unanswered}, ${endedCalls}`,
      ...atMost(0, unanswered + endedCalls, ''),
    },
    { name: name('caller stops to first audio p50 / p95'), ours: spread(waits, 0.5, 0.95) },
    { name: name('gap between frames p50 / p99 / max'), ours: spread(gaps, 0.5, 0.99, 1) },
    { name: name('frames later than due by p50 / p99 / max'), ours: spread(lateness, 0.5, 0.99, 1) },
    { name: name(`frames more than ${LATE_MS} ms late`), ours: `${late} of ${frames}`, ...atMost(0, late, '') },
    { name: name('gaps the caller hears'), ours: `${gapsHeard}`, ...atMost(0, gapsHeard, '') },
  ];
}

function memoryFigures(
  idle: Memory | undefined,
  loaded: Memory | undefined,
  alone: Memory | undefined,
  calls: number,
  name: (what: string) => string,
): Figure[] {
  if (!idle || !loaded || !alone) return [{ name: name('memory'), ours: 'only measured on Linux' }];
  return [
    { name: name('memory per conversation (PSS)'), ours: mib((loaded.proportional - idle.proportional) / calls) },
    {
      name: name('memory of the process, before and with them (PSS)'),
      ours: `${mib(idle.proportional)}, ${mib(loaded.proportional)}`,
    },
    {
      name: 'one conversation: memory of its process (RSS, PSS)',
      ours: `${mib(alone.resident)}, ${mib(alone.proportional)}`,
    },
  ];
}

async function memoryOfOne(environment: string): Promise<Memory | undefined> {
  await using bots = new BenchProcess<Bots>('conversation/bots', environment);
  await using callers = new BenchProcess<Callers>('conversation/callers');
  await callers.ask('talk', await bots.ask('url'), 1);
  await delay(ALONE_MS);
  const alone = memory(bots);
  await callers.ask('hangUp');
  return alone;
}

const memory = ({ pid }: { readonly pid: number }) => (showsProcesses ? memoryOf(pid) : undefined);

/** Much of it says that the machine was busy with other things, and that late frames are no wonder. */
const processorWait = ({ pid }: { readonly pid: number }) => (showsProcesses ? processorWaitMsOf(pid) : Number.NaN);

/** Of one core, in per cent. */
const shareOf = (before: Usage, after: Usage) => (100 * (after.cpuMs - before.cpuMs)) / (after.atMs - before.atMs);
