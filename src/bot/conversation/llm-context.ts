import { withDeadline } from '../../base/async/deadline.js';
import { type OptionNames, refuseProblems, unknownOptions } from '../../base/names/option-names.js';
import type {
  LateWords,
  LLMMessage,
  ModelResponse,
  ToolCall,
  ToolResult,
  Turn,
  Utterance,
} from '../pipeline/frames/index.js';
import { type Language, languageOf, languageProblems } from '../pipeline/language.js';
import {
  type AnswerEntry,
  type Calls,
  type ContextEntry,
  type ContextPart,
  type HeardWords,
  isCut,
  limitToCut,
  messagesOf,
  partOf,
} from './context-entry.js';
import { type ContextLimit, olderHalf, partsWith, surplus } from './context-limit.js';
import { joinCallerWords, unheardOf, withoutEnd } from './context-text.js';
import { plainWords } from './plain-words.js';
import type { Tool } from './tool.js';

/** What a model is told before the conversation begins. */
export interface LLMContextOptions {
  /** What the model is told about its task, before everything else. */
  system?: string | undefined;
  /** What was said before. */
  messages?: readonly LLMMessage[] | undefined;
  /** Functions the model may call. */
  tools?: readonly Tool[] | undefined;
  limit?: ContextLimit | undefined;
  /**
   * What the caller speaks, as a BCP 47 tag such as `de-AT`: chooses what the bot says by itself, which voicebot has in English, German,
   * Spanish, French and Italian; any other language gets English. In `Call.converse` also what the ears understand and the voice speaks.
   * Default `en`.
   */
  language?: string | undefined;
}

export const LLM_CONTEXT_OPTIONS: OptionNames<LLMContextOptions> = {
  system: true,
  messages: true,
  tools: true,
  limit: true,
  language: true,
};
const LIMIT: OptionNames<ContextLimit> = { maxCharacters: true, summarise: true };

/** Longest a function may be allowed to run, in milliseconds: an hour. */
const LONGEST_TOOL_MS = 3_600_000;
/** Longest wait for a summary, in milliseconds. */
const SUMMARY_LIMIT_MS = 30_000;
/** Answers that may still be heard. */
const MOST_OPEN_ANSWERS = 20;

/**
 * What a model is shown: the messages of a conversation and the functions it may call. What the bot has said stands there
 * as far as the caller has heard it; while it is being said, as a whole.
 */
export class LLMContext {
  readonly tools: readonly Tool[];
  /** Of what the bot says by itself. */
  language: Language;
  readonly #system: string | undefined;
  readonly #limit: ContextLimit | undefined;
  /** What was said before the conversation. */
  readonly #first: readonly LLMMessage[];
  #entries: ContextEntry[];
  /** The latest answers, by the identifier of their response, or by their utterance. */
  readonly #answers = new Map<number | Utterance, AnswerEntry>();
  #responses = 0;
  #summary: Promise<void> | undefined;

  /** @throws VoicebotError VB_CONFIG_INVALID naming every tool whose name is malformed or used twice or whose time limit is out of range, a limit that is too small, a malformed language, and what is not known */
  constructor(options: LLMContextOptions = {}) {
    const { system, messages = [], tools = [], limit, language } = options;
    const names = tools.map(({ name }) => name);
    const problems = names
      .filter((name, index) => !/^[\w-]{1,64}$/.test(name) || names.indexOf(name) < index)
      .map((name) => `the tool name ${JSON.stringify(name)} is malformed or used twice`);
    problems.push(
      ...unknownOptions(options, LLM_CONTEXT_OPTIONS),
      ...unknownOptions(limit, LIMIT, 'limit.'),
      ...languageProblems(language),
      ...tools
        .filter(({ timeoutMs = 1 }) => !(timeoutMs >= 1 && timeoutMs <= LONGEST_TOOL_MS))
        .map(
          ({ name, timeoutMs }) => `timeoutMs of the tool ${name} must be 1 to ${LONGEST_TOOL_MS}, got ${timeoutMs}`,
        ),
    );
    if (limit && !(limit.maxCharacters >= 1_000)) {
      problems.push(`limit.maxCharacters must be 1000 or more, got ${limit.maxCharacters}`);
    }
    refuseProblems(problems);
    this.#system = system;
    this.tools = tools;
    this.language = languageOf(language);
    this.#limit = limit;
    this.#first = messages;
    this.#entries = [...messages];
  }

  /** Whether the caller, or a function, has had the last word. */
  get isUnanswered(): boolean {
    const role = this.messages.at(-1)?.role;
    return role === 'user' || role === 'tool';
  }

  /** What a model would be shown now. */
  get messages(): readonly LLMMessage[] {
    return this.messagesFor(undefined);
  }

  /** What the model is shown for a turn: one that is asked early sees what the caller has said so far. */
  messagesFor(turn: Turn | undefined): readonly LLMMessage[] {
    const system: LLMMessage[] = this.#system ? [{ role: 'system', content: this.#system }] : [];
    return [...system, ...joinCallerWords(this.#entries.flatMap((entry) => messagesOf(entry, turn)))];
  }

  /** What a model that remembers the conversation itself must know, in order. @internal */
  get parts(): readonly ContextPart[] {
    return this.#entries.map(partOf);
  }

  /** Adds messages behind all others. */
  append(...messages: readonly LLMMessage[]): void {
    this.#entries.push(...messages);
    this.#keepLimit();
  }

  /**
   * Adds what the caller has said. What the bot was saying before is over: only what was heard of it remains.
   * @param answeredBy of a model that has heard it itself: the words may come later, by {@link addLateWords}
   */
  addCallerWords(text: string, answeredBy?: Turn): void {
    this.settle();
    this.#entries.push(answeredBy ? { role: 'heard', answeredBy, content: text } : { role: 'user', content: text });
    this.#keepLimit();
  }

  /**
   * Words of the caller's that a turn has answered before they were known: they take the place of what was known and stands there.
   * @returns whether they say anything that was not known
   */
  addLateWords({ turn, instead, all }: LateWords, text: string): boolean {
    const entry = this.#entries.findLast((one) => one.role === 'heard' && one.answeredBy === turn) as
      | HeardWords
      | undefined;
    if (entry && all) {
      entry.before ??= withoutEnd(entry.content, all.known) ?? '';
      entry.content = `${entry.before} ${all.words}`.trim();
    } else if (entry) entry.content = `${withoutEnd(entry.content, instead) ?? entry.content} ${text}`.trim();
    return plainWords(text) !== plainWords(instead);
  }

  /** Adds what the caller has said so far, for a turn that answers it early. Nothing else shows it until {@link adopt}. */
  addEarlyWords(turn: Turn, content: string): void {
    this.settle();
    this.#entries.push({ role: 'early', turn, content });
  }

  /** The caller has finished, with these words: they, and what the turn has brought so far, belong to the conversation. */
  adopt(turn: Turn, text: string): void {
    const index = this.#entries.findIndex((entry) => entry.role === 'early' && entry.turn === turn);
    if (index >= 0) this.#entries[index] = { role: 'user', content: text };
    this.#keepLimit();
  }

  /** Removes what a turn that is not wanted has brought: it never was. What functions of it have done stays. */
  forgetTurn(turn: Turn): void {
    const hasCalled = this.#entries.some((entry) => entry.role === 'calls' && entry.turn === turn);
    if (hasCalled) return;
    this.#entries = this.#entries.filter((entry) => !('turn' in entry) || entry.turn !== turn);
    for (const [key, answer] of this.#answers) if (answer.turn === turn) this.#answers.delete(key);
  }

  /** What was being said is over: of what has not been told as heard, nothing was. */
  settle(): void {
    for (const answer of this.#answers.values()) {
      if (answer.isSettled) continue;
      answer.isSettled = true;
      answer.isInterrupted = answer.generated.trim() !== '';
    }
  }

  /** The conversation begins again, with `words` of the caller's where there are any: what the model was told remains, what was said does not. */
  restart(words: string): void {
    const told = this.#entries.filter((entry) => entry.role === 'system' && !this.#first.includes(entry));
    this.#entries = [...this.#first, ...told];
    this.#answers.clear();
    if (words) this.addCallerWords(words);
  }

  /** The model begins to answer. */
  beginResponse(turn: Turn): ModelResponse {
    this.#responses += 1;
    this.#begin(this.#responses, turn);
    return { id: this.#responses, turn };
  }

  /** More of what the model says. */
  addText({ id }: ModelResponse, text: string): void {
    const answer = this.#answers.get(id);
    if (!answer) return;
    answer.generated += text;
    answer.cut = undefined;
  }

  /** Of what the model has written of an answer only this was said, or nothing: the rest is written anew. */
  cutText({ id }: ModelResponse, text: string): void {
    const answer = this.#answers.get(id);
    if (!answer) return;
    answer.generated = text;
    answer.cut = text;
    limitToCut(answer);
  }

  /** The model has written the whole answer. */
  finishResponse({ id }: ModelResponse): void {
    const answer = this.#answers.get(id);
    if (answer) answer.isFinished = true;
  }

  /** The model wants functions called. */
  addToolCalls({ id, turn }: ModelResponse, calls: readonly ToolCall[]): void {
    const answer = this.#answers.get(id) ?? this.#begin(id, turn);
    this.#entries.splice(this.#entries.indexOf(answer) + 1, 0, { role: 'calls', turn, calls, results: new Map() });
  }

  /** What became of a call that was added before. A later result takes the place of an earlier one. */
  setToolResult(result: ToolResult): void {
    const made = this.#entries.findLast(
      (entry): entry is Calls => entry.role === 'calls' && entry.calls.some(({ id }) => id === result.callId),
    );
    made?.results.set(result.callId, result);
  }

  /** The voice begins to say something that the model did not write. What a function says stands before its result. */
  beginSpeech(utterance: Utterance): void {
    const last = this.#entries.at(-1);
    const isRunning = last?.role === 'calls' && last.results.size < last.calls.length;
    const answer = this.#begin(utterance, undefined, isRunning ? this.#entries.length - 1 : undefined);
    answer.generated = utterance.text ?? '';
    answer.isFinished = true;
  }

  /** More of the text of {@link beginSpeech}, unless all of it was known. */
  addSpeech(utterance: Utterance, text: string): void {
    const answer = this.#answers.get(utterance);
    if (answer && utterance.text === undefined) answer.generated += text;
  }

  /** The caller has heard `text` of an utterance, and will hear no more of it. */
  heard(utterance: Utterance, text: string, wasInterrupted: boolean): void {
    const key = utterance.response?.id ?? utterance;
    const answer = this.#answers.get(key);
    if (!answer) return;
    answer.heard = `${answer.heard} ${text}`.trim();
    limitToCut(answer);
    answer.isInterrupted = wasInterrupted;
    answer.isSettled = true;
  }

  /**
   * What the bot was about to say when it was interrupted, if nothing has been added since: for a bot that goes on. Told once.
   * Undefined when that is not known to the end, and the model has to be asked; empty when nothing was left.
   */
  takeUnheard(): string | undefined {
    const cut = this.#entries.slice(this.#entries.findLastIndex((entry) => !isCut(entry)) + 1) as AnswerEntry[];
    for (const answer of cut) answer.isInterrupted = false;
    const rests = cut.map((answer) => (answer.isFinished ? unheardOf(answer) : undefined));
    return rests.includes(undefined) ? undefined : rests.join(' ').trim();
  }

  /** Forgets the older half of the exchanges that a turn is shown. @returns whether there was more than one */
  forgetOlderHalf(turn: Turn): boolean {
    const entries = olderHalf(this.#entries.map((entry) => messagesOf(entry, turn)));
    this.#entries.splice(0, entries);
    return entries > 0;
  }

  /** Forgets what the model was last asked with, and what has come of that: the caller's words, or else what it was told to do. */
  forgetQuestion(): void {
    const role = this.#entries.at(-1)?.role === 'system' ? 'system' : 'user';
    const isAsked = (entry: ContextEntry | undefined) =>
      entry?.role === role || (role === 'user' && entry?.role === 'heard');
    let first = this.#entries.findLastIndex(isAsked);
    if (first < 0) return;
    for (let before = this.#entries[first - 1]; before; before = this.#entries[first - 1]) {
      if (!isAsked(before) && before.role !== 'system' && messagesOf(before).length > 0) break;
      first -= 1;
    }
    const asked = this.#entries.splice(first);
    if (role === 'user') this.#entries.push(...asked.filter((entry) => entry.role === 'system'));
  }

  #begin(key: number | Utterance, turn: Turn | undefined, index = this.#entries.length): AnswerEntry {
    const answer: AnswerEntry = {
      role: 'answer',
      key,
      turn,
      generated: '',
      isFinished: false,
      heard: '',
      isSettled: false,
      isInterrupted: false,
    };
    this.#entries.splice(index, 0, answer);
    this.#answers.set(key, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST_OPEN_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }

  #keepLimit(): void {
    const limit = this.#limit;
    if (!limit || this.#summary) return;
    const shown = this.#entries.map((entry) => messagesOf(entry));
    const count = surplus(shown.flat(), limit.maxCharacters);
    if (count === 0) return;
    const entries = partsWith(shown, count);
    if (!limit.summarise) {
      this.#entries.splice(0, entries);
      return;
    }
    const last = this.#entries[entries - 1];
    const { summarise } = limit;
    const old = shown.slice(0, entries).flat();
    this.#summary = withDeadline(
      Promise.resolve().then(() => summarise(old)),
      SUMMARY_LIMIT_MS,
      () => new Error('no summary'),
    )
      .then((content) => {
        const index = this.#entries.indexOf(last as ContextEntry);
        if (index >= 0) this.#entries.splice(0, index + 1, { role: 'system', content });
      })
      .catch(() => {})
      .finally(() => {
        this.#summary = undefined;
      });
  }
}
