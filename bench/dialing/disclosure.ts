import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeMulaw, MULAW_SILENCE } from '../../src/base/audio/mulaw.js';
import type { HeardNotice } from '../../src/call/disclosure.js';
import { PhoneClient } from '../../src/sandbox/network/phone-client.js';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import type { PhoneNetwork } from '../processes/phone-network.js';
import type { DisclosingRunner } from './disclosing-runner.js';
import { isTone } from './tone.js';

const AT_ONCE = 6;
/** A stream of which the bot is gone is connected again at once. */
const NETWORK: Partial<SandboxOptions> = {
  phoneToken: 'bench-phone-token',
  faults: { brokenStreams: { reconnectAfterMs: 0 } },
};
/** In half the calls the bot is killed at a moment between its beginning and this, in milliseconds: the sentence takes about 3 s. */
const KILLED_WITHIN_MS = 4_000;
const CALL_LIMIT_MS = 90_000;

interface Outcome {
  readonly wasKilled: boolean;
  readonly disclosure: HeardNotice | undefined;
  /** When the bot's tone was heard first, milliseconds since the Unix epoch; undefined where it was not. */
  readonly toneAt: number | undefined;
  /** When the bot knew that the sentence was heard, in the same way. */
  readonly acknowledgedAt: number | undefined;
  readonly recorded: { readonly from: number; readonly to: number } | undefined;
}

/** Calls of which the bots are killed: what is heard before the disclosure was acknowledged, and how well record and recording agree. */
export async function* disclosure(count = 100): AsyncGenerator<Figure> {
  await using network = new BenchProcess<PhoneNetwork>('processes/phone-network', JSON.stringify(NETWORK));
  const { url, apiUrl, number } = await network.ask('address');
  const bot = compiled('bench/bots/discloser');
  await using runner = new BenchProcess<DisclosingRunner>('dialing/disclosing-runner', bot, apiUrl, number);
  const ask = inTurn(runner);
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const outcomes: Outcome[] = [];
  const dialInTurn = async () => {
    for (const index of numbers) outcomes.push(await call(url, ask, `+1202555${1_000 + index}`, index % 2 === 1));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, dialInTurn));
  const early = outcomes.filter(
    ({ toneAt, acknowledgedAt }) => toneAt !== undefined && toneAt < (acknowledgedAt ?? Infinity),
  );
  const told = outcomes.filter(({ disclosure }) => disclosure !== undefined);
  const killed = outcomes.filter(({ wasKilled }) => wasKilled).length;
  const offBy = told.flatMap(({ disclosure, recorded }) =>
    disclosure && recorded
      ? [Math.max(Math.abs(recorded.from - disclosure.from), Math.abs(recorded.to - disclosure.to))]
      : [],
  );
  const sorted = offBy.toSorted((a, b) => a - b);
  const share = (part: number) => ms(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  const beyond = offBy.filter((off) => off > 20).length;
  const name = (what: string) => `disclosure ${count}, ${killed} killed: ${what}`;
  yield { name: name('anything else heard before'), ours: `${early.length}`, ...atMost(0, early.length, '') };
  yield { name: name('heard to its end and acknowledged'), ours: `${told.length}` };
  yield { name: name('record off the recording, p50 p95'), ours: `${share(0.5)}, ${share(0.95)}` };
  yield { name: name('record off by more than 20 ms'), ours: `${beyond} of ${offBy.length}`, ...atMost(0, beyond, '') };
}

async function call(url: string, ask: Ask, number: string, wasKilled: boolean): Promise<Outcome> {
  let toneAt: number | undefined;
  const phone = await PhoneClient.connect({
    url,
    token: 'bench-phone-token',
    exchange: (heard) => {
      if (toneAt === undefined && isTone(decodeMulaw(heard))) toneAt = Date.now();
      return new Uint8Array(160).fill(MULAW_SILENCE);
    },
  });
  const answered = once(phone, 'answered');
  const ended = once(phone, 'ended');
  await phone.attend({ number, ringMs: 200 });
  const id = await ask('dial', number);
  await answered;
  if (wasKilled) {
    await delay(Math.random() * KILLED_WITHIN_MS);
    while (!(await ask('kill', id))) await delay(50);
  }
  await Promise.race([ended, delay(CALL_LIMIT_MS)]);
  await phone.close();
  let record = await ask('record', id);
  for (let look = 0; record?.state !== 'ended' && look < 100; look += 1) {
    await delay(100);
    record = await ask('record', id);
  }
  const disclosure = record?.disclosure;
  const recorded = disclosure && (await ask('recorded', id, disclosure.from));
  return { wasKilled, disclosure, toneAt, acknowledgedAt: await ask('acknowledgedAt', id), recorded };
}

type Ask = BenchProcess<DisclosingRunner>['ask'];

/** A process of the bench is asked one thing after the other. */
function inTurn(runner: BenchProcess<DisclosingRunner>): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (question, ...args) => {
    const next = last.then(() => runner.ask(question, ...args));
    last = next.catch(() => {});
    return next;
  };
}
