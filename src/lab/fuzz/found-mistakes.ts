import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { stringify } from 'yaml';
import type { Failure } from '../scenario/call-story.js';
import { calledFunctions } from '../scenario/called-functions.js';
import type { StepOptions } from '../scenario/scenario-options.js';
import { withoutPlaces } from '../scenario/scenario-table.js';
import { signatureOf } from './always-holds.js';
import type { FuzzedCall } from './fuzz-calls.js';

/** A mistake of a bot, with the call that shows it. */
export interface FoundMistake {
  readonly mistake: Failure;
  /** The shortest call that is known to show it. */
  readonly shown: FuzzedCall;
  /** How many of the random calls have shown it. */
  readonly calls: number;
}

/** The mistakes of the calls, each once: of those that are alike, with the call of the fewest steps. */
export function foundIn(calls: readonly FuzzedCall[]): FoundMistake[] {
  const found = new Map<string, FoundMistake>();
  for (const shown of calls) {
    for (const mistake of new Map(shown.mistakes.map((one) => [signatureOf(one), one])).values()) {
      const key = `${shown.target.base.scenario.bot} ${shown.target.wire} ${signatureOf(mistake)}`;
      const known = found.get(key);
      const isShorter = !known || shown.call.caller.length < known.shown.call.caller.length;
      const best = isShorter ? { mistake, shown } : { mistake: known.mistake, shown: known.shown };
      found.set(key, { ...best, calls: (known?.calls ?? 0) + 1 });
    }
  }
  return [...found.values()];
}

/** Writes the call that shows a mistake as a scenario. @param file absolute path @param head what its first lines say */
export function writeFound({ mistake, shown }: FoundMistake, file: string, head: readonly string[]): void {
  const { target, call, name, run } = shown;
  const called = new Set(calledFunctions(run.events).map((one) => one.name));
  mkdirSync(dirname(file), { recursive: true });
  const { bot } = target.base.scenario;
  const fromHere = (path: string) => relative(dirname(file), path);
  const { name: title, caller = [], ...rest } = target.base.optionsOf(call, name, mistake.field, called);
  const steps = (Array.isArray(caller) ? caller : []).map((step: StepOptions) => withSounds(step, fromHere));
  const options = {
    ...(withoutPlaces({ name: title }) as object),
    ...(bot !== undefined && { bot: fromHere(bot) }),
    ...(target.wire === 'rooms' ? { transport: 'rooms' } : { carrier: target.wire }),
    ...(withoutPlaces({ ...rest, caller: steps }) as object),
  };
  const comment = head.map((line) => `# ${line.replaceAll('\n', ' ')}\n`).join('');
  writeFileSync(file, comment + stringify(options, { lineWidth: 120, aliasDuplicateObjects: false }));
}

/** A step whose sounds are named in another way. */
function withSounds(step: StepOptions, named: (file: string) => string): StepOptions {
  if ('play' in step) return { ...step, play: named(step.play) };
  if ('repeat' in step) return { ...step, repeat: step.repeat.map((one) => withSounds(one, named)) };
  if (!('either' in step)) return step;
  const branches = step.either.map(({ then = [], ...branch }) => ({
    ...branch,
    // biome-ignore lint/suspicious/noThenProperty: a list; only a function would make a promise of it
    then: then.map((one) => withSounds(one, named)),
  }));
  return { ...step, either: branches };
}

/** `fuzz/42-3.yaml` */
export const foundFile = (directory: string, seed: number, no: number): string =>
  join(directory, 'fuzz', `${seed}-${no}.yaml`);
