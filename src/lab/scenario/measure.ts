import type { CallStory, Measures } from './call-story.js';
import { type HeardSound, longestSilence, soundsIn } from './heard-levels.js';

/** A shorter pause of a bot that is talked over is none. */
const SENTENCE_GAP_MS = 200;

/** Measures what the caller hears, by the sound of both sides. */
export function measure({ audio, lengthMs }: Pick<CallStory, 'audio' | 'lengthMs'>): Measures {
  if (!audio) return { firstWordMs: undefined, answersMs: [], silence: { ms: 0, atMs: 0 } };
  const bot = soundsIn(audio.bot);
  const caller = soundsIn(audio.caller);
  return {
    firstWordMs: bot[0]?.fromMs,
    answersMs: answersTo(caller, bot),
    silence: longestSilence([...bot, ...caller], Math.min(lengthMs, audio.bot.length / 8)),
  };
}

/** How long each thing that the caller said waited for its answer. One that the bot does not answer before the caller goes on has none. */
function answersTo(caller: readonly HeardSound[], bot: readonly HeardSound[]): number[] {
  return caller.flatMap(({ toMs }, at) => {
    const next = caller[at + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const answer = bot.find(({ fromMs }) => fromMs >= toMs);
    return answer && answer.fromMs < next ? [answer.fromMs - toMs] : [];
  });
}

/**
 * How long a bot that was talked over went on, with when that was; one entry for each time. A pause between its sentences is no end
 * where the caller still speaks when it goes on.
 */
export function overlaps({ audio }: Pick<CallStory, 'audio'>): Array<{ readonly ms: number; readonly atMs: number }> {
  if (!audio) return [];
  const bot = soundsIn(audio.bot, SENTENCE_GAP_MS);
  return soundsIn(audio.caller).flatMap(({ fromMs, toMs }) => {
    if (!bot.some((one) => one.fromMs < fromMs && one.toMs > fromMs)) return [];
    const last = bot.findLast((one) => one.fromMs < toMs);
    return last ? [{ ms: last.toMs - fromMs, atMs: fromMs }] : [];
  });
}
