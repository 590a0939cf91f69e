import { setTimeout as delay } from 'node:timers/promises';
import { BenchProcess } from '../bench-process.js';
import type { JoiningStep, ToldStep } from '../bots/joiner.js';
import { compiled } from '../compile.js';
import type { Figure } from '../figure.js';
import type { HandoverRunner } from './handover-runner.js';
import type { HeardStep } from './toned-phone.js';
import type { TonedPhones } from './toned-phones.js';

/** What follows a step of the bot's for so long belongs to the joint, in milliseconds; frames are left out up to some seconds after a burst. */
const JOINT_MS = 1_000;
const LEFT_OUT_MS = 6_000;
/** What ends is heard to its end before the bot knows, in milliseconds. */
const BEFORE_MS = 300;
/** How much more than the sounds' own steps a joint may step, of 32767: two steps of mu-law at the tones' peaks. */
const MOST_BEYOND = 512;
const LIMIT_MS = 60_000;

/** A joint, and what is heard around it. */
interface Joint {
  readonly name: string;
  readonly step: JoiningStep;
  readonly lastsMs?: number;
  /** Of the two, who hears it. */
  readonly heardBy: readonly number[];
}

const CALLER = 0;
const COLLEAGUE = 1;
const JOINTS: readonly Joint[] = [
  { name: 'hold begins', step: 'hold', heardBy: [CALLER] },
  { name: 'hold to bridge', step: 'bridge', heardBy: [CALLER] },
  { name: 'silence to bridge', step: 'bridge', heardBy: [COLLEAGUE] },
  { name: 'whisper begins', step: 'whisper', heardBy: [CALLER, COLLEAGUE] },
  { name: 'whisper ends', step: 'whispered', heardBy: [CALLER, COLLEAGUE] },
  { name: 'frames are left out', step: 'talk', lastsMs: LEFT_OUT_MS, heardBy: [CALLER] },
  { name: 'a third one joins', step: 'third', heardBy: [CALLER, COLLEAGUE] },
  { name: 'the third one leaves', step: 'third leaves', heardBy: [CALLER, COLLEAGUE] },
  { name: 'the bridge ends', step: 'end', heardBy: [CALLER] },
];

/** Takes people who say smooth tones through every joint between two sounds: the largest step that each hears, beside those of the tones. */
export async function* joints(): AsyncGenerator<Figure> {
  await using phones = new BenchProcess<TonedPhones>('handover/toned-phones');
  await using runner = new BenchProcess<HandoverRunner>(
    'handover/handover-runner',
    compiled('bench/bots/joiner'),
    '1',
    await phones.ask('apiUrl'),
  );
  await phones.ask('dial', await runner.ask('url'));
  const told = await toldUntil(runner, 'talk', []);
  await phones.ask('burst');
  const steps = await toldUntil(runner, 'over', told);
  const heard = await phones.ask('heard');
  for (const { name, step, lastsMs = JOINT_MS, heardBy } of JOINTS) {
    const at = steps.findIndex((one) => one.step === step);
    const from = (steps[at]?.at ?? Number.NaN) - BEFORE_MS;
    const [before, after] = [steps[at - 1]?.at ?? 0, steps[at + 1]?.at ?? Number.POSITIVE_INFINITY];
    for (const who of heardBy) {
      const line = heard[who] ?? [];
      const sound = line.filter(({ isSilence }) => !isSilence);
      const ofJoint = largest(line, from, from + lastsMs);
      const own = Math.max(largest(sound, before + JOINT_MS, from), largest(sound, from + lastsMs, after - BEFORE_MS));
      yield {
        name: `bridge: largest step where ${name}, heard by the ${who === CALLER ? 'caller' : 'colleague'}`,
        bare: `${own} within the tones`,
        ours: `${ofJoint}`,
        ratio: (ofJoint / own).toFixed(2),
        target: `<= ${own + MOST_BEYOND}`,
        isHeld: ofJoint <= own + MOST_BEYOND,
      };
    }
  }
}

async function toldUntil(
  runner: BenchProcess<HandoverRunner>,
  step: JoiningStep,
  told: readonly ToldStep[],
): Promise<ToldStep[]> {
  const all = [...told];
  const limit = performance.now() + LIMIT_MS;
  while (!all.some((one) => one.step === step)) {
    if (performance.now() > limit) throw new Error(`the bot has not come to: ${step}`);
    await delay(50);
    all.push(...((await runner.ask('told')) as ToldStep[]));
  }
  return all;
}

const largest = (line: readonly HeardStep[], from: number, to: number): number =>
  Math.max(0, ...line.filter(({ at }) => at >= from && at < to).map(({ step }) => step));
