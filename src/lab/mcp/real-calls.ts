import { VoicebotError } from '../../base/errors.js';
import { RunnerClient } from '../../runners/runner-client.js';
import { RunningRunners } from '../../runners/running-runners.js';
import { RealCall } from './real-call.js';

/** Numbers of the offline network: a range that is kept for fiction. Every other one may be a person's. */
const FICTION = /^\+120255501\d\d$/;

export const isReal = (number: string): boolean => !FICTION.test(number);

/**
 * Checks that a person has allowed the lab to call a real number; the agent cannot allow it.
 * @throws VoicebotError VB_TARGET_REFUSED
 */
export function checkAllowed(number: string, allowed: readonly string[]): void {
  if (allowed.includes(number)) return;
  throw new VoicebotError(
    'VB_TARGET_REFUSED',
    `${number} is a real number, and this lab is offline: its own numbers are +12025550100 to +12025550199`,
    {
      hint: `Only a person may allow it, where voicebot mcp gets its environment or in .env: VOICEBOT_LAB_NUMBERS=${[...allowed, number].join(',')}; then voicebot mcp has to be started again`,
    },
  );
}

/**
 * Has the bot of the runner on the account call a real number.
 * @param home state directory
 * @throws VoicebotError VB_RUNNER_NOT_FOUND when none is on an account; what the runner refuses the call with
 */
export async function dialReal(
  home: string,
  to: string,
  body: Readonly<Record<string, unknown>>,
): Promise<{ readonly callId: string; readonly call: RealCall }> {
  const { url, token } = await new RunningRunners(home).find({ onAccount: true });
  const runner = new RunnerClient(url, token);
  const { callId } = await runner.start({ to, body, query: {} });
  return { callId, call: new RealCall(runner, callId, url) };
}
