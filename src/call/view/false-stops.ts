import { isBackchannel } from '../backchannels.js';
import type { TimelineEvent } from '../timeline.js';
import { type CallTalk, unknownIn } from './call-talk.js';
import { allOf } from './events.js';
import type { HeardSound } from './heard-sounds.js';

/** A bot stops so long after the end of the sound that stops it, at most. */
const STOPS_WITHIN_MS = 1_500;
/** Words that are understood so long after a sound still belong to it. */
const WORDS_WITHIN_MS = 3_000;
/** Words that came with the sound were on their way so long, at least, even where the bot is heard again at once. */
const SURELY_MS = 500;
/** The notes of the bot and the recording are so far from each other, at most. */
const ABOUT_MS = 300;

/** The bot fell silent for a sound of the caller that said nothing. */
export interface FalseStop {
  /** When it stopped, milliseconds since the Unix epoch. */
  readonly at: number;
  /** Until it was heard again; undefined where it was not. */
  readonly ms: number | undefined;
  /** What was understood of the sound: words such as "uh-huh". */
  readonly caller: string | undefined;
}

/**
 * When the bot was interrupted by a sound of the caller of which nothing was understood, or only "uh-huh". A bot that held its speech and went on
 * was not interrupted; keys that are pressed, and the end of the call, are reasons of their own. Where no words are kept, nothing is known.
 * @param events in the order of their times
 */
export function falseStops(talk: CallTalk, events: readonly TimelineEvent[]): FalseStop[] {
  if (allOf(events, 'said', 'saying').length === 0) return [];
  const unknown = unknownIn(events, talk.endsAt);
  return allOf(events, 'speech_stopped').flatMap(({ speaker, wasInterrupted, at }) => {
    if (speaker !== 'bot' || !wasInterrupted || isOtherwiseMeant(at, talk.endsAt, events)) return [];
    if (unknown.some(({ fromMs, toMs }) => fromMs <= at && at <= toMs)) return [];
    const cause = talk.caller.sounds.findLast(
      (one) => one.fromMs <= at + ABOUT_MS && one.toMs >= at - STOPS_WITHIN_MS && isOverBot(one, at, talk),
    );
    if (!cause) return [];
    const again = talk.bot.speech.find(({ fromMs }) => fromMs > at + ABOUT_MS)?.fromMs;
    const until = Math.max(at, Math.min(again ?? Number.POSITIVE_INFINITY, at + WORDS_WITHIN_MS)) + SURELY_MS;
    const words = allOf(events, 'said').filter(
      (said) => said.speaker === 'caller' && said.at >= cause.fromMs && said.at <= until && said.text.trim() !== '',
    );
    if (words.some(({ text }) => !isBackchannel(text))) return [];
    const caller = words.map(({ text }) => text.trim()).join(' ') || undefined;
    return [{ at, ms: again === undefined ? undefined : again - at, caller }];
  });
}

/** How often sounds of the caller came while the bot was heard: without any, nothing could stop it. */
export const soundsOverBot = ({ caller, bot }: CallTalk): number =>
  caller.sounds.filter((one) => bot.speech.some(({ fromMs, toMs }) => fromMs < one.fromMs && toMs > one.fromMs)).length;

/** Whether a sound began while the bot spoke what was stopped then. */
const isOverBot = ({ fromMs }: HeardSound, stoppedAt: number, { bot }: CallTalk): boolean =>
  bot.speech.some((one) => one.fromMs < fromMs && one.toMs > fromMs - ABOUT_MS && one.fromMs < stoppedAt);

function isOtherwiseMeant(at: number, endsAt: number, events: readonly TimelineEvent[]): boolean {
  const isAbout = (other: number) => Math.abs(other - at) <= 2 * SURELY_MS;
  return (
    endsAt - at < 2 * SURELY_MS ||
    allOf(events, 'keys').some((event) => event.direction === 'in' && isAbout(event.at)) ||
    allOf(events, 'bot_done', 'transfer_asked').some((event) => isAbout(event.at))
  );
}
