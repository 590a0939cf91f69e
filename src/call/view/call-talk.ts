import { FRAME_MS } from '../../base/audio/frame.js';
import type { Speaker, TimelineEvent } from '../timeline.js';
import { allOf, inOrder } from './events.js';
import {
  type HeardSound,
  joinedSounds,
  SILENT_AFTER_MS,
  SPEAKING_DB,
  soundsIn,
  soundsWithout,
  speakingDbOf,
} from './heard-sounds.js';

/** A pause that is shorter is part of a word. */
const WORD_GAP_MS = 100;

/** When both sides of a call are heard, milliseconds since the Unix epoch. */
export interface CallTalk {
  /** What tells it: the recording, or where there is none the events, which have the caller's times from the bot's detector. */
  readonly by: 'sound' | 'events';
  readonly caller: SideOfTalk;
  readonly bot: SideOfTalk;
  /** When nothing more is known of it. */
  readonly endsAt: number;
}

export interface SideOfTalk {
  /** What it says at one go: shorter pauses than half a second belong to it. */
  readonly speech: readonly HeardSound[];
  /** Each sound by itself. */
  readonly sounds: readonly HeardSound[];
}

/** How loud both sides of a recording are, 20 ms each: see {@link levelsOf}. */
export interface RecordedLevels {
  /** When the first of them begins, milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly caller: Float32Array;
  readonly bot: Float32Array;
}

/** The talk as it sounds. Noise on the caller's line is no speech. */
export function talkBySound({ startedAt, caller, bot }: RecordedLevels): CallTalk {
  const sideOf = (levels: Float32Array, aboveDb: number): SideOfTalk => {
    const heard = (gapMs: number) =>
      soundsIn(levels, gapMs, aboveDb).map(({ fromMs, toMs }) => ({
        fromMs: startedAt + fromMs,
        toMs: startedAt + toMs,
      }));
    return { speech: heard(SILENT_AFTER_MS), sounds: heard(WORD_GAP_MS) };
  };
  return {
    by: 'sound',
    caller: sideOf(caller, speakingDbOf(caller)),
    bot: sideOf(bot, SPEAKING_DB),
    endsAt: startedAt + Math.max(caller.length, bot.length) * FRAME_MS,
  };
}

/** The talk as the bot has noted it. @param events in any order */
export function talkByEvents(events: readonly TimelineEvent[]): CallTalk {
  const all = inOrder(events);
  const endsAt = allOf(all, 'record').at(-1)?.record.endedAt ?? all.at(-1)?.at ?? 0;
  const lines = allOf(all, 'line_played').map(({ startedAt, at }) => ({ fromMs: startedAt, toMs: at }));
  const said = [...spokenBy('bot', all, endsAt), ...lines].toSorted((a, b) => a.fromMs - b.fromMs);
  const sideOf = (sounds: readonly HeardSound[]) => ({ speech: joinedSounds(sounds, SILENT_AFTER_MS), sounds });
  return {
    by: 'events',
    caller: sideOf(spokenBy('caller', all, endsAt)),
    bot: sideOf(soundsWithout(joinedSounds(said, WORD_GAP_MS), heldIn(all))),
    endsAt,
  };
}

/** When the bot's speech was held. */
export const heldIn = (events: readonly TimelineEvent[]): HeardSound[] =>
  allOf(events, 'speech_held').map(({ at, ms }) => ({ fromMs: at - ms, toMs: at }));

/** When the caller is with another person, and when the recording pauses. */
export function unknownIn(events: readonly TimelineEvent[], endsAt: number): HeardSound[] {
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

/** A bot that is lost has told no end of what it said. */
function spokenBy(speaker: Speaker, events: readonly TimelineEvent[], endsAt: number): HeardSound[] {
  const sounds: HeardSound[] = [];
  let fromMs: number | undefined;
  for (const event of allOf(events, 'speech_started', 'speech_stopped', 'bot_done')) {
    if (event.type !== 'bot_done' && event.speaker !== speaker) continue;
    if (event.type === 'speech_started') fromMs ??= event.at;
    else if (fromMs !== undefined) {
      sounds.push({ fromMs, toMs: event.at });
      fromMs = undefined;
    }
  }
  return fromMs === undefined ? sounds : [...sounds, { fromMs, toMs: endsAt }];
}
