import { setTimeout as wait } from 'node:timers/promises';
import { unlessAborted } from '../../../base/async/deadline.js';
import type { CallId } from '../../../call/call-id.js';
import { hasStandIns, noteStandIn } from '../../../call/stand-ins.js';
import { epochOf } from '../../../call/timeline.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import { LLMContextFrame } from '../../conversation/llm-context-frame.js';
import { notesOf } from '../../pipeline/early-notes.js';
import {
  CancelFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMTextFrame,
  type ModelResponse,
  StartFrame,
  type ToolCall,
  type Turn,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import { type AiPackage, aiPackage } from './ai-package.js';
import { ModelFingerprints } from './asked-with.js';
import { FunctionRunner } from './function-runner.js';
import {
  type LLMServiceOptions,
  type ResolvedLLMServiceOptions,
  resolveLLMServiceOptions,
} from './llm-service-options.js';
import type { ModelFailure } from './model-error.js';
import type { CallMetadata } from './model-messages.js';
import { ModelNotes } from './model-notes.js';
import { askModel } from './model-request.js';
import { runMutated } from './mutated-function.js';
import { playFunction } from './played-function.js';
import { standInModel } from './stand-in-model.js';

/** What the failures of one answer may add up to. One that cost the caller no time counts 1, any other 2. */
const PATIENCE = 3;
/** Before the second and the third try, in milliseconds. */
const RETRY_DELAYS_MS = [100, 400];

/** One step of a turn: where it stands, and who may stop it. */
interface Step {
  readonly ai: AiPackage;
  readonly context: LLMContext;
  readonly turn: Turn;
  readonly mayCall: boolean;
  readonly signal: AbortSignal;
}

/** What one request to the model has brought. */
interface ModelAnswer {
  readonly calls: ToolCall[];
  /** Absent when nothing came. */
  response?: ModelResponse;
  hasSpoken: boolean;
  failed?: { readonly failure: ModelFailure; readonly wasSlow: boolean };
}

/**
 * Answers the conversation with a language model of the `ai` package (version 6 or 7, which you install beside a vendor's:
 * `npm install ai @ai-sdk/openai`), and runs the functions that the model calls.
 *
 * A request that fails before the first word is sent again, at most twice; an answer that breaks off is gone on with, once.
 * Each failure is told by an {@link ErrorFrame} with a ProviderError; the error is final when the service has given up.
 */
export class LLMService extends FrameProcessor {
  #options: ResolvedLLMServiceOptions;
  readonly #ai: Promise<AiPackage>;
  readonly #metadata: CallMetadata = new WeakMap();
  readonly #fingerprints = new ModelFingerprints();
  readonly #functions = new FunctionRunner({
    push: (frame, direction) => this.push(frame, direction),
    broadcast: (create) => this.broadcast(create),
    signal: () => this.signal,
    timeline: () => this.timeline,
    play: (call, execute, signal) =>
      playFunction(this.#callId, call, () => runMutated(call.name, execute, this.timeline), signal),
  });
  #callId: CallId | undefined;

  /** @throws VoicebotError VB_CONFIG_INVALID naming every option that is out of range */
  constructor(options: LLMServiceOptions) {
    super();
    this.#options = resolveLLMServiceOptions(options);
    this.#ai = aiPackage();
    this.#ai.catch(() => {});
  }

  /**
   * Loads the `ai` package. Awaited at the top of a bot file, it is there before the first call comes, instead of taking
   * its time while the first caller is greeted; and a bot whose package is missing is refused when it is started.
   * @throws VoicebotError VB_CONFIG_INVALID when the package is missing or too old
   */
  static async load(): Promise<void> {
    await aiPackage();
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (frame instanceof LLMContextFrame) return this.#takeTurn(frame);
    this.push(frame, direction);
    if (frame instanceof CancelFrame) this.#functions.close();
    // a bot without its package can never answer: the runner's own words must
    if (frame instanceof StartFrame) {
      frame.answersEarly = true;
      this.#callId = frame.standIns?.callId;
      if (hasStandIns()) this.#useStandIn(frame);
      this.#ai.catch((error) => this.push(new ErrorFrame(error, true, this.name), 'upstream'));
    }
  }

  override cleanup(): void {
    this.#functions.close();
  }

  #useStandIn({ standIns }: StartFrame): void {
    noteStandIn(this.timeline, 'language model');
    this.#options = { ...this.#options, model: standInModel(standIns?.callId) };
  }

  async #takeTurn({ context, turn }: LLMContextFrame): Promise<void> {
    if (turn.dropped.aborted) return;
    notesOf(turn, this.timeline)?.note({ type: 'turn_started', turn: turn.id, ...beginningOf(turn) });
    const signal = turn.isReleased ? this.signal : AbortSignal.any([this.signal, turn.dropped]);
    const ai = await this.#ai.catch(() => undefined);
    if (!ai) return;
    for (let step = 1; !signal.aborted; step += 1) {
      const mayCall = step < this.#options.maxSteps;
      const answer = await this.#answer({ ai, context, turn, mayCall, signal });
      if (signal.aborted || !answer?.response || answer.calls.length === 0) return;
      const { calls, hasSpoken } = answer;
      if (!(await isWanted(turn, signal))) return;
      context.addToolCalls(answer.response, calls);
      if (!(await this.#functions.run({ context, turn, calls, hasSpoken, signal }))) return;
    }
  }

  /** Asks until there is a whole answer. @returns nothing when there is none: the error has been told */
  async #answer(step: Step): Promise<ModelAnswer | undefined> {
    const { signal } = step;
    let failures = 0;
    for (let tries = 0; ; tries += 1) {
      const answer = await this.#ask(step);
      if (signal.aborted) return undefined;
      if (!answer.failed) return answer;
      const { failure, wasSlow } = answer.failed;
      failures += wasSlow || answer.response ? 2 : 1;
      const isFinal = !failure.isPassing || failures >= PATIENCE;
      this.#tell(isFinal ? { ...failure, error: failure.error.asFinal() } : failure);
      if (isFinal) return undefined;
      if (!answer.response) await wait(RETRY_DELAYS_MS[tries], undefined, { signal }).catch(() => {});
      if (signal.aborted) return undefined;
    }
  }

  /** One request. What came before a failure has been said: the next request shows the model that. */
  async #ask({ ai, context, turn, mayCall, signal }: Step): Promise<ModelAnswer> {
    const answer: ModelAnswer = { calls: [], hasSpoken: false };
    const begin = () => {
      if (answer.response) return answer.response;
      const response = context.beginResponse(turn);
      answer.response = response;
      this.push(new LLMResponseStartFrame(response));
      return response;
    };
    const request = { ai, context, turn, mayCall, signal, options: this.#options, metadata: this.#metadata };
    const asked = this.timeline && (await this.#fingerprints.of(ai, context.messagesFor(turn), context.tools));
    if (asked) turn.dropped.addEventListener('abort', () => this.#fingerprints.forget(), { once: true });
    const notes = new ModelNotes(notesOf(turn, this.timeline), turn, this.#options.model, asked);
    for await (const part of notes.of(askModel(request))) {
      if (signal.aborted) return answer;
      if (part.type === 'failed') answer.failed = part;
      else if (part.type === 'finished') turn.tokens = Math.max(turn.tokens, part.outputTokens ?? 0);
      else if (part.type === 'call') answer.calls.push(part.call);
      else {
        turn.mark('firstToken');
        turn.tokens += 1;
        const response = begin();
        answer.hasSpoken ||= part.text.trim() !== '';
        context.addText(response, part.text);
        this.push(new LLMTextFrame(response, part.text));
      }
    }
    if (signal.aborted || (answer.failed && !answer.response)) return answer;
    const response = begin();
    if (!answer.failed) context.finishResponse(response);
    this.push(new LLMResponseEndFrame(response));
    return answer;
  }

  #tell({ error }: ModelFailure): void {
    this.broadcast(() => new ErrorFrame(error, false, this.name));
  }
}

/** Functions of a turn that was asked early do not run before it is released. */
async function isWanted(turn: Turn, signal: AbortSignal): Promise<boolean> {
  if (turn.isReleased) return true;
  await unlessAborted(turn.decided, signal).catch(() => {});
  return turn.isReleased && !signal.aborted;
}

function beginningOf({ times: { callerStopped, finalTranscript } }: Turn) {
  if (callerStopped === undefined) return {};
  const startedAt = epochOf(callerStopped);
  return finalTranscript === undefined
    ? { startedAt }
    : { startedAt, finalTranscriptMs: Math.max(0, finalTranscript - callerStopped) };
}
