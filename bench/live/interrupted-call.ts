import type { Wire } from '../../src/lab/scenario/scenario-result.js';
import { randomNumbers } from '../hearing/random.js';
import { type FarEnd, type NotedSession, startFarEnd } from './far-ends.js';
import { answersIn, hearMarked, markedSound } from './marked-sound.js';
import { FRAME_MS, PhoneCaller } from './phone-caller.js';
import { RecordedStage } from './recorded-stage.js';

/** What an answer is: longer than any caller of the bench listens. */
const LONG_ANSWER = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen';
const CHARACTER_MS = 60;
/** Silence that says that the bot has stopped, in milliseconds. */
const QUIET_MS = 160;

/** Silence behind the greeting; what a room plays before that has shorter pauses. In milliseconds. */
const GREETED_MS = 1_000;

/** What has come of interruptions. In milliseconds. */
export interface Interruptions {
  /** From the caller's first sound to the bot's last, as the caller hears it. */
  readonly silences: readonly number[];
  /** Of each answer that was cut off, what the session remembers of it, and up to where the recording has it. */
  readonly cuts: ReadonlyArray<{ readonly rememberedMs: number; readonly recordedMs: number }>;
}

/** Calls at once of a bot with a live model on one wire, each with so many interruptions. @param seed of their moments */
export async function interruptedCalls(
  wire: Wire,
  { calls, times, seed = 1 }: { readonly calls: number; readonly times: number; readonly seed?: number },
): Promise<Interruptions> {
  const audio = (text: string, sampleRate: number) => markedSound(text.length * CHARACTER_MS, sampleRate);
  await using farEnd = await startFarEnd('openai', { text: LONG_ANSWER, audio, delayMs: 100, betweenChunksMs: 20 });
  await using stage = await RecordedStage.open(wire, farEnd.environment);
  const seeds = Array.from({ length: calls }, (_, index) => seed + index);
  const made = await Promise.all(seeds.map((one) => interruptedCall(stage, farEnd, { seed: one, times })));
  // looked at after all calls: this keeps the process busy, in which the far end lives
  return { silences: made.flatMap(({ silences }) => silences), cuts: made.flatMap(cutsOf) };
}

/** What there is of a call when it is over. */
interface MadeCall {
  readonly silences: readonly number[];
  readonly recording: { readonly pcm: Int16Array; readonly sampleRate: number };
  readonly session: NotedSession | undefined;
}

/** A call in which every answer is interrupted at a random moment. @param seed the same moments each time */
async function interruptedCall(
  stage: RecordedStage,
  farEnd: FarEnd,
  { seed, times }: { readonly seed: number; readonly times: number },
): Promise<MadeCall> {
  const from = `+1202555${String(seed).padStart(4, '0')}`;
  const random = randomNumbers(seed);
  const caller = new PhoneCaller();
  const silences: number[] = [];
  const recording = await stage.call(from, caller, async () => {
    await caller.hears(0);
    await caller.hearsNothing(0, GREETED_MS);
    let { to } = await caller.speak(600);
    for (let count = 0; count < times; count += 1) {
      await caller.hears(to, 900 + 2_400 * random());
      const speaking = caller.speak(1_050 + 400 * random());
      const { frames } = caller;
      silences.push(((await caller.hearsNothing(frames, QUIET_MS)) - frames) * FRAME_MS);
      ({ to } = await speaking);
    }
    await caller.hears(to);
  });
  const session = farEnd.sessions.find(({ messages }) =>
    messages.some((message) => 'session' in message && JSON.stringify(message).includes(from)),
  );
  return { silences, recording, session };
}

/** Without the greeting, which is not interrupted, and what is begun when the caller hangs up. An answer that goes on was not cut off. */
function cutsOf({ silences, recording, session }: MadeCall): Interruptions['cuts'] {
  const remembered = session?.items.filter(({ role, audioMs }) => role === 'assistant' && audioMs > 0) ?? [];
  const recorded = answersIn(hearMarked(recording.pcm, recording.sampleRate));
  return silences.flatMap((_, index) => {
    const { audioMs: rememberedMs = Number.NaN, isTruncated = true } = remembered[index + 1] ?? {};
    return isTruncated ? [{ rememberedMs, recordedMs: recorded[index + 1] ?? Number.NaN }] : [];
  });
}
