import type { TimelineEvent } from '../timeline.js';
import { type CallTalk, type RecordedLevels, talkByEvents, talkBySound } from './call-talk.js';
import { allOf, inOrder } from './events.js';
import { falseStops } from './false-stops.js';
import { longestHole, type TalkHole } from './talk-hole.js';
import { talkedOver } from './talk-over.js';

/** By their names, which are those of the expectations of scenarios. */
export const TALK_FIGURES = ['cutOffs', 'talkOver', 'falseStops', 'resumes', 'hole'] as const;
export type TalkFigureName = (typeof TALK_FIGURES)[number];

/** How well the two sides of a call got on; plain JSON. Each of them is defined where it is computed. */
export interface TalkFigures {
  /** What the times were taken from. */
  readonly by: CallTalk['by'];
  /** Whether each side was heard at all. */
  readonly callerSpoke: boolean;
  readonly botSpoke: boolean;
  /** How often the bot answered before the caller had finished. */
  readonly cutOffs: number;
  /** How often the bot was heard before the caller had finished, and for how long together, in milliseconds. */
  readonly talkOver: { readonly times: number; readonly ms: number };
  /** How often the bot was interrupted by a sound that said nothing. */
  readonly falseStops: number;
  /** How often the bot held its speech for a sound of the caller and went on. */
  readonly resumes: number;
  /** The longest silence of both sides that the caller waited through; missing where there was none. */
  readonly hole?: TalkHole;
  /** Each time, in order. */
  readonly moments: readonly TalkMoment[];
}

/** When something of {@link TalkFigures} happened. */
export interface TalkMoment {
  readonly figure: TalkFigureName;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** How long it lasted; missing for a bot that was not heard again. */
  readonly ms?: number;
  /** What the bot was saying, heard or not. */
  readonly bot?: string;
  /** What the caller was understood to say. */
  readonly caller?: string;
}

/** @param events of the call, in any order @param levels of its recording; undefined where there is none */
export function talkFigures(events: readonly TimelineEvent[], levels?: RecordedLevels): TalkFigures {
  return figuresOf(levels ? talkBySound(levels) : talkByEvents(events), inOrder(events));
}

/** @param events in the order of their times */
export function figuresOf(talk: CallTalk, events: readonly TimelineEvent[]): TalkFigures {
  const over = talkedOver(talk, events);
  const cut = over.filter(({ isAnswer }) => isAnswer);
  const stops = falseStops(talk, events);
  const resumed = allOf(events, 'speech_held').filter((one) => one.resumed);
  const hole = longestHole(talk, events);
  const moment = (figure: TalkFigureName, at: number, ms?: number, caller?: string): TalkMoment => {
    const bot = wordsOfBot(at, events, figure === 'falseStops' ? STOPPED_MS : ABOUT_MS);
    return {
      figure,
      at,
      ...(ms !== undefined && { ms: Math.round(ms) }),
      ...(bot && { bot }),
      ...(caller && { caller }),
    };
  };
  return {
    by: talk.by,
    callerSpoke: talk.caller.speech.length > 0,
    botSpoke: talk.bot.speech.length > 0,
    cutOffs: cut.length,
    talkOver: { times: over.length, ms: Math.round(over.reduce((sum, { ms }) => sum + ms, 0)) },
    falseStops: stops.length,
    resumes: resumed.length,
    ...(hole && { hole }),
    moments: [
      ...cut.map(({ at, ms, caller }) => moment('cutOffs', at, ms, caller)),
      ...over.map(({ at, ms, caller }) => moment('talkOver', at, ms, caller)),
      ...stops.map(({ at, ms, caller }) => moment('falseStops', at, ms, caller)),
      ...resumed.map(({ at, ms }) => moment('resumes', at - ms, ms)),
      ...(hole ? [{ figure: 'hole' as const, ...hole }] : []),
    ].toSorted((a, b) => a.at - b.at),
  };
}

/** Before and behind what the bot says, its notes and the sound may be so far apart. */
const ABOUT_MS = 500;
/** Speech that was held ends so long before it is interrupted, at most. */
const STOPPED_MS = 2_000;

/** What the bot said, or was about to say, at a time, or had said until so long before; undefined where that is not known. */
function wordsOfBot(at: number, events: readonly TimelineEvent[], beforeMs: number): string | undefined {
  const said = allOf(events, 'said', 'line_played').findLast(
    (one) =>
      one.startedAt !== undefined &&
      !(one.type === 'said' && one.speaker === 'caller') &&
      one.startedAt <= at + ABOUT_MS &&
      one.at >= at - beforeMs,
  );
  const unheard = said?.type === 'said' ? said.unheard : undefined;
  return [said?.text, unheard].filter(Boolean).join(' ') || undefined;
}
