import type { TimelineEvent } from '../../call/timeline.js';
import { allOf } from '../../call/view/events.js';
import type { ModelRule } from '../scenario/scenario-options.js';
import { WordPattern } from '../scenario/words.js';

/** The rules by which a model answers what it has answered in a recorded call. What the bot says by itself is none of it. */
export function recordedModel(events: readonly TimelineEvent[]): ModelRule[] {
  const texts = textsOf(events);
  const asked = allOf(events, 'model_asked');
  const rules: ModelRule[] = [];
  let heardFrom = 0;
  for (const [n, { at, turn }] of asked.entries()) {
    const until = asked[n + 1]?.at ?? Number.POSITIVE_INFINITY;
    const say = texts
      .filter((one) => one.turn === turn && one.askedAt >= at && one.askedAt < until)
      .map(({ text }) => text)
      .join(' ')
      .trim();
    const tools = calledIn(events, turn, at, until);
    if (say === '' && tools.length === 0) continue; // the caller went on before it had answered
    const reply = {
      ...(say !== '' && { say }),
      ...(tools.length > 0 && { call: Object.fromEntries(tools.map(({ name, input }) => [name, input ?? {}])) }),
    };
    const before = asked[n - 1];
    const [first] = before?.turn === turn ? calledIn(events, turn, before.at, at) : [];
    const words = wordsOf(events, heardFrom, at);
    if (first) rules.push({ after: first.name, once: true, ...reply });
    else rules.push({ ...(words !== '' && { when: words }), once: true, ...reply });
    heardFrom = at;
  }
  // One that always fits is asked last.
  const fitsAlways = ({ when, after }: ModelRule) => when === undefined && after === undefined;
  return [...rules.filter((rule) => !fitsAlways(rule)), ...rules.filter(fitsAlways)];
}

const calledIn = (events: readonly TimelineEvent[], turn: number, from: number, until: number) =>
  allOf(events, 'tool_called').filter((one) => one.turn === turn && one.at >= from && one.at < until);

/** What the caller has said in a time, as rules look for it. */
function wordsOf(events: readonly TimelineEvent[], from: number, until: number): string {
  const said = allOf(events, 'said').filter(({ speaker, at }) => speaker === 'caller' && at >= from && at < until);
  const words = said.map(({ text }) => text).join(' ');
  return new WordPattern(words.replace(/^\/+/, '')).isEmpty ? '' : words.replace(/^\/+/, '');
}

/** What the voice was asked to say for the model, whole: also what an interruption has cut off. */
function textsOf(events: readonly TimelineEvent[]): Array<{ turn: number | undefined; askedAt: number; text: string }> {
  const asked = allOf(events, 'voice_asked');
  const answered = new Map(allOf(events, 'voice_answered').map((one) => [one.utterance, one]));
  const said = allOf(events, 'said').filter(({ speaker, text, unheard }) => speaker === 'bot' && (text || unheard));
  const audible = asked.filter(({ utterance }) => answered.get(utterance)?.firstAudioMs !== undefined);
  const isComplete = said.length === audible.length;
  return asked.map((one) => {
    const { text = '', unheard = '' } = (isComplete ? said[audible.indexOf(one)] : undefined) ?? {};
    const until = answered.get(one.utterance)?.at ?? Number.POSITIVE_INFINITY;
    const pieces = allOf(events, 'saying').filter(({ at }) => at >= one.at && at <= until);
    const words = isComplete ? [text, unheard] : pieces.map((piece) => piece.text);
    return { turn: one.turn, askedAt: one.at, text: words.filter(Boolean).join(' ') };
  });
}
