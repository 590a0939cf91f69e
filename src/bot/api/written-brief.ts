import { withDeadline } from '../../base/async/deadline.js';
import { VoicebotError } from '../../base/errors.js';
import type { LLMContext } from '../conversation/llm-context.js';
import type { LLMService } from '../services/llm/index.js';

/** Longest briefing that a model writes, in words. */
const MOST_WORDS = 60;
/** How long it may take, in milliseconds: the caller waits. */
const LIMIT_MS = 15_000;

/** Has a briefing written. @throws as {@link writtenBy} */
export type WriteBrief = (prompt: string, signal: AbortSignal) => Promise<string>;

/**
 * What the model writes for the destination of a warm transfer, from the conversation so far.
 * @param prompt what the bot wants written
 * @returns at most 60 words
 * @throws VoicebotError VB_DEADLINE_EXCEEDED; VB_PROVIDER_FAILED
 */
export async function writtenBy(
  writer: Pick<LLMService, 'write'>,
  context: LLMContext,
  prompt: string,
  signal: AbortSignal,
): Promise<string> {
  const instruction =
    `The call is about to be handed over to a person, whom you brief now; the caller does not hear it. ${prompt} ` +
    `Write what is said to that person, and nothing else: whole sentences to be spoken, at most ${MOST_WORDS} words, in the language of the call.`;
  const late = () => new VoicebotError('VB_DEADLINE_EXCEEDED', 'the model has not written the briefing in time');
  const over = new AbortController(); // of a model that is late no more words are wanted, which cost
  const written = writer.write(context, instruction, AbortSignal.any([signal, over.signal]));
  const text = await withDeadline(written, LIMIT_MS, late).finally(() => over.abort());
  return text.split(/\s+/).slice(0, MOST_WORDS).join(' ');
}
