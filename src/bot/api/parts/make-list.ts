import { VoicebotError } from '../../../base/errors.js';
import { refuseProblems } from '../../../base/names/option-names.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import type { BotPart } from './part.js';

/**
 * Makes all services of a list.
 * @param name of the list, as the bot gives it: `stt`
 * @param kind what each has to be, and what that is called
 * @throws VoicebotError VB_CONFIG_INVALID with everything that is wrong with any of them, each named by its place
 */
export function makeList<Service extends FrameProcessor>(
  name: string,
  parts: readonly BotPart<FrameProcessor>[],
  kind: abstract new (...args: never[]) => Service,
  kindName: string,
): Service[] {
  const problems: string[] = [];
  const services = parts.flatMap((part, index) => {
    try {
      const made = part.make();
      if (made instanceof kind) return made;
      problems.push(`${name}[${index}] makes no ${kindName}, which each one of a list has to be`);
    } catch (error) {
      if (!(error instanceof VoicebotError) || error.code !== 'VB_CONFIG_INVALID') throw error;
      problems.push(`${name}[${index}]: ${error.message}`);
    }
    return [];
  });
  refuseProblems(problems);
  return services;
}
