import { type OptionNames, unknownOptions } from '../../base/names/option-names.js';

/** How the other party of a call may ask not to be called again, and what they hear then. */
export interface DoNotCallOptions {
  /** A key that asks for it at any time, but for keys that the bot listens for: one of `0-9 * #`. Default: none. */
  key?: string | undefined;
  /** What they hear when their number is on the list; false: nothing. Default: a sentence in the language of the call. */
  say?: string | false | undefined;
  /** Whether it counts when they say so, in English, German, Spanish, French or Italian. Default: in calls that go out. */
  said?: boolean | undefined;
}

const OPTIONS: OptionNames<DoNotCallOptions> = { key: true, say: true, said: true };
/** Longest sentence, in characters. */
const MAX_SAY = 500;

/** @returns a sentence for each problem */
export function doNotCallProblems(options: DoNotCallOptions): string[] {
  if (typeof options !== 'object' || options === null) return ['doNotCall must be an object'];
  const { key, say, said } = options;
  const problems = unknownOptions(options, OPTIONS, 'doNotCall.');
  if (key !== undefined && !/^[0-9*#]$/.test(String(key))) problems.push('doNotCall.key must be one of 0-9 * #');
  const isSentence = typeof say === 'string' && say.trim() !== '' && say.length <= MAX_SAY;
  if (say !== undefined && say !== false && !isSentence) {
    problems.push(`doNotCall.say must be a text of at most ${MAX_SAY} characters, or false`);
  }
  if (said !== undefined && typeof said !== 'boolean') problems.push('doNotCall.said must be true or false');
  return problems;
}
