import type { TimelineEvent } from '../timeline.js';
import type { CallTalk } from './call-talk.js';
import { allOf } from './events.js';
import type { HeardSound } from './heard-sounds.js';
import { UnderstoodSounds } from './understood-sounds.js';

/** A caller who goes on so soon after the bot has begun had not finished; one who does later answers what the bot says. */
const GOES_ON_MS = 1_000;
/** A caller who was silent for longer than this had finished. */
export const LONGEST_PAUSE_MS = 3_000;
/** Neither side can take account of what the other has begun less than this ago. */
const REACTION_MS = 200;
/** A bot that holds its speech as soon as the caller goes on is silent so soon, by its events. */
const AT_ONCE_MS = 100;
/** What events tell of when the bot begins is so exact. */
const ABOUT_MS = 400;

/** The bot began to be heard although the caller had not finished. */
export interface TalkedOver {
  /** When the bot was heard first, milliseconds since the Unix epoch. */
  readonly at: number;
  /** For how long it was heard before the caller had finished, or it was silent. */
  readonly ms: number;
  /** That the bot began was an answer: neither a recorded line, nor the rest of what it was saying before. */
  readonly isAnswer: boolean;
  /** What the caller said meanwhile, or went on with, as it was understood. */
  readonly caller: string | undefined;
}

/**
 * When the bot talked over the caller. The caller has the floor who has spoken since the bot was last heard, or has begun 200 ms before it. They
 * had not finished when they are heard as the bot begins, or go on within a second, before the bot is silent, after a pause of three seconds
 * at most. Sounds in which nothing is understood are none of it, nor is "uh-huh".
 * @param events in the order of their times
 */
export function talkedOver({ caller, bot }: CallTalk, events: readonly TimelineEvent[]): TalkedOver[] {
  const words = new UnderstoodSounds(caller.speech, events);
  const said = caller.speech.filter((one) => !words.areMissingOf(one));
  return bot.speech.flatMap((sound, index) => {
    const before = bot.speech[index - 1]?.toMs ?? Number.NEGATIVE_INFINITY;
    const goesOn = unfinished(said, sound, before).find((one) => words.areIn(one));
    return goesOn
      ? [
          {
            at: sound.fromMs,
            ms: Math.min(sound.toMs, goesOn.toMs) - sound.fromMs,
            isAnswer: !isLineOrRest(sound, events),
            caller: words.of(goesOn),
          },
        ]
      : [];
  });
}

/** What a caller who has the floor says as the bot begins. @param heardUntil when the bot was heard before */
function unfinished(caller: readonly HeardSound[], bot: HeardSound, heardUntil: number): HeardSound[] {
  return caller.filter((one, index) => {
    if (one.fromMs <= bot.fromMs - REACTION_MS) return one.toMs >= bot.fromMs + REACTION_MS;
    const before = caller[index - 1];
    return (
      before !== undefined &&
      before.toMs > heardUntil &&
      one.fromMs - before.toMs <= LONGEST_PAUSE_MS &&
      one.fromMs - bot.fromMs <= GOES_ON_MS &&
      one.fromMs < bot.toMs + AT_ONCE_MS &&
      one.toMs > bot.fromMs
    );
  });
}

function isLineOrRest({ fromMs }: HeardSound, events: readonly TimelineEvent[]): boolean {
  const isAbout = (at: number) => Math.abs(at - fromMs) <= ABOUT_MS;
  return (
    allOf(events, 'line_played').some(({ startedAt }) => isAbout(startedAt)) ||
    allOf(events, 'speech_held').some(({ resumed, at }) => resumed && isAbout(at))
  );
}
