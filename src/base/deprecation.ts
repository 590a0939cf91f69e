/** A name that goes away: of a setting, an option, a field or a part of the API. Its report has it as deprecated: docs/versions.md. */
export interface Deprecation {
  /** As it is written: `VOICEBOT_…`, `--option`, `call.method()`. */
  readonly name: string;
  /** What to do, in the imperative: "use call.other()". */
  readonly instead: string;
  /** The version that does not have it any more: a minor version at least behind the first that warns. */
  readonly gone: string;
}

/** Takes a sentence for people. */
export type Warn = (sentence: string) => void;

/** Node's own way, which `--no-deprecation` silences and `--throw-deprecation` makes an error of. */
const warnAsNode: Warn = (sentence) => process.emitWarning(sentence, 'DeprecationWarning');

/** Names that this process has warned of. */
const warned = new Set<string>();

/**
 * Warns that a name was used which goes away, once in this process for each name.
 * @param warn default: a DeprecationWarning of Node's
 */
export function warnDeprecated({ name, instead, gone }: Deprecation, warn: Warn = warnAsNode): void {
  if (warned.has(name)) return;
  warned.add(name);
  warn(`${name} is deprecated and goes away in voicebot ${gone}: ${instead}`);
}
