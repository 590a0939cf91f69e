import { z } from 'zod';
import { VoicebotError } from '../../base/errors.js';
import { errorDocs } from '../../terminal/error-docs.js';
import { nextCommand } from '../../terminal/next-command.js';
import { keys } from '../scenario/caller-steps.js';
import { check, oneOf, phoneNumber, problemsOf, spoken, words } from '../scenario/fields.js';
import { modelRules } from '../scenario/scenario-schema.js';
import type { Words } from '../scenario/words.js';
import type { LabReport, PhoneLab } from './phone-lab.js';

/** What a tool gives: text for people and models, and the same for programs. */
export interface LabAnswer {
  [field: string]: unknown;
  readonly content: Array<{ readonly type: 'text'; readonly text: string }>;
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: boolean;
}

/** A tool as the protocol lists it. */
export interface ListedTool {
  [field: string]: unknown;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; [field: string]: unknown };
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: false };
}

interface LabTool {
  readonly listed: ListedTool;
  /** @throws VoicebotError VB_REQUEST_INVALID with every problem of what is given; what the lab throws */
  readonly run: (lab: PhoneLab, given: unknown, signal: AbortSignal) => Promise<LabAnswer>;
}

const DEFAULT_FROM = '+12025550199';
const MAX_WAIT_SECONDS = 300;

/** What an agent should know before it looks at the tools. */
export const LAB_INSTRUCTIONS =
  'A phone lab: call the voice bot of this project as a person at a telephone would. place_call, then wait_for what the bot says, say and press, hang_up; ' +
  'timeline tells what went wrong and where the sound is. Calls go on while you think: a bot may lose its patience with a silent caller. ' +
  'Each place_call is served by the bot as it is saved at that moment. No real telephone is called, unless a person has allowed its number.';

const seconds = { error: `must be a number of seconds, above 0 and at most ${MAX_WAIT_SECONDS}` };
const callId = z.string({ error: 'must be a text' }).optional().describe('of place_call; default: the last call');

function answer(report: LabReport, heading: readonly string[] = []): LabAnswer {
  const { lines, folder } = report;
  const text = [...heading, ...lines, ...(folder === undefined ? [] : [`Folder: ${folder}`])].join('\n');
  return { content: [{ type: 'text', text: text || 'Nothing yet.' }], structuredContent: { ...report } };
}

function tool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: Shape,
  run: (lab: PhoneLab, input: z.output<z.ZodObject<Shape>>, signal: AbortSignal) => LabAnswer | Promise<LabAnswer>,
  isReading = false,
): LabTool {
  const schema = z.strictObject(shape);
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return {
    listed: {
      name,
      description,
      inputSchema: inputSchema as ListedTool['inputSchema'],
      annotations: { readOnlyHint: isReading, destructiveHint: false },
    },
    run: async (lab, given, signal) => {
      const checked = check(schema, given ?? {});
      if (checked.success) return await run(lab, checked.data as z.output<z.ZodObject<Shape>>, signal);
      const problems = problemsOf(checked.error).map(({ path, message }) => `${placeOf(path)} ${message}`);
      throw new VoicebotError('VB_REQUEST_INVALID', problems.join('; '));
    },
  };
}

/** `model[0].say` */
const placeOf = (path: ReadonlyArray<string | number>): string =>
  path.reduce<string>(
    (place, part) => (typeof part === 'number' ? `${place}[${part}]` : place ? `${place}.${part}` : part),
    '',
  );

/** Everything that an agent can do with telephones. */
export const LAB_TOOLS: readonly LabTool[] = [
  tool(
    'place_call',
    'Calls the bot on the offline phone network, or with `dial` has the bot call, and waits for the answer. You are the person at the telephone.',
    {
      from: phoneNumber.default(DEFAULT_FROM).describe("the caller's number, which the bot sees"),
      dial: phoneNumber
        .optional()
        .describe('the bot calls this number: yours is any from +12025550100 to +12025550199'),
      body: z.record(z.string(), z.unknown()).optional().describe('data for a call that the bot makes: call.body'),
      model: z
        .array(z.record(z.string(), z.unknown()))
        .pipe(modelRules)
        .optional()
        .describe(
          'what the scripted language model of the bot answers, as in a scenario; the first rule that fits: [{ "when": "open on Sunday", "call": { "opening_hours": { "day": "Sunday" } } }, { "after": "opening_hours", "say": "We are closed." }]',
        ),
    },
    async (lab, input, signal) => {
      const report = await lab.placeCall(input, signal);
      return answer(report, [`call ${report.callId}`]);
    },
  ),
  tool(
    'say',
    'Says a sentence into the telephone, once the bot has finished what it is saying, and tells what was said before.',
    {
      text: spoken.describe('spoken by a computer voice'),
      talk_over: z.boolean().default(false).describe('do not wait until the bot has finished'),
      call_id: callId,
    },
    async (lab, { text, talk_over, call_id }, signal) => answer(await lab.say(call_id, text, talk_over, signal)),
  ),
  tool(
    'press',
    'Presses keys, at once: "1 w2 #" presses 1, waits two seconds, presses #. A key that is pressed before the bot has begun to speak may be lost.',
    { keys: keys.describe('0-9 * # A-D, and waits such as w2'), call_id: callId },
    async (lab, { keys: presses, call_id }, signal) => answer(await lab.press(call_id, presses, signal)),
  ),
  tool(
    'wait_for',
    'Waits until the bot has said words to their end, until it has finished speaking (turn), or for the end of the call. Tells what was said since you were told last; `met` says whether it came.',
    {
      what: oneOf(['words', 'turn', 'end']).optional().describe('default: words where they are given, else turn'),
      words: z
        .string({ error: 'must be a text' })
        .transform((text): Words => text)
        .pipe(words)
        .optional()
        .describe('found whatever their capitals and punctuation; /between slashes/ a regular expression'),
      within_seconds: z.number(seconds).positive(seconds).max(MAX_WAIT_SECONDS, seconds).default(20),
      call_id: callId,
    },
    async (lab, { what, words: pattern, within_seconds, call_id }, signal) => {
      if (what !== undefined && (what === 'words') !== (pattern !== undefined)) {
        throw new VoicebotError('VB_REQUEST_INVALID', 'words are given where what is words, and only there');
      }
      const wanted = pattern ?? (what === 'end' ? 'end' : 'turn');
      return answer(await lab.waitFor(call_id, wanted, within_seconds * 1_000, signal));
    },
  ),
  tool(
    'transcript',
    'What was said and done in a call, with times since the answer; of the bot what the caller has heard.',
    { call_id: callId },
    async (lab, { call_id }) => answer(await lab.transcript(call_id)),
    true,
  ),
  tool(
    'timeline',
    'What provider, runner and bot told each other in a call, with times since the answer, and the folder that has its sound.',
    { call_id: callId },
    async (lab, { call_id }) => answer(await lab.timeline(call_id)),
    true,
  ),
  tool('hang_up', 'Hangs up, and tells how the call ended.', { call_id: callId }, async (lab, { call_id }) =>
    answer(await lab.hangUp(call_id)),
  ),
  tool(
    'list_calls',
    'The calls of this lab, oldest first.',
    {},
    (lab) => {
      const calls = lab.list();
      const lines = calls.map(({ callId: id, state, lines: [now = ''] }) => `${id}  ${state}  ${now}`);
      return {
        content: [{ type: 'text', text: lines.join('\n') || 'There has been no call yet.' }],
        structuredContent: { calls },
      };
    },
    true,
  ),
];

/** Does what a tool does. Never rejects: an error is an answer that an agent can act upon. */
export async function runTool(lab: PhoneLab, name: string, given: unknown, signal: AbortSignal): Promise<LabAnswer> {
  try {
    const found = LAB_TOOLS.find(({ listed }) => listed.name === name);
    if (found) return await found.run(lab, given, signal);
    const names = LAB_TOOLS.map(({ listed }) => listed.name).join(', ');
    throw new VoicebotError('VB_REQUEST_INVALID', `there is no tool ${name}; there are ${names}`);
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): LabAnswer {
  const { message } = error as Error;
  const { code, hint } = error instanceof VoicebotError ? error : {};
  const next = hint && nextCommand(hint);
  const docs = code && errorDocs(code);
  const text = [message, hint, code && `${code}: ${docs}`].filter(Boolean).join('\n');
  return {
    content: [{ type: 'text', text }],
    structuredContent: { ...(code && { code }), message, ...(hint && { hint }), ...(next && { next }) },
    isError: true,
  };
}
