import { z } from 'zod';
import { VoicebotError } from '../../errors.js';
import { problemsOf } from '../../scenario/fields.js';
import { modelRules } from '../../scenario/scenario-schema.js';
import { errorDocs } from '../terminal/error-docs.js';
import { nextCommand } from '../terminal/next-command.js';
import type { PhoneLab } from './phone-lab.js';

/** What a tool gives: text for the model, and the same for programs. */
export interface LabAnswer {
  [field: string]: unknown;
  readonly content: Array<{ readonly type: 'text'; readonly text: string }>;
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** A tool of the lab. */
export interface LabTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodRawShape;
  readonly run: (lab: PhoneLab, input: never) => Promise<LabAnswer>;
}

const MAX_WAIT_SECONDS = 300;
const callId = z.string().optional().describe('of place_call; the last call by default');
const within = (seconds: number) =>
  z.number().positive().max(MAX_WAIT_SECONDS).default(seconds).describe('longest wait, in seconds of the call');

const answer = (text: string, structuredContent?: Record<string, unknown>): LabAnswer => ({
  content: [{ type: 'text', text }],
  ...(structuredContent && { structuredContent }),
});

function tool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  input: Shape,
  run: (lab: PhoneLab, input: z.output<z.ZodObject<Shape>>) => Promise<LabAnswer>,
): LabTool {
  return { name, description, input, run: run as LabTool['run'] };
}

/** Everything that an agent can do with telephones. */
export const LAB_TOOLS: readonly LabTool[] = [
  tool(
    'place_call',
    'Calls the bot on the offline phone network, or with `dial` has the bot call that number, and waits for the answer. You are the person at the telephone.',
    {
      from: z.string().optional().describe("the caller's number, E.164; default +12025550199"),
      dial: z.string().optional().describe('the bot calls this number: one from +12025550100 to +12025550199'),
      body: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('custom data of a call that the bot makes: call.body'),
      model: z
        .array(z.record(z.string(), z.unknown()))
        .optional()
        .describe(
          'what the scripted language model answers, as in a scenario: [{ "when": "open on Sunday", "call": { "opening_hours": { "day": "Sunday" } } }, { "after": "opening_hours", "say": "We are closed." }]',
        ),
    },
    async (lab, { model, ...input }) => {
      const rules = model === undefined ? undefined : modelRules.safeParse(model, { reportInput: true });
      if (rules?.error) {
        const problems = problemsOf(rules.error).map(({ path, message }) => `model[${path.join('.')}] ${message}`);
        throw new VoicebotError('VB_REQUEST_INVALID', problems.join('; '));
      }
      const told = await lab.placeCall({ ...input, model: rules?.data });
      return answer(`call ${told.callId}\n${told.text}`, { ...told });
    },
  ),
  tool(
    'say',
    'Says a sentence into the telephone, when the bot has finished what it is saying.',
    {
      text: z.string().trim().min(1).max(1_000),
      talk_over: z.boolean().default(false).describe('do not wait for the bot'),
      call_id: callId,
    },
    async (lab, { text, talk_over, call_id }) =>
      answer(await lab.say(call_id, text, talk_over, MAX_WAIT_SECONDS * 1_000)),
  ),
  tool(
    'press',
    'Presses keys, at once: "1 w2 #" presses 1, waits two seconds, presses #.',
    { keys: z.string(), call_id: callId },
    async (lab, { keys, call_id }) => answer(await lab.press(call_id, keys)),
  ),
  tool(
    'wait_for',
    'Waits until the bot has said words to their end, until it has finished (turn), or for the end of the call; gives what was said meanwhile.',
    {
      what: z.enum(['words', 'turn', 'end']).default('turn'),
      words: z
        .string()
        .optional()
        .describe('for words: found whatever their capitals and punctuation; a regular expression between slashes'),
      within_seconds: within(20),
      call_id: callId,
    },
    async (lab, { what, words, within_seconds, call_id }) => {
      const { isMet, text } = await lab.waitFor(
        call_id,
        words === undefined ? what : 'words',
        words,
        within_seconds * 1_000,
      );
      return answer(text, { met: isMet });
    },
  ),
  tool(
    'transcript',
    'What both have said so far; of the bot what the caller has heard.',
    { call_id: callId },
    async (lab, { call_id }) => answer(await lab.transcript(call_id)),
  ),
  tool(
    'timeline',
    'What provider, runner and bot told each other in a call, with the times, and the folder that has its sound.',
    { call_id: callId },
    async (lab, { call_id }) => answer(await lab.timeline(call_id)),
  ),
  tool('hang_up', 'Hangs up, and gives how the call ended.', { call_id: callId }, async (lab, { call_id }) =>
    answer(await lab.hangUp(call_id)),
  ),
];

/** An error as an agent can act upon it. */
export function failed(error: unknown): LabAnswer {
  if (!(error instanceof VoicebotError)) {
    return { ...answer(error instanceof Error ? error.message : String(error)), isError: true };
  }
  const { code, message, hint } = error;
  const next = hint && nextCommand(hint);
  const text = [message, hint, `${code}: ${errorDocs(code)}`].filter(Boolean).join('\n');
  return { ...answer(text, { code, message, ...(hint && { hint }), ...(next && { next }) }), isError: true };
}
