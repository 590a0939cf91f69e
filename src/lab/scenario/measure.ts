import { allOf } from '../../call/view/events.js';
import { type HeardSound, levelsOf, soundsIn } from '../../call/view/heard-sounds.js';
import type { CallStory, Measures } from './call-story.js';

const SAMPLE_RATE = 8_000;
/** A shorter pause of a bot that is talked over is none. */
const SENTENCE_GAP_MS = 200;
/** That speech goes on is noted so long before or after it is heard, at most. */
const RESUME_NOTED_MS = 400;
/** A recorded line is on its way to the caller for so long, at most. */
const LINE_LATE_MS = 300;

/** Measures what the caller hears, by the sound of both sides. Recorded lines break a silence, but are no answer. */
export function measure(story: Pick<CallStory, 'audio' | 'lengthMs' | 'events' | 'answeredAt'>): Measures {
  const { audio, lengthMs } = story;
  if (!audio) return { firstWordMs: undefined, answersMs: [], silence: { ms: 0, atMs: 0 } };
  const answers = soundsOf(withoutLines(audio.bot, story));
  const caller = soundsOf(audio.caller);
  return {
    firstWordMs: answers[0]?.fromMs,
    answersMs: answersTo(caller, answers, resumedIn(story)),
    silence: longestSilence([...soundsOf(audio.bot), ...caller], Math.min(lengthMs, audio.bot.length / 8)),
  };
}

/** What a bot is heard to say without the line that holds a caller who waits, and the one that says it is sorry. */
function withoutLines(
  pcm: Int16Array,
  { events, answeredAt = 0 }: Pick<CallStory, 'events' | 'answeredAt'>,
): Int16Array {
  const lines = allOf(events, 'line_played');
  if (lines.length === 0) return pcm;
  const answers = allOf(events, 'said').flatMap(({ speaker, startedAt }) =>
    speaker === 'bot' && startedAt ? startedAt : [],
  );
  const rest = pcm.slice();
  const place = (at: number) => Math.max(0, Math.round((at - answeredAt) * 8));
  for (const { startedAt, at } of lines) {
    const next = answers.filter((one) => one > startedAt).reduce((a, b) => Math.min(a, b), at + LINE_LATE_MS);
    rest.fill(0, place(startedAt), place(Math.max(at, next)));
  }
  return rest;
}

/** When the bot went on with speech that it had held, in milliseconds from the answer. */
const resumedIn = ({ events, answeredAt = 0 }: Pick<CallStory, 'events' | 'answeredAt'>): number[] =>
  allOf(events, 'speech_held').flatMap(({ at, resumed }) => (resumed ? at - answeredAt : []));

/**
 * How long each thing that the caller said waited for its answer. One that the bot does not answer before the caller goes on has none, nor has
 * one after which it only goes on with what it was saying.
 */
function answersTo(caller: readonly HeardSound[], bot: readonly HeardSound[], resumedMs: readonly number[]): number[] {
  return caller.flatMap(({ toMs }, at) => {
    const next = caller[at + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const answer = bot.find(({ fromMs }) => fromMs >= toMs);
    const isAnswer =
      answer && answer.fromMs < next && !resumedMs.some((at) => Math.abs(at - answer.fromMs) < RESUME_NOTED_MS);
    return isAnswer ? [answer.fromMs - toMs] : [];
  });
}

/**
 * How long a bot that was talked over went on, with when that was; one entry for each time. A pause between its sentences is no end
 * where the caller still speaks when it goes on.
 */
export function overlaps({ audio }: Pick<CallStory, 'audio'>): Array<{ readonly ms: number; readonly atMs: number }> {
  if (!audio) return [];
  const bot = soundsOf(audio.bot, SENTENCE_GAP_MS);
  return soundsOf(audio.caller).flatMap(({ fromMs, toMs }) => {
    if (!bot.some((one) => one.fromMs < fromMs && one.toMs > fromMs)) return [];
    const last = bot.findLast((one) => one.fromMs < toMs);
    return last ? [{ ms: last.toMs - fromMs, atMs: fromMs }] : [];
  });
}

/** Where one side is heard. @param pcm 8000 Hz @param gapMs a pause that is shorter belongs to the sound; default 500 */
const soundsOf = (pcm: Int16Array, gapMs?: number): HeardSound[] => soundsIn(levelsOf(pcm, SAMPLE_RATE), gapMs);

/** The longest stretch in which nothing is heard, up to the end. */
export function longestSilence(
  sounds: readonly HeardSound[],
  lengthMs: number,
): { readonly ms: number; readonly atMs: number } {
  let longest = { ms: 0, atMs: 0 };
  let silentFromMs = 0;
  for (const { fromMs, toMs } of [...sounds]
    .sort((a, b) => a.fromMs - b.fromMs)
    .concat({ fromMs: lengthMs, toMs: lengthMs })) {
    if (fromMs - silentFromMs > longest.ms) longest = { ms: fromMs - silentFromMs, atMs: silentFromMs };
    silentFromMs = Math.max(silentFromMs, toMs);
  }
  return longest;
}
