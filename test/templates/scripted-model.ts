import type { FakeModelMessage, FakeModelReply } from '../../src/lab/kit/index.js';

/** What the model is to answer: the caller's latest words, a function's result, or what it was told to do. */
const lastOf = (messages: readonly FakeModelMessage[]) =>
  messages.findLast(({ role, text }) => role !== 'assistant' && !text.includes('Go on from here'));

/** Answers what a caller says by the first of these that occurs in it, and results of functions as they are. */
export function scriptedModel(answers: Readonly<Record<string, FakeModelReply>>) {
  return (messages: readonly FakeModelMessage[]): FakeModelReply => {
    const { role, text = '' } = lastOf(messages) ?? {};
    if (role === 'tool') return { text: `The result is ${text.replace(/[^\w ]+/g, ' ')}.` };
    const key = Object.keys(answers).find((words) => text.includes(words));
    return (key !== undefined && answers[key]) || { text: 'I see.' };
  };
}

export const TRANSFER: FakeModelReply = { toolCalls: [{ name: 'transfer_call', input: {} }] };
export const END: FakeModelReply = { toolCalls: [{ name: 'end_call', input: {} }] };

/** The sandbox's numbers that are called here. */
export const ANSWERS_AND_TALKS = '+12025550101';
export const BUSY = '+12025550102';
export const VOICEMAIL = '+12025550105';
export const ANSWERS_AND_HANGS_UP = '+12025550107';
