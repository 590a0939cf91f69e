import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { VoicebotError } from '../../../base/errors.js';
import type { CallId } from '../../../call/call-id.js';
import { FUNCTIONS_URL_VARIABLE, localAddress } from '../../../call/lab-address.js';
import type { ToolCall } from '../../pipeline/frames/index.js';
import { askLab } from './ask-lab.js';

/** What the lab is asked: the input fits the function's schema, and is as the model gave it. */
export interface FunctionRequest {
  readonly callId: CallId;
  readonly name: string;
  readonly input: unknown;
}

/** What the lab plays. Without `returns` and `fails` the bot's own function runs. */
export interface PlayedFunction {
  /** Any JSON. */
  readonly returns?: unknown;
  /** The message of the error that the function throws. */
  readonly fails?: string | undefined;
  /** Milliseconds before it returns, fails or runs. */
  readonly takesMs?: number | undefined;
}

const PLAYED = z
  .strictObject({
    returns: z.unknown().optional(),
    fails: z.string().optional(),
    takesMs: z.number().min(0).max(3_600_000).optional(),
  })
  .refine((played) => !('returns' in played) || played.fails === undefined, {
    error: 'returns and fails exclude each other',
  });

/**
 * Where a lab is that is asked before a function runs, whatever serves as the model: `http://` on this machine. It is sent a
 * {@link FunctionRequest} by POST, once for each call of a function, and answers with a {@link PlayedFunction}, both as JSON. With any
 * other answer, or none, the function fails and does not run.
 * @throws VoicebotError VB_CONFIG_INVALID for an address that is not on this machine
 */
export const functionsUrl = (): string | undefined => localAddress(FUNCTIONS_URL_VARIABLE);

/**
 * Runs a function, or what a lab plays in its place.
 * @param callId undefined where no runner has started the bot
 * @param execute runs the bot's own function
 * @param signal aborted when the function is cancelled: what it takes is not waited for any longer
 */
export function playFunction(
  callId: CallId | undefined,
  call: Pick<ToolCall, 'name' | 'input'>,
  execute: () => unknown,
  signal: AbortSignal,
): unknown {
  const url = functionsUrl();
  return url === undefined ? execute() : played(url, callId, call, execute, signal);
}

async function played(
  url: string,
  callId: CallId | undefined,
  { name, input }: Pick<ToolCall, 'name' | 'input'>,
  execute: () => unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (callId === undefined) throw failed(name, 'the bot does not know which call this is');
  const answer = await ask(url, { callId, name, input }, signal);
  if (answer.takesMs) await wait(answer.takesMs, undefined, { signal });
  signal.throwIfAborted();
  if (answer.fails !== undefined) throw new Error(answer.fails);
  return 'returns' in answer ? answer.returns : execute();
}

async function ask(url: string, request: FunctionRequest, signal: AbortSignal): Promise<PlayedFunction> {
  const text = await askLab(url, request, signal, (why) => failed(request.name, why));
  try {
    return PLAYED.parse(JSON.parse(text));
  } catch {
    throw failed(request.name, 'the answer is not valid');
  }
}

const failed = (name: string, why: string) => new VoicebotError('VB_FUNCTION_NOT_PLAYED', `${name}: ${why}`);
