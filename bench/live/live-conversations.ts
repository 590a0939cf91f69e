import { setTimeout as delay } from 'node:timers/promises';
import { BenchProcess } from '../bench-process.js';
import type { Callers, Talk } from '../conversation/callers.js';
import { atMost, type Figure, mib, ms } from '../figure.js';
import { memoryOf } from '../process-memory.js';
import { showsProcesses } from '../process-tree.js';
import type { Usage } from '../processes/questions.js';
import { percentile } from '../statistics.js';
import type { Answerers } from './answerers.js';
import type { LiveBots } from './bots.js';
import type { BotKind } from './far-ends.js';

/** Until the code is compiled to the end, and what is measured, in milliseconds. */
const WARM_UP_MS = 5_000;
const WINDOW_MS = 15_000;
const LATE_MS = 40;
const REPLY =
  'Yes, of course, that is no trouble. Bread was baked in this very street when she was little. Anything else?';

interface Measured {
  readonly talk: Talk;
  /** Of a core, by all calls, and by those who answer them; 1 for a whole core. */
  readonly share: number;
  readonly answerersShare: number;
  /** Of each call, in bytes. */
  readonly memory: number;
  readonly loopDelay: { readonly p99: number; readonly max: number };
}

/** Callers and bots with a live model who talk by turns, all bots in one process, beside as many of a cascade: what that costs, and whether the audio comes in time. */
export async function* liveConversations(calls = 50): AsyncGenerator<Figure> {
  const cascade = await measure('cascade', calls);
  const live = await measure('openai', calls);
  const name = (what: string) => `${calls} live conversations, beside a cascade: ${what}`;
  const row = (what: string, told: (measured: Measured) => string, value?: (measured: Measured) => number): Figure => ({
    name: name(what),
    bare: told(cascade),
    ours: told(live),
    ...(value && { ratio: (value(live) / value(cascade)).toFixed(2) }),
  });
  const late = ({ talk }: Measured) => talk.lateness.filter((by) => by > LATE_MS).length;
  const cpu = ({ share }: Measured) => (1_000 * share) / calls;
  yield row('turns answered, unanswered', ({ talk }) => `${talk.answers}, ${talk.unanswered}`);
  yield row('processor time per call and second', (one) => ms(cpu(one)), cpu);
  yield row('the same of those who answer', ({ answerersShare }) => ms((1_000 * answerersShare) / calls));
  if (showsProcesses)
    yield row(
      'memory per call (PSS)',
      ({ memory }) => mib(memory),
      ({ memory }) => memory,
    );
  yield row('event loop late by, p99 / max', ({ loopDelay: { p99, max } }) => `${p99.toFixed(1)} / ${max.toFixed(1)}`);
  yield row('caller stops to first audio p50', ({ talk }) => ms(percentile(talk.waits, 0.5)));
  yield row('frames later than due by p99', ({ talk }) => ms(percentile(talk.lateness, 0.99)));
  yield {
    ...row(`frames more than ${LATE_MS} ms late`, (one) => `${late(one)} of ${one.talk.frames}`),
    ...atMost(late(cascade), late(live), ''),
  };
  yield row('gaps the caller hears', ({ talk }) => `${talk.gapsHeard}`);
}

async function measure(kind: BotKind, calls: number): Promise<Measured> {
  await using answerers = new BenchProcess<Answerers>('live/answerers', kind, REPLY);
  const environment = JSON.stringify(await answerers.ask('environment'));
  await using bots = new BenchProcess<LiveBots>('live/bots', environment);
  await using callers = new BenchProcess<Callers>('conversation/callers');
  const url = await bots.ask('url');
  const memory = () => (showsProcesses ? memoryOf(bots.pid).proportional : Number.NaN);
  const idle = memory();
  await callers.ask('talk', url, calls);
  await delay(WARM_UP_MS);
  await bots.ask('loopDelay'); // of the beginning
  const usages = () => Promise.all([bots.ask('usage'), answerers.ask('usage')]);
  const before = await usages();
  const inWindow = async () => {
    await delay(WINDOW_MS);
    return { after: await usages(), loopDelay: await bots.ask('loopDelay'), loaded: memory() };
  };
  const [talk, { after, loopDelay, loaded }] = await Promise.all([callers.ask('measure', WINDOW_MS), inWindow()]);
  await callers.ask('hangUp');
  const [share = Number.NaN, answerersShare = Number.NaN] = after.map((usage, at) => shareOf(before[at], usage));
  return { talk, share, answerersShare, memory: (loaded - idle) / calls, loopDelay };
}

const shareOf = (before: Usage | undefined, after: Usage): number =>
  before ? (after.cpuMs - before.cpuMs) / (after.atMs - before.atMs) : Number.NaN;
