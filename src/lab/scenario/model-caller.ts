import { z } from 'zod';
import { VoicebotError } from '../../base/errors.js';
import type { LanguageModel } from '../../bot/services/llm/language-model.js';
import type { CallerMoment, CallerPlayer, CallerTurn } from './caller-player.js';
import { modelAnswer, talkAsText } from './model-answer.js';

/** Whom a model plays. */
export interface PlayedCaller {
  /** Who calls, and how they talk: `a hurried man who hears badly`. */
  persona: string;
  /** What they call for: `to learn whether the bakery is open on Sunday`. */
  goal: string;
  /** By what they know that they have got it: `the bot has said that it is closed on Sunday`. */
  success: string;
  /** How often they may speak or press keys, 1 to 100; the scenario fails when that was not enough. Default 20. */
  turns?: number;
}

const DEFAULT_TURNS = 20;
const text = z.string().refine((words) => words.trim() !== '', { error: 'must have words' });
const options = z.strictObject({
  persona: text,
  goal: text,
  success: text,
  turns: z.int().min(1).max(100).default(DEFAULT_TURNS),
});

/** All are there in each answer: some models accept no optional fields. */
const answer = z.object({
  say: z.string().nullable().describe('what you say now; null when you say nothing'),
  press: z
    .string()
    .refine((keys) => /^[0-9*#]*$/.test(keys), { error: 'must be keys of a telephone' })
    .nullable()
    .describe('keys of the telephone that you press after that, such as 1 or 42#; null for none'),
  hangUp: z.boolean().describe('whether you hang up after that'),
  succeeded: z.boolean().nullable().describe('when you hang up: whether you have succeeded; else null'),
  because: z.string().describe('why, in a sentence'),
});

/**
 * A caller that a model plays: the `caller` of a scenario. Needs the package `ai`, and the model its key.
 *
 * ```ts
 * caller: callerPlayedBy(openai('gpt-4.1-mini'), {
 *   persona: 'a hurried man who answers in three words',
 *   goal: 'to learn whether the bakery is open on Sunday',
 *   success: 'the bot has said that it is closed on Sunday',
 * })
 * ```
 *
 * The scenario fails when the caller hangs up without success, and when the model gives no usable answer.
 * @throws VoicebotError VB_CONFIG_INVALID with every problem of what is given
 */
export function callerPlayedBy(model: LanguageModel, played: PlayedCaller): CallerPlayer {
  const checked = options.safeParse(played);
  if (!checked.success) {
    const problems = checked.error.issues.map(({ path, message }) => [...path, message].join(' '));
    throw new VoicebotError('VB_CONFIG_INVALID', `the caller that a model plays: ${problems.join('; ')}`);
  }
  const { persona, goal, success, turns } = checked.data;
  const system = `You are a person who calls a telephone number, and a bot answers. You are ${persona}. You call ${goal}.
You have succeeded when ${success}. Say one or two short sentences at a time, as people speak on the telephone, and nothing that is not
spoken. Stay who you are: you are not an assistant. Press keys where the bot asks for keys. When you have succeeded, or see that you
cannot, say goodbye and hang up.`;
  return {
    async next({ talk, done, signal }: CallerMoment): Promise<CallerTurn> {
      if (done.length >= turns)
        return { hangUp: true, succeeded: false, because: `the caller has not succeeded in ${turns} turns` };
      const pressed = done.flatMap(({ press }) => press ?? []).join(', ');
      const prompt = `The call so far, you are the caller:
${talkAsText(talk)}
Keys that you have pressed: ${pressed || 'none'}.
What do you do now?`;
      const { say, press, hangUp, succeeded, because } = await modelAnswer({
        model,
        system,
        prompt,
        schema: answer,
        signal,
      });
      return {
        ...(say?.trim() && { say: say.trim() }),
        ...(press && { press }),
        ...(hangUp && { hangUp, succeeded: succeeded ?? false }),
        because,
      };
    },
  };
}
