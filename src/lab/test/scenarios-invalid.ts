import { VoicebotError } from '../../base/errors.js';
import type { ScenarioProblem } from '../scenario/placed-scenario.js';
import { shownPlace } from './shown-path.js';

/** Files of scenarios cannot be used: VB_SCENARIO_INVALID, with every problem there is. */
export class ScenariosInvalid extends VoicebotError {
  /** @param directory the working directory, from which people are shown the files */
  constructor(
    readonly problems: readonly ScenarioProblem[],
    directory: string,
  ) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    const lines = problems.map((one) => `\n  ${shownPlace(one, directory)}  ${problemWords(one)}`);
    super('VB_SCENARIO_INVALID', `${count}${lines.join('')}`);
  }
}

/** `caller[1].press  must be keys in quotes` */
export const problemWords = ({ field, message }: ScenarioProblem): string =>
  field === '' ? message : `${field}  ${message}`;
