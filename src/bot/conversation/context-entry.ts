import type { LLMMessage, ToolCall, ToolResult, Turn, Utterance } from '../pipeline/frames/index.js';

/** What the bot says, as it grows: what was generated gives way to what the caller has heard. */
export interface AnswerEntry {
  readonly role: 'answer';
  /** The identifier of its response, or its utterance. */
  readonly key: number | Utterance;
  /** The turn of the bot that it belongs to; absent for what the model did not write. */
  readonly turn: Turn | undefined;
  generated: string;
  /** Whether nothing more of it will be generated. */
  isFinished: boolean;
  heard: string;
  /** What of it counts, where it was cut and others go on with it. */
  cut?: string | undefined;
  /** Whether nothing more of it will be heard. */
  isSettled: boolean;
  isInterrupted: boolean;
}

export interface Calls {
  readonly role: 'calls';
  readonly turn: Turn | undefined;
  readonly calls: readonly ToolCall[];
  readonly results: Map<string, ToolResult>;
}

/** What the caller has said so far in a turn that may go on: only the turn that answers it early is shown it. */
interface EarlyWords {
  readonly role: 'early';
  readonly turn: Turn;
  readonly content: string;
}

/** What a model has heard the caller say itself: its words, as far as they are known. */
export interface HeardWords {
  readonly role: 'heard';
  /** The turn that answers it. */
  readonly answeredBy: Turn;
  content: string;
  /** What of it stands before the words that the model's session has told. */
  before?: string;
}

export type ContextEntry = LLMMessage | AnswerEntry | Calls | EarlyWords | HeardWords;

/** One entry of a context, for a model that remembers the conversation itself. */
export interface ContextPart {
  /** The turn that answers what the caller said, the identifier of a response, an utterance; else an object of its own. */
  readonly key: object | number;
  readonly messages: readonly LLMMessage[];
}

/** What a model is told of a function that has not returned. */
export const STILL_RUNNING = 'still running; its result will follow';
/** What stands for words of the caller's that only the model has heard. */
const UNWRITTEN = '…';

/** Whether what the caller has said last is not known in words. */
export function isUnwritten(messages: readonly LLMMessage[]): boolean {
  const last = messages.findLast(({ role }) => role === 'user');
  return last !== undefined && 'content' in last && last.content === UNWRITTEN;
}

/** @param turn which is shown what it has brought itself, before it is released */
export function messagesOf(entry: ContextEntry, turn?: Turn): LLMMessage[] {
  const isHidden = 'turn' in entry && entry.turn !== undefined && !entry.turn.isReleased && entry.turn !== turn;
  if (isHidden) return [];
  if (entry.role === 'heard') return [{ role: 'user', content: entry.content || UNWRITTEN }];
  if (entry.role === 'early') return [{ role: 'user', content: entry.content }];
  if (entry.role === 'answer') {
    const content = wordsOf(entry);
    return content ? [{ role: 'assistant', content, ...interruption(entry) }] : [];
  }
  if (entry.role !== 'calls') return [entry];
  const { calls, results } = entry;
  return [
    { role: 'assistant', content: '', toolCalls: calls },
    {
      role: 'tool',
      results: calls.map(
        ({ id, name }) => results.get(id) ?? { callId: id, name, output: STILL_RUNNING, isError: false },
      ),
    },
  ];
}

const wordsOf = ({ isSettled, heard, generated }: AnswerEntry) => (isSettled ? heard : generated.trim());

const interruption = ({ isInterrupted }: AnswerEntry) => (isInterrupted ? ({ isInterrupted } as const) : {});

export const isCut = (entry: ContextEntry) => entry.role === 'answer' && entry.isSettled && entry.isInterrupted;

/** An entry as a part of the conversation. */
export function partOf(entry: ContextEntry): ContextPart {
  const key = entry.role === 'answer' ? entry.key : entry.role === 'heard' ? entry.answeredBy : entry;
  return { key, messages: messagesOf(entry) };
}

/** The word that was cut is said again: it was not heard. */
export function limitToCut(answer: AnswerEntry): void {
  if (answer.cut !== undefined && answer.heard.startsWith(answer.cut)) answer.heard = answer.cut;
}
