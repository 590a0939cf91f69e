import { VoicebotError } from '../../base/errors.js';
import type { ConsultLeg } from '../../call/consult.js';
import type { RunnerArguments } from '../../call/runner-arguments.js';
import { type BotParts, type CheckedParts, checkParts } from './bot-parts.js';
import { Call } from './call.js';
import { openConsulted } from './consulted-call.js';
import { customDataOf, openTransport } from './open-transport.js';

/**
 * Takes a call, for a bot that builds its own pipeline: opens the transport, dials where the bot is to, fetches a held
 * caller, and resolves when the other party is there. `call.isOver` tells when they did not come. What an earlier bot of the call was about to
 * hand over it goes on with first, and a call whose parties are connected so is over when it resolves. A bot function that returns when it has left
 * two parties to each other does not end their call.
 *
 * ```ts
 * const call = await acceptCall(args);
 * await call.run([new DeepgramSTT(), conversation.user(), llm, tts, call.output, conversation.assistant()]);
 * ```
 *
 * @throws VoicebotError VB_CONFIG_INVALID naming every option that is wrong or not known, VB_CREDENTIALS_MISSING,
 *   VB_REQUEST_INVALID for custom data that does not fit `body`, and what a call that is to go out is refused with
 */
export async function acceptCall<Body = Record<string, unknown>>(
  args: RunnerArguments,
  options: BotParts<Body> = {},
): Promise<Call<Body>> {
  const call = await openCall(args, checkParts(options));
  call.leg.runner?.beforeReturn?.(async () => {
    if (call.leg.isLeft) await call.finish();
  });
  if (!call.isOver && !(await call.takeOver())) await call.finish();
  return call;
}

/** The same with parts that have been checked. */
export async function openCall<Body>(args: RunnerArguments, parts: CheckedParts<Body>): Promise<Call<Body>> {
  const checked = await parts.checkBody(customDataOf(args));
  if ('problems' in checked) throw new VoicebotError('VB_REQUEST_INVALID', checked.problems.join('; '));
  const consulted = (leg: ConsultLeg) => openConsulted(leg, parts);
  const call = new Call(args, checked.body, await openTransport(args, parts), parts, consulted);
  return call.start();
}
