import type { StandInReply } from '../../bot/services/llm/stand-in-request.js';
import type { ModelQuestion } from './model-script.js';
import type { CheckedRule } from './scenario-schema.js';
import { resultOf, resultText, speakResult } from './spoken-result.js';

/** A rule's answer; `thinks` in milliseconds. */
export type RuleReply = Pick<CheckedRule, 'say' | 'call' | 'thinks'>;

/** Answers by the rules of a scenario: for one call. */
export class RuleModel {
  readonly #used = new Set<CheckedRule>();
  /** What the last question has used up. */
  #last: CheckedRule | undefined;

  constructor(private readonly rules: readonly CheckedRule[]) {}

  /**
   * A question that replaces the one before uses up nothing but its own rule.
   *
   * @returns undefined when no rule fits
   * @throws Error, for people, when the rule that fits speaks of a result what is not in it
   */
  answer({
    messages,
    replaces,
  }: Pick<ModelQuestion, 'messages'> & Partial<Pick<ModelQuestion, 'replaces'>>): RuleReply | undefined {
    if (replaces && this.#last) this.#used.delete(this.#last);
    const last = messages.at(-1);
    const called = last?.role === 'tool' ? (last.tools ?? []) : [];
    const said = last?.role === 'user' ? last.text : '';
    const given = (name: string) => {
      const result = resultOf(last, name);
      return result ? resultText(result.value) : (last?.text ?? '');
    };
    const rule = this.rules.find((one) => {
      if (one.once && this.#used.has(one)) return false;
      if (one.after !== undefined) return called.includes(one.after) && (!one.when || one.when.isIn(given(one.after)));
      if (one.when) return called.length === 0 && one.when.isIn(said);
      return true;
    });
    this.#last = rule && !this.#used.has(rule) ? rule : undefined;
    if (rule) this.#used.add(rule);
    if (rule?.say === undefined || rule.after === undefined) return rule;
    return { ...rule, say: speakResult(rule.say, rule.after, last) };
  }
}

/** What a bot is told of an answer: {@link StandInReply}. */
export function asStandInReply({ say, call = {}, thinks }: RuleReply): StandInReply {
  const calls = Object.entries(call).map(([name, input]) => ({ name, input: input ?? {} }));
  return { ...(say !== undefined && { text: say }), calls, ...(thinks !== undefined && { delayMs: thinks }) };
}

/** What was asked last, for people. */
export function askedIn({ messages }: Pick<ModelQuestion, 'messages'>): string {
  const last = messages.at(-1);
  if (last?.role === 'tool') return `the result of ${last.tools?.join(', ') ?? 'a function'}: "${last.text}"`;
  return `"${last?.text ?? ''}"`;
}
