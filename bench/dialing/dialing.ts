import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure } from '../figure.js';
import { plivoAccount } from '../processes/account.js';
import type { PhoneNetwork } from '../processes/phone-network.js';
import type { DialingAccount, DialingRunner } from './dialing-runner.js';

const AT_ONCE = 20;
/** A carrier that does what it is asked and then fails to say so, one time in five; four times as fast as life. */
const NETWORK: Partial<SandboxOptions> = { faults: { failAfterAccepting: 0.2 }, timing: { tickMs: 5 } };
const POLL_MS = 100;
/** Longest a call may take, and the carrier to have none left afterwards, in milliseconds. */
const CALL_LIMIT_MS = 120_000;
const ALIVE_LIMIT_MS = 60_000;

interface Dialled {
  number: string;
  /** The status of the answer, and the code of the problem when there was one. */
  answer: string;
  /** Of an accepted call; `unfinished` when it did not end in time. */
  endReason?: string;
}

/** The real runner dials as many numbers, at a carrier that takes one request in five without saying so. */
export async function* dialing(count = 1_000): AsyncGenerator<Figure> {
  await using network = new BenchProcess<PhoneNetwork>('processes/phone-network', JSON.stringify(NETWORK));
  const { apiUrl, number: phoneNumber } = await network.ask('address');
  const account: DialingAccount = { credentials: { ...plivoAccount, apiUrl }, phoneNumber };
  const bot = compiled('bench/dialing/brief-talker');
  await using runner = new BenchProcess<DialingRunner>('dialing/dialing-runner', bot, JSON.stringify(account));
  const url = await runner.ask('url');

  const startedAt = performance.now();
  const numbers = Array.from({ length: count }, (_, index) => `+1555${1_000_000 + index}`).values();
  const calls: Dialled[] = [];
  const dialInTurn = async () => {
    for (const number of numbers) calls.push(await dial(url, number));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, dialInTurn));
  const tookS = (performance.now() - startedAt) / 1_000;
  const alive = await aliveAfterwards(network);

  const placed = new Map(Object.entries(await network.ask('placedCalls')));
  const double = calls.filter(({ number }) => (placed.get(number) ?? 0) > 1).length;
  const accepted = calls.filter(({ answer }) => answer === '202');
  const lost = accepted.filter(({ number }) => !placed.has(number)).length;
  const unfinished = accepted.filter(({ endReason }) => endReason === 'unfinished').length;
  const uncertain = await runner.ask('uncertain');
  const unresolved = calls.filter(({ answer }) => answer.includes('VB_CALL_UNCERTAIN')).length;
  const name = (what: string) => `dialing ${count}: ${what}`;
  yield* [
    { name: name('numbers called twice'), ours: `${double}`, ...atMost(0, double, '') },
    { name: name('accepted and never called'), ours: `${lost}`, ...atMost(0, lost, '') },
    { name: name('accepted and never ended'), ours: `${unfinished}`, ...atMost(0, unfinished, '') },
    { name: name('calls left alive at the carrier'), ours: `${alive.left}`, ...atMost(0, alive.left, '') },
    { name: name('until the carrier had none left'), ours: `${(alive.forMs / 1_000).toFixed(1)} s` },
    { name: name('uncertain, and resolved by looking'), ours: `${uncertain}, ${uncertain - unresolved}` },
    { name: name('answers'), ours: tally(calls.map(({ answer }) => answer)) },
    { name: name('ends'), ours: tally(accepted.map(({ endReason = '' }) => endReason)) },
    { name: name(`time, ${AT_ONCE} at once`), ours: `${tookS.toFixed(0)} s` },
  ];
}

/** Places one call and sees it to its end. */
async function dial(runnerUrl: string, number: string): Promise<Dialled> {
  const response = await fetch(`${runnerUrl}/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ phone_number: number, body: { number } }),
  });
  const { call_id: id, error } = (await response.json()) as { call_id?: string; error?: { code: string } };
  const answer = error ? `${response.status} ${error.code}` : `${response.status}`;
  return id === undefined ? { number, answer } : { number, answer, endReason: await endOf(runnerUrl, id) };
}

async function endOf(runnerUrl: string, id: string): Promise<string> {
  const limit = performance.now() + CALL_LIMIT_MS;
  while (performance.now() < limit) {
    const response = await fetch(`${runnerUrl}/calls/${id}`);
    const { state, endReason } = (await response.json()) as { state?: string; endReason?: string };
    if (state === 'ended') return endReason ?? '';
    await delay(POLL_MS);
  }
  return 'unfinished';
}

async function aliveAfterwards(network: BenchProcess<PhoneNetwork>): Promise<{ left: number; forMs: number }> {
  const since = performance.now();
  for (;;) {
    const left = await network.ask('liveCalls');
    const forMs = performance.now() - since;
    if (left === 0 || forMs > ALIVE_LIMIT_MS) return { left, forMs };
    await delay(POLL_MS);
  }
}

function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
