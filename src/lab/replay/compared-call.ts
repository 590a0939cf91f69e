import { medianOf } from '../../base/percentile.js';
import type { EndReason } from '../../call/call.js';
import type { CallFolder } from '../../call/folder/read-call-folder.js';
import { type TranscriptEntry, transcriptOf } from '../../call/folder/transcript.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf, transferOutcomeOf } from '../../call/view/events.js';
import { type CalledFunction, calledFunctions } from '../scenario/called-functions.js';
import { keysOf } from '../scenario/received-keys.js';

/** What of a call is compared with another one. */
export interface ComparedCall {
  readonly lines: readonly TranscriptEntry[];
  readonly tools: readonly CalledFunction[];
  /** What the model was asked with last, as fingerprints; undefined where that was not noted. */
  readonly asked: { readonly prompt: string; readonly functions: Readonly<Record<string, string>> } | undefined;
  /** Of the caller, and of the bot. */
  readonly keysIn: string;
  readonly keysOut: string;
  readonly transfers: ReadonlyArray<{ readonly to: string; readonly outcome: string | undefined }>;
  readonly endReason: EndReason | undefined;
  /** From the answer to the first word of the bot, in milliseconds. */
  readonly firstWordMs: number | undefined;
  /** From the end of what the caller said to the beginning of what the bot said then; the median, in milliseconds. */
  readonly answerMs: number | undefined;
  /** Whether stand-ins served in place of the services that need keys. */
  readonly hasStandIns: boolean;
}

export function comparedCall({ record, events, transcript }: CallFolder): ComparedCall {
  const joinedAt = allOf(events, 'caller_joined')[0]?.at ?? record.answeredAt;
  const isTyped = allOf(events, 'said').some(({ typed }) => typed);
  const firstAt = allOf(events, 'speech_started').find(({ speaker }) => speaker === 'bot')?.at;
  return {
    lines: isTyped ? transcriptOf(events.map(asSpoken)) : transcript,
    tools: calledFunctions(events),
    asked: askedIn(events),
    keysIn: keysOf(events, 'in'),
    keysOut: keysOf(events, 'out'),
    transfers: allOf(events, 'transfer_asked').map(({ to, at }, n, all) => {
      const next = all[n + 1]?.at ?? Number.POSITIVE_INFINITY;
      const since = events.filter((one) => one.at >= at && one.at < next);
      return { to, outcome: transferOutcomeOf(since, record.endReason) };
    }),
    endReason: record.endReason,
    firstWordMs: joinedAt === undefined || firstAt === undefined ? undefined : Math.max(0, firstAt - joinedAt),
    answerMs: medianOf(answersIn(events)),
    hasStandIns: events.some(({ type }) => type === 'stand_ins'),
  };
}

/** What was typed is spoken in a replay, in which it has no time of its own. */
function asSpoken(event: TimelineEvent): TimelineEvent {
  if (event.type !== 'said' || !event.typed) return event;
  const { startedAt: _, typed: __, ...spoken } = event;
  return spoken;
}

function askedIn(events: readonly TimelineEvent[]): ComparedCall['asked'] {
  const { prompt, functions = {} } = allOf(events, 'model_asked').findLast((one) => one.prompt !== undefined) ?? {};
  return prompt === undefined ? undefined : { prompt, functions };
}

/** How long each thing that the caller said waited for an answer. */
function answersIn(events: readonly TimelineEvent[]): number[] {
  const speech = allOf(events, 'speech_started', 'speech_stopped');
  return speech.flatMap((one, n) => {
    const next = speech.slice(n + 1).find(({ type }) => type === 'speech_started');
    const isEnd = one.type === 'speech_stopped' && one.speaker === 'caller';
    return isEnd && next?.speaker === 'bot' ? [next.at - one.at] : [];
  });
}
