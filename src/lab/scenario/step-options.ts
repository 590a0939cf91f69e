import { dtmfScriptOf } from '../../base/audio/dtmf-script.js';
import type { CallerStep } from './caller-steps.js';
import { durationOf } from './fields.js';
import type { StepOptions, StepTiming } from './scenario-options.js';
import type { WordPattern } from './words.js';

/** A checked step as a file has it. Sounds are named by their absolute paths. */
export function stepOptionsOf(step: CallerStep): StepOptions {
  switch (step.kind) {
    case 'say':
      return { say: step.words, ...timingOf(step) };
    case 'play':
      return { play: step.file, ...(step.words !== undefined && { words: step.words }), ...timingOf(step) };
    case 'press':
      return { press: dtmfScriptOf(step.keys), ...timingOf(step) };
    case 'hang_up':
      return { hangUp: true, ...timingOf(step) };
    case 'wait':
      return { wait: durationOf(step.ms) };
    case 'hear':
      return { hear: wordsOf(step.words), within: durationOf(step.withinMs) };
    case 'either':
      return {
        // biome-ignore lint/suspicious/noThenProperty: a list; only a function would make a promise of it
        either: step.branches.map(({ words, steps }) => ({ hear: wordsOf(words), then: steps.map(stepOptionsOf) })),
        within: durationOf(step.withinMs),
      };
    case 'repeat':
      return { repeat: step.steps.map(stepOptionsOf), ...(step.times !== undefined && { times: step.times }) };
  }
}

const timingOf = ({
  during,
  after,
  talkOver,
  orFinished,
}: Extract<CallerStep, { kind: 'say' | 'play' | 'press' | 'hang_up' }>): StepTiming => ({
  ...(during && { during: wordsOf(during) }),
  ...(after !== undefined && { after: durationOf(after) }),
  ...(talkOver && { talkOver }),
  ...(orFinished && { orFinished }),
});

/** A regular expression between slashes, as a file has it. */
export const wordsOf = ({ words }: WordPattern): string => String(words);
