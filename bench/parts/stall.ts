import { setTimeout as delay } from 'node:timers/promises';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import type { EchoServer } from '../processes/bare-server.js';
import type { Load } from '../processes/load.js';

const CALLS = 200;
const WARM_UP_MS = 4_000;
const STALL_MS = 200;
const CAUGHT_UP_MS = 2_000;
const WINDOW_MS = 2_000;
/** By how much later an echo may be heard than before the stall, in milliseconds: one frame. */
const LATER_MS = 20;

/** The echo template with many calls in one process, which stands still for a moment: how late its callers hear the echo. */
export async function* stall(calls = CALLS): AsyncGenerator<Figure> {
  await using load = new BenchProcess<Load>('processes/load');
  await using server = new BenchProcess<EchoServer>('processes/bot-server', compiled('templates/echo/bot'));
  await load.ask('connect', Array<string>(calls).fill(await server.ask('url')));
  await delay(WARM_UP_MS);
  const before = (await load.ask('measure', WINDOW_MS)).heardDelay;
  process.kill(server.pid, 'SIGSTOP');
  await delay(STALL_MS);
  process.kill(server.pid, 'SIGCONT');
  const during = (await load.ask('measure', STALL_MS)).heardDelay;
  await delay(CAUGHT_UP_MS);
  const after = (await load.ask('measure', WINDOW_MS)).heardDelay;
  await load.ask('hangUp');
  const name = (when: string) => `echo of ${calls} calls, heard after p95: ${when}`;
  yield* [
    { name: name('before a stall'), ours: ms(before.p95) },
    { name: name(`right after ${STALL_MS} ms of it`), ours: ms(during.p95) },
    {
      name: name(`${CAUGHT_UP_MS / 1_000} s later`),
      ours: ms(after.p95),
      ...atMost(Math.round(before.p95 + LATER_MS), after.p95, ' ms'),
    },
  ];
}
