import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import { currentMutation, noteMutation } from '../../call/mutation.js';
import type { CallTimeline } from '../../call/timeline.js';

/** Each key is taken for the next one; the last of a row for its first. */
const NEXT: Readonly<Record<DtmfDigit, DtmfDigit>> = {
  ...{ 0: '1', 1: '2', 2: '3', 3: '4', 4: '5', 5: '6', 6: '7', 7: '8', 8: '9', 9: '0' },
  ...{ '*': '#', '#': '*', A: 'B', B: 'C', C: 'D', D: 'A' },
};

/** What a bot takes a key of the caller's for: undefined where it ignores it. The key itself, unless a test breaks the bot. */
export function keyTaken(key: DtmfDigit, timeline: CallTimeline | undefined): DtmfDigit | undefined {
  const mutation = currentMutation();
  const isShifted = mutation?.kind === 'keys_shifted';
  const isIgnored = mutation?.kind === 'key_ignored' && mutation.key === key;
  if (!mutation || !(isShifted || isIgnored)) return key;
  noteMutation(timeline, mutation);
  return isShifted ? NEXT[key] : undefined;
}
