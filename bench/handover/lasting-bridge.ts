import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { type Figure, ms } from '../figure.js';
import type { Delays, FarEnds } from './far-ends.js';
import type { HandoverRunner } from './handover-runner.js';
import type { HourOptions, SimulatedHour } from './simulated-hour.js';

/** How much later than at the beginning a listener may hear what is said, in milliseconds: two frames, which are tolerated before one is left out, and the one. */
const MOST_LATER_MS = 60;

const HOUR = { minutes: 60, jitterMs: 60 };
const DIRECTIONS = [
  { who: 'a speaker whose clock is ahead by 200 ppm', speakerPpm: 100, listenerPpm: -100 },
  { who: 'a speaker whose clock is behind by 200 ppm', speakerPpm: -100, listenerPpm: 100 },
];

/** An hour on lines with clocks that differ and with jitter: by a simulated clock, and for some seconds in real time. */
export async function* lastingBridge(seconds: number): AsyncGenerator<Figure> {
  yield* simulatedHour();
  yield* unsteadyLine(seconds);
}

async function* simulatedHour(): AsyncGenerator<Figure> {
  await using simulation = new BenchProcess<SimulatedHour>('handover/simulated-hour');
  for (const { who, ...clocks } of DIRECTIONS) {
    const options: Omit<HourOptions, 'isBare'> = { ...HOUR, ...clocks };
    const bare = await simulation.ask('hour', { ...options, isBare: true });
    const ours = await simulation.ask('hour', { ...options, isBare: false });
    const name = (what: string) => `bridge, simulated hour, ${who}: ${what}`;
    const laterMs = ours.last.p50 - ours.first.p50;
    yield { name: name('heard after, first minute'), bare: both(bare.first), ours: both(ours.first) };
    yield { name: name('heard after, last minute'), bare: both(bare.last), ours: both(ours.last) };
    yield {
      name: name('later in the end, p50'),
      bare: ms(bare.last.p50 - bare.first.p50),
      ours: ms(laterMs),
      target: `<= ${MOST_LATER_MS} ms`,
      isHeld: laterMs <= MOST_LATER_MS,
    };
    yield {
      name: name('frames left out; nothing to hear'),
      bare: `${bare.leftOut}; ${ms(bare.silentMs)}`,
      ours: `${ours.leftOut}; ${ms(ours.silentMs)}`,
    };
  }
}

async function* unsteadyLine(seconds: number): AsyncGenerator<Figure> {
  await using farEnds = new BenchProcess<FarEnds>('handover/far-ends');
  const apiUrl = await farEnds.ask('apiUrl');
  await using runner = new BenchProcess<HandoverRunner>(
    'handover/handover-runner',
    compiled('bench/bots/bridger'),
    '1',
    apiUrl,
  );
  const results = await farEnds.ask('unsteady', await runner.ask('url'), seconds * 1_000);
  for (const [at, { sentFrames, cameFrames, first, last }] of results.entries()) {
    const speaker = at === 0 ? 'caller, clock ahead' : 'colleague, clock behind';
    const laterMs = last.p50 - first.p50;
    yield {
      name: `bridge, ${seconds} s of an unsteady line, ${speaker}: heard after, first tenth`,
      ours: both(first),
    };
    yield {
      name: `… last tenth`,
      ours: both(last),
      target: `+ ${MOST_LATER_MS} ms`,
      isHeld: laterMs <= MOST_LATER_MS,
    };
    yield { name: '… frames left out', ours: `${sentFrames - cameFrames} of ${sentFrames}` };
  }
}

const both = ({ p50, p95 }: Delays): string => `${ms(p50)}, ${ms(p95)}`;
