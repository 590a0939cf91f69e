import { z } from 'zod';
import { VoicebotError } from '../base/errors.js';
import { FUNCTIONS_URL_VARIABLE, localAddress } from './lab-address.js';
import type { CallTimeline, TimelineEvent } from './timeline.js';

/** One way in which a bot is broken on purpose, as JSON. Read only where a lab on this machine plays functions of the bot. */
export const MUTATION_VARIABLE = 'VOICEBOT_MUTATION';

const name = z.string().min(1);

const MUTATION = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('function_throws'), name }),
  z.strictObject({ kind: z.literal('function_returns_nothing'), name }),
  /** See `changedResult`. */
  z.strictObject({ kind: z.literal('function_result_changed'), name }),
  /** The bot learns so much later that the caller is there. */
  z.strictObject({ kind: z.literal('greeting_late'), ms: z.number().min(0).max(60_000) }),
  /** The first sentence of the call that has three words or more. */
  z.strictObject({ kind: z.literal('sentence_twice') }),
  /** The second sentence of the call. */
  z.strictObject({ kind: z.literal('sentence_missing') }),
  /** Sentences as {@link plainSentence} gives them: those that calls have ended with. */
  z.strictObject({ kind: z.literal('goodbye_missing'), sentences: z.array(name) }),
  z.strictObject({ kind: z.literal('interruptions_off') }),
  z.strictObject({ kind: z.literal('key_ignored'), key: z.string().length(1) }),
  /** Each key is taken for the next one: 1 for 2, 9 for 0. */
  z.strictObject({ kind: z.literal('keys_shifted') }),
  /** No number is dialled. */
  z.strictObject({ kind: z.literal('transfer_fails'), status: z.enum(['busy', 'no_answer']) }),
  /** @see https://en.wikipedia.org/wiki/E.164 */
  z.strictObject({ kind: z.literal('transfer_elsewhere'), to: name }),
  z.strictObject({ kind: z.literal('never_hangs_up') }),
  /** When the caller has said or pressed something, and the bot has said something after it. */
  z.strictObject({ kind: z.literal('hangs_up_early') }),
]);

/** One way in which a bot is broken on purpose: a process of a bot has none, or one. */
export type Mutation = z.output<typeof MUTATION>;
export type MutationKind = Mutation['kind'];
export type MutationOf<Kind extends MutationKind> = Extract<Mutation, { readonly kind: Kind }>;

const NOTE = 'a mutation has taken effect';

let known: { readonly text: string; readonly mutation: Mutation } | undefined;

/**
 * How the bot of this process is broken; undefined wherever no lab has broken it.
 * @throws VoicebotError VB_CONFIG_INVALID where no lab on this machine plays functions of the bot, and for what is no mutation
 */
export function currentMutation(): Mutation | undefined {
  const text = process.env[MUTATION_VARIABLE];
  if (!text) return undefined;
  if (localAddress(FUNCTIONS_URL_VARIABLE) === undefined)
    throw new VoicebotError(
      'VB_CONFIG_INVALID',
      `${MUTATION_VARIABLE} breaks a bot on purpose, which only a test may`,
      {
        hint: `take ${MUTATION_VARIABLE} out of the environment: \`npx voicebot test --mutate\` sets it by itself`,
      },
    );
  if (known?.text !== text) known = { text, mutation: read(text) };
  return known.mutation;
}

/** The mutation, where it is of this kind. */
export function mutationOf<Kind extends MutationKind>(kind: Kind): MutationOf<Kind> | undefined {
  const mutation = currentMutation();
  return mutation?.kind === kind ? (mutation as MutationOf<Kind>) : undefined;
}

/** Notes that a call is another one by the mutation of its bot, from here on. */
export function noteMutation(timeline: CallTimeline | undefined, { kind }: Mutation): void {
  timeline?.note({ type: 'log', level: 'info', message: NOTE, fields: { mutation: kind } });
}

/** Whether a mutation of the bot has made the call another one. */
export const hasTakenEffect = (events: readonly TimelineEvent[]): boolean =>
  events.some((event) => event.type === 'log' && event.source === 'bot' && event.message === NOTE);

/** A sentence without capitals and marks, to be compared with others. */
export const plainSentence = (sentence: string): string =>
  (sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');

function read(text: string): Mutation {
  try {
    return MUTATION.parse(JSON.parse(text));
  } catch {
    throw new VoicebotError('VB_CONFIG_INVALID', `${MUTATION_VARIABLE} is no mutation`);
  }
}
