import { MASKED_KEY } from '../../call/folder/event-file.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf, transferOutcomeOf } from '../../call/view/events.js';
import { linesOf, sentencesOf } from '../scenario/bot-transcript.js';
import type { CallStory } from '../scenario/call-story.js';
import { calledFunctions } from '../scenario/called-functions.js';

/** What a call of a bot that is not broken has come to: it tells which mutations could make it another one. */
export interface CallTraits {
  readonly lengthMs: number;
  /** The names of all functions that the model might have called. */
  readonly functions: readonly string[];
  /** Those that it has called, by their own names; `output` where the model was asked again, and has read it. */
  readonly called: ReadonlyArray<{ readonly name: string; readonly output?: unknown }>;
  /** Different keys of the caller's that the bot has received, in the order in which they came first; those that are known. */
  readonly keys: readonly string[];
  /** It has received others, which are masked and not known. */
  readonly hasMaskedKeys: boolean;
  /** What the caller has heard, sentence by sentence. */
  readonly sentences: readonly string[];
  /** The bot has spoken before the caller did anything. */
  readonly hasGreeting: boolean;
  /** A model talks with the caller. */
  readonly hasModel: boolean;
  /** The bot was interrupted, and the call went on. */
  readonly isInterrupted: boolean;
  readonly transfer: { readonly to: string; readonly outcome: string } | undefined;
  /** The bot has ended the call, and the caller has not been transferred. */
  readonly isEndedByBot: boolean;
  /** The bot has said something at least twice since the caller first said or pressed something. */
  readonly answersTwice: boolean;
}

/** Reasons of ends that are the bot's own. */
const BOTS_ENDS: readonly string[] = ['bot_ended', 'voicemail', 'screened', 'provider_error'];

export function traitsOf({ events, record, receivedKeys, answeredAt, lengthMs }: CallStory): CallTraits {
  const from = answeredAt ?? 0;
  const calledAt = (event: TimelineEvent | undefined) => event?.at ?? Number.POSITIVE_INFINITY;
  const bot = allOf(events, 'said').filter(({ speaker, text }) => speaker === 'bot' && text !== '');
  const keys = allOf(events, 'keys').filter(({ direction }) => direction === 'in');
  const firstAct = Math.min(
    calledAt(keys[0]),
    calledAt(events.find((one) => one.type === 'speech_started' && one.speaker === 'caller')),
    calledAt(events.find((one) => one.type === 'said' && one.speaker === 'caller')),
  );
  const firstWord = calledAt(events.find((one) => one.type === 'saying'));
  const asked = allOf(events, 'model_asked');
  const transfer = allOf(events, 'transfer_asked')[0];
  return {
    lengthMs,
    functions: [...new Set(asked.flatMap(({ functions = {} }) => Object.keys(functions)))],
    called: calledFunctions(events).map(({ name, at, returned }) => ({
      name,
      ...(returned && !returned.isError && asked.some((one) => one.at > at) && { output: returned.output }),
    })),
    keys: [...new Set(receivedKeys)].filter((key) => key !== MASKED_KEY),
    hasMaskedKeys: receivedKeys.includes(MASKED_KEY),
    sentences: sentencesOf(linesOf(events, 'bot', from)).map(({ text }) => text),
    hasGreeting: firstWord < firstAct,
    hasModel: asked.length > 0,
    isInterrupted: bot.some(({ wasInterrupted, at }) => wasInterrupted && events.some((one) => isLater(one, at))),
    transfer: transfer && { to: transfer.to, outcome: transferOutcomeOf(events, record?.endReason) ?? 'unknown' },
    isEndedByBot: BOTS_ENDS.includes(record?.endReason ?? ''),
    answersTwice: bot.filter(({ startedAt, at }) => (startedAt ?? at) > firstAct).length > 1,
  };
}

/** Those of a call and of one that follows it in the same scenario. */
export function joinedTraits(first: CallTraits, second: CallTraits): CallTraits {
  const all = (of: 'functions' | 'keys' | 'sentences') => [...new Set([...first[of], ...second[of]])];
  const any = (of: 'hasMaskedKeys' | 'hasGreeting' | 'hasModel' | 'isInterrupted' | 'isEndedByBot' | 'answersTwice') =>
    first[of] || second[of];
  return {
    lengthMs: first.lengthMs + second.lengthMs,
    functions: all('functions'),
    called: [...first.called, ...second.called],
    keys: all('keys'),
    hasMaskedKeys: any('hasMaskedKeys'),
    sentences: all('sentences'),
    hasGreeting: any('hasGreeting'),
    hasModel: any('hasModel'),
    isInterrupted: any('isInterrupted'),
    transfer: first.transfer ?? second.transfer,
    isEndedByBot: any('isEndedByBot'),
    answersTwice: any('answersTwice'),
  };
}

/** Something that the bot still says, or hears. */
const isLater = (event: TimelineEvent, at: number): boolean =>
  event.at > at && (event.type === 'saying' || event.type === 'keys' || event.type === 'model_asked');
