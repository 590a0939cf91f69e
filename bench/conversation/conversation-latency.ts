import { BenchProcess } from '../bench-process.js';
import { atMost, type Figure, ms } from '../figure.js';
import { percentile } from '../statistics.js';
import type { Bots } from './bots.js';
import type { Callers, HeardTimes } from './callers.js';
import type { Providers, ProvidersOptions, ProviderTimes } from './providers.js';

const TURNS_PER_CALL = 20;
/** Calls that are not counted, one after the other, until the code is compiled to the end. */
const WARM_UP_CALLS = 2;

/** The bot waits less for the end of the caller's turn than the transcript takes: so it is the transcript that ends the turn. */
const PROVIDERS: ProvidersOptions = {
  reply: 'That is easily told. Bread was baked in this very street when grandmother was a little girl.',
  tokenDelayMs: 0,
  betweenChunksMs: 0,
  silenceMs: 240,
};

/** What one turn took, in milliseconds. */
interface TurnSteps {
  transcriptToRequest: number;
  decisionToRequest: number;
  replyToText: number;
  textToFrame: number;
  transcriptToFrame: number;
  bargeInToClear: number;
}

type Times = HeardTimes & ProviderTimes & { decisions: number[]; bargeIns: number[] };

/**
 * What we add to a turn when everybody else is immediate: one call at a time, the providers and the carrier each in a process of
 * their own. Every step is measured from outside, the way over loopback included, except that the bot says itself when it has
 * decided something. The caller interrupts every answer.
 */
export async function* conversationLatency(turns = 200): AsyncGenerator<Figure> {
  await using providers = new BenchProcess<Providers>('conversation/providers', JSON.stringify(PROVIDERS));
  const environment = { ...(await providers.ask('environment')), BENCH_HASTY: 'true' };
  await using bots = new BenchProcess<Bots>('conversation/bots', JSON.stringify(environment));
  await using callers = new BenchProcess<Callers>('conversation/callers');
  const url = await bots.ask('url');
  const steps: TurnSteps[] = [];
  let lost = 0;
  for (let call = -WARM_UP_CALLS; call * TURNS_PER_CALL < turns; call += 1) {
    const heard = await callers.ask('interrupt', url, TURNS_PER_CALL);
    const { turns: decided, bargeIns } = await bots.ask('happened');
    const times = {
      ...heard,
      ...(await providers.ask('times')),
      decisions: decided.map(({ decided }) => decided),
      bargeIns,
    };
    if (call < 0) continue;
    const measured = stepsOf(times);
    steps.push(...measured);
    lost += TURNS_PER_CALL - measured.length;
  }
  const row = (name: string, step: keyof TurnSteps, targetMs?: number): Figure => {
    const values = steps.map((turn) => turn[step]);
    const p95 = percentile(values, 0.95);
    return {
      name: `turn: ${name}, p50 / p95 / p99`,
      ours: [0.5, 0.95, 0.99].map((share) => ms(percentile(values, share))).join(' / '),
      ...(targetMs !== undefined && atMost(targetMs, p95, ' ms p95')),
    };
  };
  yield* [
    row('final transcript sent to request at the model', 'transcriptToRequest', 15),
    row('turn decided to request at the model', 'decisionToRequest', 15),
    row('model writes to first text at the voice', 'replyToText', 15),
    row('voice is asked to first frame at the carrier', 'textToFrame', 15),
    row('final transcript sent to first frame, all of it', 'transcriptToFrame'),
    row('barge-in decided to clear at the carrier', 'bargeInToClear', 20),
    { name: 'turns measured', ours: `${steps.length}`, ...atMost(0, lost, ' lost') },
  ];
}

/** A turn lies between two final transcripts. Incomplete ones are left out. */
function stepsOf(times: Times): TurnSteps[] {
  const { transcripts } = times;
  return transcripts.flatMap((transcript, index) => {
    const next = transcripts[index + 1] ?? Number.POSITIVE_INFINITY;
    const first = (ats: readonly number[]) => ats.find((at) => at >= transcript && at < next) ?? Number.NaN;
    const [request, decision, reply, text, frame] = [
      first(times.requests),
      first(times.decisions),
      first(times.replies),
      first(times.texts),
      first(times.firstFrames),
    ] as const;
    const bargeIn = times.bargeIns.findLast((at) => at < transcript) ?? Number.NaN;
    const clear = times.clears.find((at) => at >= bargeIn) ?? Number.NaN;
    const steps: TurnSteps = {
      transcriptToRequest: request - transcript,
      decisionToRequest: request - decision,
      replyToText: text - reply,
      textToFrame: frame - text,
      transcriptToFrame: frame - transcript,
      bargeInToClear: clear - bargeIn,
    };
    return Object.values(steps).every(Number.isFinite) ? [steps] : [];
  });
}
