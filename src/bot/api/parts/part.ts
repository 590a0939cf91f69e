import type { VendorName } from '../../services/vendor.js';

/** One part of a bot, checked: makes what one call needs of it. */
export interface BotPart<Made> {
  /** Whose keys it reads from the environment and lacks. */
  readonly keys: readonly VendorName[];
  /** What one call needs; undefined where the bot has no such part. */
  make(): Made | undefined;
  /** Gets ready for the first call. @throws VoicebotError VB_CONFIG_INVALID when a package is missing or too old */
  load(): Promise<void>;
}

/** A part that the bot does without. */
export const NO_PART: BotPart<never> = { keys: [], make: () => undefined, load: async () => {} };

/** The ears and the voice. */
export type ServicePartName = 'stt' | 'tts';
