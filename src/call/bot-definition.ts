import type { DeclaredDisclosure, NoticeText, SpokenNotice } from './disclosure.js';
import type { BotFunction } from './runner-arguments.js';

/** How calls are recorded. */
export interface RecordOptions {
  /** Keys are kept as `•`. Default false. */
  maskDigits?: boolean;
  /**
   * Says that the call is recorded, in at most 20 s; or a text for each language, by BCP 47 tags; or `{ text, file }` for a bot without a voice.
   * Nothing is kept before it was heard, and a caller who objects has removed what there is. Default: the call is recorded from its beginning.
   */
  notice?: NoticeText | SpokenNotice;
  /** A key with which the caller objects: one of `0-9 * #`. Default: by words alone. */
  objectKey?: string;
}

/** What a bot function says about itself to the runner that loads it. */
export interface BotDefinition {
  /** Gets everything ready that would otherwise be made ready while the first caller waits. */
  load(): Promise<void>;
  /** Present where the bot says what the custom data of a call looks like. @returns a sentence for each problem */
  checkBody?: ((body: unknown) => Promise<string[]>) | undefined;
  /** Whether its calls are to be recorded, where the configuration does not say. */
  readonly record?: boolean | RecordOptions | undefined;
  /** Whether its calls begin with the sentence that a machine calls. */
  readonly disclosure?: DeclaredDisclosure | undefined;
}

/** Registered: the bot file may import another copy of this package than the one that runs it. */
const DEFINITION = Symbol.for('voicebot.botDefinition');

export function describeBot(bot: BotFunction, definition: BotDefinition): BotFunction {
  return Object.defineProperty(bot, DEFINITION, { value: definition });
}

/** Undefined for a bot that is a bare function. */
export function definitionOf(bot: BotFunction): BotDefinition | undefined {
  return (bot as { [DEFINITION]?: BotDefinition })[DEFINITION];
}
