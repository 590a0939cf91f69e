import { recordedLine } from '../../../src/bot/pipeline/recorded-lines.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { FakeModelMessage, FakeModelReply } from '../../../src/lab/kit/index.js';
import type { CallStage, Scene, SceneOptions } from './call-stage.js';
import type { NotingCaller } from './noting-caller.js';

/** The same recording is above 0.95, and above 0.8 where a busy machine has made holes in it; tones are below 0.3. */
const SAME_RECORDING = 0.75;

export interface Play extends SceneOptions {
  /** What happens, from the answer on. Ends with the call, or when it has been shown that it goes on. */
  play(scene: Scene, caller: NotingCaller): Promise<void>;
}

export interface Outcome {
  readonly record: CallRecord;
  /** How like the recorded apology what was heard is at its best. */
  readonly likeness: number;
  /** The recorded apology was heard. */
  readonly hasApologised: boolean;
  /**
   * The longest time in which the caller, who had spoken or been answered, heard nothing: to the apology, or to the end of the
   * call. In milliseconds.
   */
  readonly silenceMs: number;
}

export const OPEN = 'At seven in the morning.';
/** What a caller says who asks, is answered and thanks. */
export const texts = ['When do you open?', 'Thank you.'];

export function answers(messages: readonly FakeModelMessage[]): FakeModelReply {
  return { text: messages.at(-1)?.text.includes('open') ? OPEN : 'You are welcome.' };
}

/** The caller hears the greeting and asks. */
export async function asks(caller: NotingCaller): Promise<void> {
  await caller.hearsOut();
  await caller.says();
}

/** The caller has been answered; they thank, and hear that, too. */
export async function goesOn(scene: Scene, caller: NotingCaller): Promise<void> {
  await caller.says(2);
  await scene.says('You are welcome.');
  await caller.hearsOut();
  caller.phone.client.hangUp();
}

/** Calls that go on at the same time: more of them are too many for a small machine that has other things to do. */
const AT_ONCE = 7;

/** Has all of the plays, several at once. @returns what became of each, or throws what went wrong in it */
export async function performAll(
  stage: CallStage,
  plays: Readonly<Record<string, Play>>,
): Promise<(name: string) => Outcome> {
  const outcomes = new Map<string, Outcome>();
  const failures = new Map<string, unknown>();
  const waiting = Object.keys(plays);
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      try {
        const outcome = await perform(stage, stage.scene(name), plays[name] as Play);
        outcomes.set(name, outcome);
        const { silenceMs, likeness } = outcome;
        process.stderr.write(`  ${name}: ${silenceMs} ms of silence, apology ${likeness.toFixed(2)}\n`);
      } catch (failure) {
        failures.set(name, failure);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return (name) => {
    const outcome = outcomes.get(name);
    if (outcome) return outcome;
    throw failures.get(name);
  };
}

async function perform(stage: CallStage, scene: Scene, { play }: Play): Promise<Outcome> {
  await using caller = await stage.caller(scene);
  await play(scene, caller).catch((error: Error) => {
    throw new Error(`${scene.name}: ${error.message}\nthe bot has said: ${scene.spoken}\n${stage.output}`);
  });
  const record = await stage.ended(scene);
  const { atMs, likeness } = caller.find(recordedLine('apology').pcm);
  const hasApologised = likeness >= SAME_RECORDING;
  const untilMs = hasApologised ? atMs : caller.heardMs;
  return { record, likeness, hasApologised, silenceMs: caller.longestSilenceMs(caller.answeredMs, untilMs) };
}
