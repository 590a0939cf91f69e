import type { CallFolder } from '../../call/folder/read-call-folder.js';
import { allOf } from '../../call/view/events.js';
import type { ExpectOptions } from '../scenario/scenario-options.js';
import { WordPattern } from '../scenario/words.js';
import { comparedCall } from './compared-call.js';

/** What a call like the recorded one must do. Lines that were interrupted are left out: where they are cut is not the same each time. */
export function recordedExpectation(folder: CallFolder): ExpectOptions {
  const { lines, tools, keysIn, keysOut, transfers, endReason } = comparedCall(folder);
  const whole = lines.filter(
    ({ text, wasInterrupted }) => !wasInterrupted && !new WordPattern(text.replace(/^\/+/, '')).isEmpty,
  );
  const of = (speaker: 'caller' | 'bot') =>
    whole.filter((line) => line.speaker === speaker).map(({ text }) => text.replace(/^\/+/, ''));
  const [heard, understood] = [of('bot'), of('caller')];
  const isAsked = allOf(folder.events, 'model_asked').length > 0;
  const [transfer] = transfers;
  const outcome = transfer?.outcome as 'answered' | undefined;
  return {
    ...(heard.length > 0 && { heard }),
    ...(understood.length > 0 && { understood }),
    ...((isAsked || tools.length > 0) && {
      tools: tools.map(({ name, input }) =>
        typeof input === 'object' && input !== null && Object.keys(input).length > 0
          ? { name, input: input as Record<string, unknown> }
          : name,
      ),
    }),
    ...(keysOut !== '' && { keys: keysOut }),
    ...(keysIn !== '' && !keysIn.includes('•') && { keysReceived: keysIn }),
    transfer: transfer ? { to: transfer.to, ...(outcome && { outcome }) } : 'none',
    ...(endReason && { end: endReason }),
  };
}
