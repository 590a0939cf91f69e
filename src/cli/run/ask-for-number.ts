import type { HeldNumbers } from '../../assembly/held-numbers.js';
import { whoAnswers } from '../../assembly/number-text.js';
import type { NumberRoute } from '../../call/number-routing.js';
import { ask, askWhich, type CliContext, saysYes } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';

export interface NumberQuestions {
  readonly context: CliContext;
  readonly output: Output;
  /** Take it without a question. */
  readonly isYes: boolean;
  /** Take it even from another run. */
  readonly isTaking: boolean;
  /** The public address of this run, where it is known already. */
  readonly publicUrl: string | undefined;
  /** The bot that callers will reach, for people. */
  readonly bot: string;
  /** The answer is not wanted any more. */
  readonly stopped: AbortSignal;
  /** Lets a person type while this goes on: what they have typed before is no answer. */
  readonly whileTyped: <Answer>(asking: () => Promise<Answer>) => Promise<Answer>;
}

/** A number that may be taken. */
export interface AskedNumber {
  /** E.164. */
  readonly number: string;
  /** A person is asked for it: until {@link agree} nothing changes, and no call is placed. */
  readonly isAsking: boolean;
  /**
   * Has a person agree, where others answer the number now; undefined where there is nothing to ask or to tell. Changes nothing.
   * @throws StoppedBySignal, ReportedError when the person said no
   */
  readonly agree?: () => Promise<void>;
}

/**
 * The number to take. Changes nothing.
 * @throws StoppedBySignal, and what {@link HeldNumbers.choose} throws
 */
export async function askForNumber(held: HeldNumbers, questions: NumberQuestions): Promise<AskedNumber> {
  const { context, output, isYes, isTaking, publicUrl, stopped, whileTyped } = questions;
  // Programs that read events are asked nothing, also where they have a terminal.
  const asked: CliContext = output.isForPrograms ? { ...context, keyboard: undefined } : context;
  const pick = (routes: readonly NumberRoute[]) =>
    whileTyped(() => askWhich(asked, 'The account has several numbers:', routes, rowOf, stopped));
  const route = await output
    .step('Looking at the account', () => held.choose(isTaking, undefined))
    .catch((error) => {
      if (asked.keyboard && error?.code === 'VB_NUMBER_AMBIGUOUS') return held.choose(isTaking, pick);
      throw error;
    });
  const { number } = route;
  if (isYes || !(await held.answersElsewhere(route, publicUrl))) return { number, isAsking: false };
  const isAsking = asked.keyboard !== undefined;
  return { number, isAsking, agree: () => agree(route, { ...questions, context: asked }) };
}

const rowOf = (route: NumberRoute) => `${route.number}  answered by ${whoAnswers(route)}`;

async function agree(route: NumberRoute, questions: NumberQuestions): Promise<void> {
  const { context, output, bot, stopped, whileTyped } = questions;
  const { number, isFallback = false } = route;
  const now = `${number} is answered by ${whoAnswers(route)}`;
  if (!context.keyboard) {
    output.line(output.wrapped(`${now}: this run takes it, and gives it back when it ends.`, 0));
    return;
  }
  output.line(`${output.paint.yellow('!')} ${output.wrapped(`${now}.`, 2)}`);
  const line = (text: string) => output.line(`  ${output.wrapped(text, 2)}`);
  line(`While this run has the number, callers reach ${bot} instead.`);
  if (isFallback) line('A call that this run does not answer falls back to that address.');
  line('When the run ends, the number goes back to exactly that; after a crash with: npx voicebot restore');
  if (saysYes(await whileTyped(() => ask(context, 'Take the number? [y/N] ', stopped)))) return;
  output.line(`${number} stays as it is.`);
  throw new ReportedError(EXIT.usage, `${number} was not taken`, {
    code: 'VB_USAGE',
    hint: 'Take it with --yes, or try the bot without a number: npx voicebot run --sandbox',
  });
}
