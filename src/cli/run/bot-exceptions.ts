import { type Exception, isSameException, placeOf } from '../../base/exception/exception.js';
import type { CallId } from '../../call/call-id.js';
import { exceptionPlaceText, exceptionText } from '../../terminal/exception-text.js';
import { callLabel, type Output } from '../../terminal/output.js';

/** Tells what a bot's code has failed with: once, however many bots of a call fail alike. */
export class BotExceptions {
  /** What has been told of each live call, and of bots without one, with how often it has happened. */
  readonly #told = new Map<CallId | undefined, { readonly exception: Exception; times: number }>();

  constructor(private readonly output: Output) {}

  /** @param line that says it, as `bot_output` has it */
  failed(line: string, callId: CallId | undefined, exception: Exception): void {
    const { output } = this;
    output.event('bot_output', { callId, line, exception });
    const whose = callId === undefined ? '' : `${output.paint.dim(callLabel(callId))}  `;
    const told = this.#told.get(callId);
    if (told && isSameException(told.exception, exception)) {
      told.times += 1;
      const place = placeOf(exception) ?? exception.error;
      output.news(`${whose}${output.paint.red('✖')} again (${told.times}): ${place}`, 'error');
      return;
    }
    this.#told.set(callId, { exception, times: 1 });
    const [first = '', ...more] = exceptionText(exception, output.paint);
    output.news(`${whose}${first}`, 'error');
    for (const each of more) output.line(each);
  }

  /** A bot that could not be loaded. */
  notLoaded(exception: Exception): void {
    for (const each of exceptionPlaceText(exception, this.output.paint)) this.output.line(each);
  }

  /** The call is over. */
  ended(callId: CallId): void {
    this.#told.delete(callId);
  }
}
