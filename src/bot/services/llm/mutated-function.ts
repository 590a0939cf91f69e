import { currentMutation, noteMutation } from '../../../call/mutation.js';
import type { CallTimeline } from '../../../call/timeline.js';

/** In place of a text, and of nothing. */
const OTHER_TEXT = 'other';

/** Runs a function of the bot; or has it throw, return nothing or return something else, where a test breaks it so. */
export function runMutated(name: string, execute: () => unknown, timeline: CallTimeline | undefined): unknown {
  const mutation = currentMutation();
  if (!mutation || !('name' in mutation) || mutation.name !== name) return execute();
  noteMutation(timeline, mutation);
  if (mutation.kind === 'function_throws') throw new Error('broken by a test');
  return Promise.resolve(execute()).then((result) =>
    mutation.kind === 'function_returns_nothing' ? null : changedResult(result),
  );
}

/**
 * Another result of the same shape: numbers are 100 times as much, texts are `other`, what is true is false, and lists lack their first item;
 * all of that in every field of an object.
 * @param result what can be written as JSON
 */
export function changedResult(result: unknown): unknown {
  if (typeof result === 'number') return result === 0 ? 100 : result * 100;
  if (typeof result === 'boolean') return !result;
  if (Array.isArray(result)) return result.length === 0 ? [OTHER_TEXT] : result.slice(1);
  if (typeof result === 'object' && result !== null)
    return Object.fromEntries(Object.entries(result).map(([field, value]) => [field, changedResult(value)]));
  return result === OTHER_TEXT ? `an${OTHER_TEXT}` : OTHER_TEXT;
}
