import type { TimelineEvent } from '../timeline.js';
import { type CallTalk, heldIn } from './call-talk.js';
import { allOf } from './events.js';
import { type HeardSound, joinedSounds } from './heard-sounds.js';
import { LONGEST_PAUSE_MS } from './talk-over.js';
import { UnderstoodSounds } from './understood-sounds.js';

/** What ends and begins so close together belongs together. */
const ABOUT_MS = 60;
/** A sound of which nothing is understood is speech where it is as long as this: a cough is shorter. */
const SPEECH_MS = 1_000;
/** A bot stops so long after the end of the sound that stops it, at most. */
const STOPS_WITHIN_MS = 1_500;
/** An interruption is noted so long before or after it is heard, at most. */
const STOP_NOTED_MS = 500;

/** A silence of both sides. */
export interface TalkHole {
  /** When it began, milliseconds since the Unix epoch. */
  readonly at: number;
  readonly ms: number;
}

/**
 * The longest silence of both sides that the caller waits through: after they have spoken or have stopped the bot, until the bot is heard, and while
 * the bot's speech was held. A short sound of which nothing is understood, such as a cough, waits for nothing; nor is a pause of the caller who goes
 * on within three seconds a silence. A caller who speaks again later has waited, and so has one who hears no answer to the end of the call.
 * Where the caller is with another person, or the recording pauses, nothing is known.
 * @returns undefined where there is none
 * @param events in the order of their times
 */
export function longestHole(talk: CallTalk, events: readonly TimelineEvent[]): TalkHole | undefined {
  const { caller, bot, endsAt } = talk;
  const all = joinedSounds(
    [...caller.sounds, ...bot.sounds, ...unknownIn(events, endsAt)].toSorted((a, b) => a.fromMs - b.fromMs),
    ABOUT_MS,
  );
  const held = heldIn(events);
  const waits = waitsFrom(talk, events);
  const isPauseUntil = (at: number) => isEdge(caller.sounds, 'fromMs', at) && !isEdge(bot.sounds, 'fromMs', at);
  const holes = all.flatMap(({ toMs: at }, index): TalkHole[] => {
    const nextAt = all[index + 1]?.fromMs ?? endsAt;
    const ms = Math.round(nextAt - at);
    const isWaiting = waits.some((from) => Math.abs(from - at) < ABOUT_MS);
    const isPause = isPauseUntil(nextAt) && ms <= LONGEST_PAUSE_MS;
    const isHeld = held.some(({ fromMs, toMs }) => fromMs < nextAt - ABOUT_MS && toMs > at + ABOUT_MS);
    return ms > 0 && ((isWaiting && !isPause) || isHeld) ? [{ at, ms }] : [];
  });
  return holes.reduce<TalkHole | undefined>((longest, one) => (one.ms > (longest?.ms ?? 0) ? one : longest), undefined);
}

const isEdge = (sounds: readonly HeardSound[], edge: keyof HeardSound, at: number): boolean =>
  sounds.some((one) => Math.abs(one[edge] - at) < ABOUT_MS);

/** From when on the caller waits for the bot: the ends of what they have said, and where they have stopped it. */
function waitsFrom({ caller, bot }: CallTalk, events: readonly TimelineEvent[]): number[] {
  const words = new UnderstoodSounds(caller.speech, events);
  const stops = allOf(events, 'speech_stopped').filter((one) => one.speaker === 'bot' && one.wasInterrupted);
  const said = caller.speech.filter(
    (one) =>
      one.toMs - one.fromMs >= SPEECH_MS ||
      !words.areMissingOf(one) ||
      stops.some(({ at }) => at > one.fromMs && at < one.toMs + STOPS_WITHIN_MS),
  );
  const cut = bot.speech.filter(({ toMs }) =>
    stops.some(
      ({ at }) =>
        Math.abs(at - toMs) < STOP_NOTED_MS &&
        caller.sounds.some((one) => one.fromMs < toMs && one.toMs > toMs - STOPS_WITHIN_MS),
    ),
  );
  return [...said, ...cut].map(({ toMs }) => toMs);
}

/** When the caller is with another person, and when the recording pauses. */
function unknownIn(events: readonly TimelineEvent[], endsAt: number): HeardSound[] {
  const stretches: HeardSound[] = [];
  let [transferAt, pausedAt]: Array<number | undefined> = [];
  for (const event of allOf(events, 'transfer_asked', 'transfer_over', 'recording')) {
    if (event.type === 'transfer_asked') transferAt ??= event.at;
    else if (event.type === 'transfer_over') {
      if (transferAt !== undefined) stretches.push({ fromMs: transferAt, toMs: event.at });
      transferAt = undefined;
    } else if (event.is === 'paused') pausedAt ??= event.at;
    else if (event.is === 'resumed' && pausedAt !== undefined) {
      stretches.push({ fromMs: pausedAt, toMs: event.at });
      pausedAt = undefined;
    }
  }
  for (const fromMs of [transferAt, pausedAt]) if (fromMs !== undefined) stretches.push({ fromMs, toMs: endsAt });
  return stretches;
}
