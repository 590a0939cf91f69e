import type { TimelineEvent } from '../timeline.js';
import { type CallTalk, heldIn, unknownIn } from './call-talk.js';
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
  const unknown = unknownIn(events, endsAt);
  const stops = allOf(events, 'speech_stopped').filter((one) => one.speaker === 'bot' && one.wasInterrupted);
  const said = saidIn(talk, events, stops);
  const spoken = caller.sounds.filter((sound) => said.some((one) => isWithin(sound, one)));
  const waits = [...said, ...cutIn(talk, stops)].map(({ toMs }) => toMs);
  const waited = silencesOf([...spoken, ...bot.sounds, ...unknown], endsAt).filter(({ at, ms }) => {
    const isGoingOn = isEdge(spoken, 'fromMs', at + ms) && !isEdge(bot.sounds, 'fromMs', at + ms);
    return waits.some((from) => Math.abs(from - at) < ABOUT_MS) && !(isGoingOn && ms <= LONGEST_PAUSE_MS);
  });
  const holds = heldIn(events);
  const held = silencesOf([...caller.sounds, ...bot.sounds, ...unknown], endsAt).filter(({ at, ms }) =>
    holds.some(({ fromMs, toMs }) => fromMs < at + ms - ABOUT_MS && toMs > at + ABOUT_MS),
  );
  const [longest] = [...waited, ...held].toSorted((a, b) => b.ms - a.ms);
  return longest;
}

/** What lies between sounds, and behind the last one. */
function silencesOf(sounds: readonly HeardSound[], endsAt: number): TalkHole[] {
  const all = joinedSounds(
    sounds.toSorted((a, b) => a.fromMs - b.fromMs),
    ABOUT_MS,
  );
  return all.flatMap(({ toMs: at }, index) => {
    const ms = Math.round((all[index + 1]?.fromMs ?? endsAt) - at);
    return ms > 0 ? [{ at, ms }] : [];
  });
}

const isWithin = (sound: HeardSound, speech: HeardSound): boolean =>
  sound.fromMs < speech.toMs && sound.toMs > speech.fromMs;

const isEdge = (sounds: readonly HeardSound[], edge: keyof HeardSound, at: number): boolean =>
  sounds.some((one) => Math.abs(one[edge] - at) < ABOUT_MS);

/** When the bot was stopped. */
type Stops = ReadonlyArray<Pick<TimelineEvent, 'at'>>;

/** What the caller has said, after which they wait for the bot. */
function saidIn({ caller }: CallTalk, events: readonly TimelineEvent[], stops: Stops): HeardSound[] {
  const words = new UnderstoodSounds(caller.speech, events);
  return caller.speech.filter(
    (one) =>
      one.toMs - one.fromMs >= SPEECH_MS ||
      !words.areMissingOf(one) ||
      stops.some(({ at }) => at > one.fromMs && at < one.toMs + STOPS_WITHIN_MS),
  );
}

/** What of the bot's speech the caller has stopped. */
const cutIn = ({ caller, bot }: CallTalk, stops: Stops): HeardSound[] =>
  bot.speech.filter(({ toMs }) =>
    stops.some(
      ({ at }) =>
        Math.abs(at - toMs) < STOP_NOTED_MS &&
        caller.sounds.some((one) => one.fromMs < toMs && one.toMs > toMs - STOPS_WITHIN_MS),
    ),
  );
