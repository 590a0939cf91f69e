import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BenchProcess } from '../bench-process.js';
import { compiled, root } from '../compile.js';
import { atMost, type Figure, mib } from '../figure.js';
import { type Memory, memoryOf } from '../process-memory.js';
import { childrenOf, showsProcesses } from '../process-tree.js';
import type { EchoServer } from '../processes/bare-server.js';
import type { Load } from '../processes/load.js';
import type { BenchRunner } from '../processes/runner.js';
import { median } from '../statistics.js';

const CALLS = 10;
/** Long enough for the heaps to reach the size they keep. */
const TALK_MS = 10_000;

type OwnMemory = Omit<Memory, 'resident'>;

/** Ten calls, each in a process of its own, talking. Whatever a process has started counts with it. */
export async function* memory(): AsyncGenerator<Figure> {
  if (!showsProcesses) {
    yield { name: 'memory per call', ours: 'only measured on Linux' };
    return;
  }
  const bare = await memoryOfBareServers();
  const rows = (name: string, ours: OwnMemory): Figure[] => [
    {
      name: `${name}: private (USS)`,
      bare: mib(bare.own),
      ours: mib(ours.own),
      ratio: (ours.own / bare.own).toFixed(2),
      ...atMost(25, ours.own / 2 ** 20, ' MiB'),
    },
    {
      name: `${name}: with its share of common pages (PSS)`,
      bare: mib(bare.proportional),
      ours: mib(ours.proportional),
      ratio: (ours.proportional / bare.proportional).toFixed(2),
    },
  ];
  const typescript = join(root, 'templates/echo/bot.ts');
  yield* rows('memory per call process, echo in TypeScript', await memoryOfBots(typescript));
  yield* rows('memory per call process, echo in JavaScript', await memoryOfBots(compiled('templates/echo/bot')));
}

async function memoryOfBareServers(): Promise<OwnMemory> {
  await using load = new BenchProcess<Load>('processes/load');
  const servers = Array.from({ length: CALLS }, () => new BenchProcess<EchoServer>('processes/bare-server'));
  try {
    await load.ask('connect', await Promise.all(servers.map((server) => server.ask('url'))));
    await delay(TALK_MS);
    return medianOf(servers.map(({ pid }) => memoryOf(pid)));
  } finally {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  }
}

async function memoryOfBots(botFile: string): Promise<OwnMemory> {
  await using load = new BenchProcess<Load>('processes/load');
  await using runner = new BenchProcess<BenchRunner>('processes/runner', botFile);
  await load.ask('dial', await runner.ask('url'), CALLS);
  await delay(TALK_MS);
  const serving = childrenOf(runner.pid)
    .sort((a, b) => a - b)
    .slice(0, CALLS); // the youngest waits for the next call
  const memory = medianOf(serving.map(memoryOf));
  await load.ask('hangUp');
  return memory;
}

function medianOf(memories: readonly Memory[]): OwnMemory {
  return {
    own: median(memories.map(({ own }) => own)),
    proportional: median(memories.map(({ proportional }) => proportional)),
  };
}
