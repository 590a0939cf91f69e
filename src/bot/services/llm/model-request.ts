import { deferred } from '../../../base/async/deferred.js';
import { afterRunning } from '../../../base/async/running-time.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import type { ToolCall, Turn } from '../../pipeline/frames/index.js';
import type { AiPackage } from './ai-package.js';
import { uniqueCallId } from './call-ids.js';
import type { ResolvedLLMServiceOptions } from './llm-service-options.js';
import { filteredAnswer, type ModelFailure, modelFailure, toModelFailure } from './model-error.js';
import { type CallMetadata, toModelMessages } from './model-messages.js';
import { toModelTools } from './model-tools.js';

/** What comes of a request, as it comes. `failed` is the last of its request. */
export type ModelPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  /** What the whole answer took. */
  | {
      readonly type: 'finished';
      readonly finishReason: string;
      readonly inputTokens: number | undefined;
      readonly outputTokens: number | undefined;
      /** Of the input: found in the vendor's cache, and written to it. */
      readonly cachedTokens?: number | undefined;
      readonly cacheWriteTokens?: number | undefined;
    }
  | { readonly type: 'failed'; readonly failure: ModelFailure; readonly wasSlow: boolean };

export interface ModelRequest {
  ai: AiPackage;
  options: ResolvedLLMServiceOptions;
  context: LLMContext;
  turn: Turn;
  metadata: CallMetadata;
  /** Told to the model behind the conversation, and kept nowhere. */
  note?: string | undefined;
  /** False makes the model answer in words: a call is an error then. */
  mayCall: boolean;
  /** How long words may stay away in the middle of an answer, in milliseconds. Default: half as long as the first may take. */
  stallMs?: number | undefined;
  /** Breaks the request off; nothing comes after. */
  signal: AbortSignal;
}

/** So ends a model that has nothing to say, or that has thought until no token was left. */
const SILENT_ENDS = ['stop', 'length'];

/** Asks a model once. A failure is the last part, not a throw; ends as soon as `signal` is aborted, whatever the model does. */
export async function* askModel(request: ModelRequest): AsyncGenerator<ModelPart, void> {
  const { options, signal, metadata, turn } = request;
  const cut = new AbortController();
  const isCut = deferred<undefined>();
  let isLate = false;
  const limitMs = options.firstTokenTimeoutMs;
  let stallMs = request.stallMs ?? limitMs / 2;
  const breakOff = () => isCut.resolve(undefined);
  const onLate = () => {
    isLate = true;
    breakOff();
  };
  let stopTimer = afterRunning(limitMs, onLate);
  signal.addEventListener('abort', breakOff, { once: true });
  if (signal.aborted) breakOff();

  let hasBegun = false;
  let finishReason = 'other';
  let end = 'other';
  try {
    const settings = await settingsOf(request);
    if (signal.aborted) return;
    turn.mark('modelRequested');
    const stream = request.ai.streamText({ ...settings, abortSignal: cut.signal }).fullStream[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([stream.next(), isCut.promise]);
      if (signal.aborted) return;
      if (isLate) {
        const what = hasBegun ? `the answer stopped in the middle for ${stallMs} ms` : `no answer for ${limitMs} ms`;
        yield { type: 'failed', failure: modelFailure(options.model, what), wasSlow: true };
        return;
      }
      if (!next || next.done) break;
      const part = next.value;
      if (part.type === 'error') {
        // it calls functions where it may not, as the package tells; but it has said something, and that will do
        if (hasBegun && (part.error as Error | undefined)?.name === 'AI_ToolChoiceViolationError') return;
        yield { type: 'failed', failure: toModelFailure(options.model, part.error), wasSlow: false };
        return;
      }
      hasBegun ||= part.type === 'text-delta' || part.type === 'tool-input-start' || part.type === 'tool-call';
      if (part.type === 'tool-input-start') stallMs = limitMs / 2; // some send the input of a function in one piece
      if (hasBegun) {
        stopTimer();
        stopTimer = afterRunning(stallMs, onLate); // the caller hears nothing meanwhile
      }
      if (part.type === 'text-delta' && part.text !== '') yield { type: 'text', text: part.text };
      else if (part.type === 'tool-call' && !part.providerExecuted) {
        const id = uniqueCallId(request.context, part.toolCallId);
        const call: ToolCall = { id, name: part.toolName, input: part.input };
        keepSignatures(call, part.providerMetadata, metadata);
        yield { type: 'call', call };
      } else if (part.type === 'finish-step') {
        end = part.finishReason;
        finishReason = part.rawFinishReason ?? end;
        const { inputTokens, outputTokens, inputTokenDetails } = part.usage ?? {}; // a model that the user wrote may tell none
        const { cacheReadTokens: cachedTokens, cacheWriteTokens } = inputTokenDetails ?? {};
        yield { type: 'finished', finishReason, inputTokens, outputTokens, cachedTokens, cacheWriteTokens };
      }
    }
    if (hasBegun || SILENT_ENDS.includes(end)) return;
    const failed = end === 'content-filter' ? filteredAnswer : modelFailure;
    yield { type: 'failed', failure: failed(options.model, `an empty answer (${finishReason})`), wasSlow: false };
  } catch (error) {
    if (!signal.aborted) yield { type: 'failed', failure: toModelFailure(options.model, error), wasSlow: false };
  } finally {
    stopTimer();
    signal.removeEventListener('abort', breakOff);
    cut.abort();
  }
}

type Settings = Parameters<AiPackage['streamText']>[0];

async function settingsOf({ ai, options, context, turn, metadata, mayCall, note }: ModelRequest): Promise<Settings> {
  const { model, temperature, maxOutputTokens, providerOptions } = options;
  const tools = await toModelTools(ai, context.tools);
  const noted = note ? [{ role: 'system' as const, content: note }] : [];
  return {
    model,
    ...toModelMessages([...context.messagesFor(turn), ...noted], metadata),
    ...(tools && { tools }),
    ...(tools && !mayCall && { toolChoice: 'none' }),
    temperature,
    maxOutputTokens,
    providerOptions,
    // we try again ourselves: the package waits for two seconds and more
    maxRetries: 0,
    // it would write them to the console
    onError: () => {},
  } as unknown as Settings;
}

function keepSignatures(call: ToolCall, provided: unknown, metadata: CallMetadata): void {
  const signed = Object.entries((provided ?? {}) as Record<string, Record<string, unknown>>).flatMap(
    ([provider, { thoughtSignature }]) =>
      typeof thoughtSignature === 'string' ? [[provider, { thoughtSignature }] as const] : [],
  );
  if (signed.length > 0) metadata.set(call, Object.fromEntries(signed));
}
