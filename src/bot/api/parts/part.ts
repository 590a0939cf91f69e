import type { VoicebotError } from '../../../base/errors.js';
import { OptionProblems } from '../../../base/names/option-names.js';
import type { VendorName } from '../../services/vendor.js';
import { atPath, refusalsOf } from './refusals.js';

/** One part of a bot: makes what one call needs of it. */
export interface BotPart<Made> {
  /** Whose keys it reads from the environment and lacks. */
  readonly keys: readonly VendorName[];
  /** @returns what the part is refused with, but for {@link keys}: nothing when it can be made */
  check(): readonly VoicebotError[];
  /** What one call needs; undefined where the bot has no such part. @throws VoicebotError what {@link check} returns */
  make(): Made | undefined;
  /** Gets ready for the first call. @throws VoicebotError VB_CONFIG_INVALID when a package is missing or too old */
  load(): Promise<void>;
}

/** A part that the bot does without. */
export const NO_PART: BotPart<never> = { keys: [], check: () => [], make: () => undefined, load: async () => {} };

/** The ears and the voice. */
export type ServicePartName = 'stt' | 'tts';

/** How one service is made. */
export interface Making<Made> {
  readonly key?: VendorName | undefined;
  create(): Made;
  load?(): Promise<void>;
}

/** A part that is one service. @param at where the bot gives it, such as `otherwise.stt[1]`: its problems are told with that */
export function singlePart<Made>(at: string, making: Making<Made>): BotPart<Made> {
  const { key } = making;
  const make = () => {
    try {
      return making.create();
    } catch (error) {
      throw atPath(at, error);
    }
  };
  return {
    keys: key ? [key] : [],
    check: () => refusalsOf(make).filter(({ code }) => !(key && code === 'VB_CREDENTIALS_MISSING')),
    make,
    load: async () => {
      try {
        await making.load?.();
      } catch (error) {
        throw atPath(at, error);
      }
    },
  };
}

/** A part that cannot be made. @param problems a sentence for each */
export function wrongPart(problems: readonly string[]): BotPart<never> {
  const refusal = new OptionProblems(problems);
  const make = () => {
    throw refusal;
  };
  return { keys: [], check: () => [refusal], make, load: async () => {} };
}
