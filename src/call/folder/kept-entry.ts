import type { BotEntry } from '../timeline.js';

/** Stands for a key that is masked. */
const MASK = '•';

/** What of a call is to stay secret. */
export interface Secrecy {
  /** The call is not recorded, or not now: what is said, pressed and given to functions of the model is told to nobody. */
  readonly hidesTalk: boolean;
  /** Keys are kept as `•`. */
  readonly maskDigits: boolean;
}

/** What may be kept of an entry; undefined for nothing. */
export function keptOf(entry: BotEntry, { hidesTalk, maskDigits }: Secrecy): BotEntry | undefined {
  const isKeyOnWire = entry.type === 'wire' && entry.name === 'dtmf';
  if (hidesTalk) {
    if (isKeyOnWire || ['said', 'saying', 'keys'].includes(entry.type)) return undefined;
    if (entry.type === 'tool_called') return { ...entry, input: undefined };
    if (entry.type === 'tool_returned') return { ...entry, output: undefined };
  }
  if (!maskDigits) return entry;
  if (entry.type === 'keys') return { ...entry, keys: masked(entry.keys) };
  return isKeyOnWire && entry.detail !== undefined ? { ...entry, detail: masked(entry.detail) } : entry;
}

const masked = (keys: string) => MASK.repeat(keys.length);
