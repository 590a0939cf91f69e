import { z } from 'zod';
import { ProviderError } from '../../../base/provider-error.js';
import type { CallId } from '../../../call/call-id.js';
import { localAddress } from '../../../call/lab-address.js';
import { askLab } from './ask-lab.js';
import type { StandInReply, StandInRequest } from './stand-in-request.js';

/**
 * Address of a script that answers for the language model of every call: `http://` on this machine. It is sent
 * {@link ScriptRequest} by POST, and answers with a {@link StandInReply}, both as JSON. A status such as
 * 422 is its last word; after one of 5xx, or none, it is asked up to twice more. Read only where stand-ins serve.
 */
export const SCRIPT_URL_VARIABLE = 'VOICEBOT_SCRIPT_URL';

/** What the script is asked. */
export type ScriptRequest = { readonly callId: CallId } & Omit<StandInRequest, 'abortSignal'>;

const REPLY: z.ZodType<StandInReply> = z.strictObject({
  text: z.string().optional(),
  calls: z.array(z.strictObject({ name: z.string().min(1), input: z.unknown().optional() })).optional(),
  delayMs: z.number().min(0).max(600_000).optional(),
});

/**
 * Where the script is; undefined when there is none.
 * @throws VoicebotError VB_CONFIG_INVALID for an address that is not on this machine
 */
export const scriptUrl = (): string | undefined => localAddress(SCRIPT_URL_VARIABLE);

/** @throws ProviderError when the script cannot be reached, refuses, or answers with something else */
export async function askScript(url: string, callId: CallId, request: StandInRequest): Promise<StandInReply> {
  const { prompt, tools, toolChoice, abortSignal: signal = null } = request;
  const asked: ScriptRequest = { callId, prompt, tools, toolChoice };
  return replyIn(await askLab(url, asked, signal, failed));
}

function replyIn(text: string): StandInReply {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw failed('the answer is not JSON', { isFinal: true });
  }
  const { data, error } = REPLY.safeParse(value);
  if (data) return data;
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  throw failed(`the answer is not valid, ${problems.join('; ')}`, { isFinal: true });
}

const failed = (detail: string, options?: ConstructorParameters<typeof ProviderError>[3]) =>
  new ProviderError('voicebot', 'VB_PROVIDER_FAILED', `the script for models: ${detail}`, options);
