import { type Fault, isSameFault, placeOf } from '../../base/fault/fault.js';
import type { CallId } from '../../call/call-id.js';
import { MAX_ATTEMPTS } from '../../runner/calls/life/phase.js';
import { faultPlaceText, faultText } from '../../terminal/fault-text.js';
import { callLabel, type Output } from '../../terminal/output.js';

/** Tells what a bot's code has failed with: once, however many bots of a call fail alike. */
export class FaultReport {
  /** What has been told of each live call, and of bots without one, with how often it has happened. */
  readonly #told = new Map<CallId | undefined, { readonly fault: Fault; times: number }>();

  constructor(private readonly output: Output) {}

  /** @param line that says it, as `bot_output` has it */
  failed(line: string, callId: CallId | undefined, fault: Fault): void {
    const { output } = this;
    output.event('bot_output', { callId, line, fault });
    const whose = callId === undefined ? '' : `${output.paint.dim(callLabel(callId))}  `;
    const told = this.#told.get(callId);
    if (told && isSameFault(told.fault, fault)) {
      told.times += 1;
      const of = callId === undefined || told.times > MAX_ATTEMPTS ? '' : ` of ${MAX_ATTEMPTS}`;
      output.news(`${whose}${output.paint.red('✖')} again (${told.times}${of}): ${placeOf(fault) ?? fault.error}`);
      return;
    }
    this.#told.set(callId, { fault, times: 1 });
    const [first = '', ...more] = faultText(fault, output.paint);
    output.news(`${whose}${first}`);
    for (const each of more) output.line(each);
  }

  /** A bot that could not be loaded. */
  notLoaded(fault: Fault): void {
    for (const each of faultPlaceText(fault, this.output.paint)) this.output.line(each);
  }

  /** The call is over. */
  ended(callId: CallId): void {
    this.#told.delete(callId);
  }
}
