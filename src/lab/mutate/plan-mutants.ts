import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { changedResult } from '../../bot/services/llm/mutated-function.js';
import { type Mutation, plainSentence } from '../../call/mutation.js';
import { textOf } from '../../call/view/events.js';
import type { ScenarioOnWire } from '../test/test-outcome.js';
import type { CallTraits } from './call-traits.js';

/** A call of the bot that is not broken. */
export interface ReachingCall extends ScenarioOnWire {
  /** All said tones in place of words, as they do to its mutants. */
  readonly saysTones: boolean;
  readonly traits: CallTraits;
}

/** A bot that is broken in one way. */
export interface Mutant {
  readonly mutation: Mutation;
  /** For people: `balance throws`; with its bot where there are several: `bank/bot.ts: balance throws`. */
  readonly title: string;
  /** What a scenario expects that notices it. */
  readonly advice: string;
  /** Those that may notice it, the shortest first; none: no scenario has gone there. */
  readonly calls: readonly ReachingCall[];
}

/** Answers and talks, as every number of the sandbox that has no behaviour of its own. */
const OTHER_NUMBER = '+12025550190';
const LATE_MS = 5_000;
/** Results are shown up to here. */
const SHOWN_CHARACTERS = 48;

/** Of each bot all mutants of which the calls tell that they can be made, and those of functions that no call has used. */
export function planMutants(calls: readonly ReachingCall[]): Mutant[] {
  const bots = [...new Set(calls.map(({ scenario }) => scenario.bot))];
  return bots.flatMap((bot) => {
    const mutants = mutantsOf(calls.filter(({ scenario }) => scenario.bot === bot));
    if (bots.length === 1 || bot === undefined) return mutants;
    const name = join(basename(dirname(bot)), basename(bot));
    return mutants.map((one) => ({ ...one, title: `${name}: ${one.title}` }));
  });
}

function mutantsOf(calls: readonly ReachingCall[]): Mutant[] {
  const shortest = calls.toSorted((a, b) => a.traits.lengthMs - b.traits.lengthMs);
  return [
    ...functionMutants(shortest),
    ...speechMutants(shortest),
    ...keyMutants(shortest),
    ...transferMutants(shortest),
    ...endMutants(shortest),
  ];
}

/** Which have this trait. */
const those = (calls: readonly ReachingCall[], has: (traits: CallTraits) => boolean) =>
  calls.filter(({ traits }) => has(traits));

/** None where no call reaches it. */
const reached = (mutant: Mutant): Mutant[] => (mutant.calls.length === 0 ? [] : [mutant]);

function functionMutants(all: readonly ReachingCall[]): Mutant[] {
  const names = new Set(
    all.flatMap(({ traits }) => [...traits.called.map(({ name }) => name), ...traits.functions]).sort(),
  );
  return [...names].flatMap((name) => {
    const calls = those(all, ({ called }) => called.some((one) => one.name === name));
    const isRead = (one: CallTraits['called'][number]) => one.name === name && (one.output ?? null) !== null;
    const canBeOther = (one: CallTraits['called'][number]) =>
      isRead(one) && !isDeepStrictEqual(one.output, changedResult(one.output));
    const read = those(calls, ({ called }) => called.some(isRead));
    const changed = those(calls, ({ called }) => called.some(canBeOther));
    const outputs = read.flatMap(({ traits }) => traits.called);
    const output = (outputs.find(canBeOther) ?? outputs.find(isRead))?.output;
    const [result, other] = [output, changedResult(output)].map((one) => shortened(textOf(one)));
    const advice = `tools: [{ name: ${name}, result: ${result} }], or a rule that speaks {{result}}, and heard`;
    return [
      { mutation: { kind: 'function_throws', name }, title: `${name} throws`, advice: `tools: [${name}]`, calls },
      ...reached({
        mutation: { kind: 'function_returns_nothing', name },
        title: `${name} returns nothing`,
        advice,
        calls: read,
      }),
      ...reached({
        mutation: { kind: 'function_result_changed', name },
        title: `${name} returns ${other} in place of ${result}`,
        advice,
        calls: changed,
      }),
    ];
  });
}

function speechMutants(all: readonly ReachingCall[]): Mutant[] {
  const ended = those(all, ({ isEndedByBot, sentences }) => isEndedByBot && sentences.length > 0);
  const goodbyes = [...new Set(ended.map(({ traits }) => traits.sentences.at(-1) ?? ''))];
  const second = those(all, ({ sentences }) => sentences.length > 1);
  const long = those(all, ({ sentences }) => sentences.some((one) => plainSentence(one).split(' ').length > 2));
  const interrupted = those(all, ({ isInterrupted }) => isInterrupted);
  const canBeInterrupted = interrupted.length > 0 || all.some(({ traits }) => traits.hasModel);
  return [
    ...reached({
      mutation: { kind: 'greeting_late', ms: LATE_MS },
      title: `the first word comes ${LATE_MS / 1_000} s later`,
      advice: 'firstWordWithin: 3s',
      calls: those(all, ({ hasGreeting }) => hasGreeting),
    }),
    ...reached({
      mutation: { kind: 'sentence_twice' },
      title: 'the first sentence is said twice',
      advice: 'nothingTwice: true',
      calls: long,
    }),
    ...reached({
      mutation: { kind: 'sentence_missing' },
      title: `the second sentence is missing: ${quotedAll(second.map(({ traits }) => traits.sentences[1]))}`,
      advice: `heard: [${quotedAll(second.slice(0, 1).map(({ traits }) => traits.sentences[1]))}]`,
      calls: second,
    }),
    ...reached({
      mutation: { kind: 'goodbye_missing', sentences: goodbyes.map(plainSentence) },
      title: `the last sentence is missing: ${quotedAll(goodbyes)}`,
      advice: `heard: [${quotedAll(goodbyes.slice(0, 1))}]`,
      calls: ended,
    }),
    ...(canBeInterrupted
      ? [
          {
            mutation: { kind: 'interruptions_off' } as const,
            title: 'the bot cannot be interrupted',
            advice: 'a caller who says something during: words of the bot, and stopsWithin: 1.5s',
            calls: interrupted,
          },
        ]
      : []),
  ];
}

function keyMutants(all: readonly ReachingCall[]): Mutant[] {
  const keys = [...new Set(all.flatMap(({ traits }) => traits.keys))].sort();
  const ignored = keys.map((key): Mutant => {
    const calls = those(all, (traits) => traits.keys.includes(key));
    const advice = `hear: what the bot says after ${key}, or heard`;
    return { mutation: { kind: 'key_ignored', key }, title: `the key ${key} is ignored`, advice, calls };
  });
  return [
    ...ignored,
    ...reached({
      mutation: { kind: 'keys_shifted' },
      title: 'every key is taken for the next one',
      advice: 'hear: what the bot says after a key, or heard',
      calls: those(all, ({ keys: known, hasMaskedKeys }) => known.length > 0 || hasMaskedKeys),
    }),
  ];
}

function transferMutants(all: readonly ReachingCall[]): Mutant[] {
  const calls = those(all, ({ transfer }) => transfer !== undefined);
  const elsewhere = those(calls, ({ transfer }) => transfer?.to !== OTHER_NUMBER);
  const { to = '', outcome = '' } = calls[0]?.traits.transfer ?? {};
  const free = those(calls, ({ transfer }) => transfer?.outcome !== 'busy');
  const status = free.length > 0 ? 'busy' : 'no_answer';
  const advice = `transfer: { to: "${to}", outcome: ${outcome} }`;
  return [
    ...reached({
      mutation: { kind: 'transfer_fails', status },
      title: `a transfer dials no number and says ${status}`,
      advice,
      calls: free.length > 0 ? free : calls,
    }),
    ...reached({
      mutation: { kind: 'transfer_elsewhere', to: OTHER_NUMBER },
      title: 'a transfer goes to another number',
      advice,
      calls: elsewhere,
    }),
  ];
}

function endMutants(all: readonly ReachingCall[]): Mutant[] {
  return [
    ...reached({
      mutation: { kind: 'never_hangs_up' },
      title: 'the bot never hangs up',
      advice: 'end: bot_ended',
      calls: those(all, ({ isEndedByBot }) => isEndedByBot),
    }),
    ...reached({
      mutation: { kind: 'hangs_up_early' },
      title: 'the bot hangs up after its first answer',
      advice: 'hear, or heard, of what the bot says later',
      calls: those(all, ({ answersTwice }) => answersTwice),
    }),
  ];
}

const quotedAll = (sentences: ReadonlyArray<string | undefined>): string =>
  shortened([...new Set(sentences)].map((one = '') => `"${one}"`).join(', '));

const shortened = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text;
