import { setTimeout } from 'node:timers/promises';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import type { PhoneNetwork } from '../processes/phone-network.js';
import { median } from '../statistics.js';
import { ROOMS, type RoomsRunnerOptions } from './account.js';
import type { Phones } from './phones.js';
import type { RoomsRunner } from './rooms-runner.js';

/** The greeting of the bot lasts a second; then it is silent, and the next bot can be told from it. */
const GREETING_MS = 1_500;
const LIMIT_MS = 3_000;

/** The sandbox's rooms and the real runner: the process of a bot is killed in a call, and another bot takes the caller over. */
export async function* roomsRecovery(calls = 10): AsyncGenerator<Figure> {
  await using sandbox = new BenchProcess<PhoneNetwork>('processes/phone-network', ROOMS);
  const network = await sandbox.ask('address');
  const options: RoomsRunnerOptions = { botFile: compiled('bench/bots/room-talker'), network, callsPerProcess: 1 };
  await using runner = new BenchProcess<RoomsRunner>('rooms/rooms-runner', JSON.stringify(options));
  await using phones = new BenchProcess<Phones>('rooms/phones');
  const waits: number[] = [];
  while (waits.length < calls) {
    await runner.ask('ready');
    await phones.ask('call', network, true);
    await setTimeout(GREETING_MS);
    const next = phones.ask('nextBot');
    const killedAt = await runner.ask('kill');
    waits.push((await next) - killedAt);
    await phones.ask('hangUp');
  }
  const longest = Math.max(...waits);
  yield* [
    { name: `rooms: bot killed to next bot heard, ${calls} calls, p50`, ours: ms(median(waits)) },
    { name: 'rooms: bot killed to next bot heard, longest', ours: ms(longest), ...atMost(LIMIT_MS, longest, ' ms') },
  ];
}
