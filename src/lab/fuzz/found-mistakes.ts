import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { stringify } from 'yaml';
import type { Failure } from '../scenario/call-story.js';
import { calledFunctions } from '../scenario/called-functions.js';
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
  const options = {
    ...(withoutPlaces(target.base.optionsOf(call, name, mistake.field, called)) as object),
    ...(bot !== undefined && { bot: relative(dirname(file), bot) }),
  };
  const comment = head.map((line) => `# ${line.replaceAll('\n', ' ')}\n`).join('');
  writeFileSync(file, comment + stringify(options, { lineWidth: 120, aliasDuplicateObjects: false }));
}

/** `fuzz/42-3.yaml` */
export const foundFile = (directory: string, seed: number, no: number): string =>
  join(directory, 'fuzz', `${seed}-${no}.yaml`);
