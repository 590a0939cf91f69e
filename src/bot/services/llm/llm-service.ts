import { setTimeout as wait } from 'node:timers/promises';
import { unlessAborted } from '../../../base/async/deadline.js';
import { VoicebotError } from '../../../base/errors.js';
import type { CallId } from '../../../call/call-id.js';
import { hasStandIns, noteStandIn } from '../../../call/stand-ins.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import { type AnswerContest, LLMContextFrame } from '../../conversation/llm-context-frame.js';
import { type OwnSentence, ownSentence } from '../../conversation/own-sentences.js';
import { notesOf } from '../../pipeline/early-notes.js';
import {
  CancelFrame,
  EndFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMTextFrame,
  type ModelResponse,
  StartFrame,
  type ToolCall,
  TTSSpeakFrame,
  Turn,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import { type AiPackage, aiPackage } from './ai-package.js';
import { AnswerCheck, SPEAK_UP } from './answer-check.js';
import { type AskedWith, ModelFingerprints } from './asked-with.js';
import { FunctionRunner } from './function-runner.js';
import { type LLMServiceOptions, resolveModelOptions } from './llm-service-options.js';
import { type AskedModel, askedModels, type ModelChoice } from './model-choice.js';
import type { ModelFailure } from './model-error.js';
import type { CallMetadata } from './model-messages.js';
import { ModelNotes } from './model-notes.js';
import { askModel, type ModelPart } from './model-request.js';
import { ModelsInTurn } from './models-in-turn.js';
import { runMutated } from './mutated-function.js';
import { playFunction } from './played-function.js';
import { MOST_REFUSALS } from './refusals.js';
import { spokenParts } from './spoken-parts.js';
import { standInModel } from './stand-in-model.js';
import { ThinkTags } from './think-tags.js';
import { noteBeginning } from './turn-notes.js';

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
  /** Told to the model in this step only. */
  readonly note?: string | undefined;
  readonly contest?: AnswerContest | undefined;
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
 * Each failure is told by an {@link ErrorFrame} with a ProviderError; the error is final when the service has given up. A caller
 * whose words are refused, or to whom the model has nothing to say, hears a sentence of the bot's own.
 */
export class LLMService extends FrameProcessor {
  #models: ModelsInTurn;
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
  /** Requests in a row that were refused for what they hold. */
  #refusals = 0;

  /**
   * @param models one, or a list: the next is asked when one fails, and together with it when it takes too long. The first says how many
   *   steps a turn has
   * @throws VoicebotError VB_CONFIG_INVALID naming every option of every model that is out of range
   */
  constructor(models: LLMServiceOptions | readonly ModelChoice[]) {
    super();
    this.#models = this.#inTurn(askedModels(models));
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

  override receive(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof EndFrame && direction === 'downstream') void this.#functions.end();
    super.receive(frame, direction);
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (frame instanceof LLMContextFrame) return this.#takeTurn(frame);
    const work = frame instanceof EndFrame && this.functionsUnderWay();
    if (work) return work.then(() => this.push(frame, direction));
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

  /**
   * Undefined when no function of the model runs that the end of the call has to wait for; else resolves when none does any more,
   * and after ten seconds at the latest. A function that asks does not wait for itself.
   */
  functionsUnderWay(): Promise<void> | undefined {
    return this.#functions.underWay();
  }

  override cleanup(): void {
    this.#functions.close();
  }

  /**
   * Writes a text from a conversation, beside it: nothing of it is said, and the conversation does not know of it.
   * @param instruction what to write
   * @throws ProviderError when no model has written anything
   */
  async write(context: LLMContext, instruction: string, signal: AbortSignal): Promise<string> {
    const step = { ai: await this.#ai, context, turn: new Turn(0), mayCall: false, note: instruction, signal };
    let failure: ModelFailure | undefined;
    for (const model of this.#models.all) {
      let text = '';
      for await (const part of this.#parts(step, model, undefined)) {
        if (part.type === 'text') text += part.text;
        else if (part.type === 'failed') failure = part.failure;
      }
      if (text.trim() !== '') return text.trim();
      signal.throwIfAborted();
    }
    throw failure?.error ?? new VoicebotError('VB_PROVIDER_FAILED', 'the model has written nothing');
  }

  #useStandIn({ standIns }: StartFrame): void {
    noteStandIn(this.timeline, 'language model');
    const [first] = this.#models.all as [AskedModel];
    const model = standInModel(standIns?.callId);
    this.#models = this.#inTurn([{ ...first, options: resolveModelOptions({ ...first.options, model }) }]);
  }

  #inTurn(models: readonly AskedModel[]): ModelsInTurn {
    return new ModelsInTurn(models, {
      ai: () => this.#ai,
      timeline: () => this.timeline,
      tell: (failure) => this.#tell(failure),
    });
  }

  async #takeTurn({ context, turn, contest }: LLMContextFrame): Promise<void> {
    if (turn.dropped.aborted) return;
    noteBeginning(turn, this.timeline);
    const ends = [...(turn.isReleased ? [] : [turn.dropped]), ...(contest ? [contest.lost] : [])];
    const signal = ends.length > 0 ? AbortSignal.any([this.signal, ...ends]) : this.signal;
    const ai = await this.#ai.catch(() => undefined);
    if (!ai) return;
    const check = new AnswerCheck(context.messagesFor(turn));
    let note: string | undefined;
    const { maxSteps } = (this.#models.all[0] as AskedModel).options;
    for (let step = 1; !signal.aborted; step += 1) {
      const mayCall = step < maxSteps;
      const answer = await this.#answer({ ai, context, turn, mayCall, note, contest, signal });
      if (signal.aborted || !answer) return;
      const { response, calls, hasSpoken } = answer;
      if (response && calls.length === 0) return;
      if (!response) {
        const cure = check.onSilence();
        if (cure === 'own_sentence') contest?.wins();
        if (cure === 'own_sentence') await this.#say('not_understood', context, turn, signal);
        if (cure !== 'ask_again') return;
        note = SPEAK_UP;
        continue;
      }
      note = undefined;
      if (hasSpoken) check.announced();
      if (!(await isWanted(turn, signal))) return;
      context.addToolCalls(response, calls);
      if (!(await this.#functions.run({ context, turn, calls, hasSpoken, check, signal }))) return;
    }
  }

  /**
   * Asks until there is a whole answer; without a response when the model has ended with no words and no function.
   * @returns nothing when there is none, and the error has been told; or when the rest of one that broke off has come to nothing
   */
  async #answer(step: Step): Promise<ModelAnswer | undefined> {
    const { signal, context, turn } = step;
    let failures = 0;
    let isShortened = false;
    let hasBegun = false;
    for (let tries = 0; ; tries += 1) {
      const answer = await this.#ask(step);
      if (signal.aborted) return undefined;
      if (!answer.failed) {
        this.#refusals = 0;
        const hasNothingToAdd = hasBegun && !answer.response; // what broke off was whole
        return hasNothingToAdd ? undefined : answer;
      }
      const { failure, wasSlow } = answer.failed;
      if (!turn.isReleased && !answer.response && !failure.refusal) {
        if (!failure.error.isFinal) this.#tell(failure);
        turn.drop(); // asked again when the caller has finished
      }
      if (!(await isWanted(turn, signal))) return undefined;
      hasBegun ||= answer.response !== undefined;
      if (failure.refusal === 'too_long' && !isShortened && context.forgetOlderHalf(turn)) {
        isShortened = true;
        this.#tell(failure);
        continue;
      }
      if (failure.refusal) return this.#refused(failure, step);
      failures += wasSlow || answer.response ? 2 : 1;
      const isFinal = !failure.isPassing || failures >= PATIENCE + 2 * (this.#models.all.length - 1);
      this.#tell(isFinal ? { ...failure, error: failure.error.asFinal() } : failure);
      if (isFinal) return undefined;
      if (!answer.response)
        await wait(RETRY_DELAYS_MS[tries] ?? RETRY_DELAYS_MS.at(-1), undefined, { signal }).catch(() => {});
      if (signal.aborted) return undefined;
    }
  }

  /** What was asked is given up, and the conversation goes on without it; or not, when nothing is taken any more. */
  async #refused(failure: ModelFailure, { context, turn, contest, signal }: Step): Promise<undefined> {
    contest?.wins();
    if (signal.aborted) return;
    this.#refusals += 1;
    const isFinal = this.#refusals >= MOST_REFUSALS;
    this.#tell(isFinal ? { ...failure, error: failure.error.asFinal() } : failure);
    if (isFinal) return;
    context.forgetQuestion();
    await this.#say('cannot_answer', context, turn, signal);
  }

  /** The bot's own answer, where the model has none. */
  async #say(which: OwnSentence, { language }: LLMContext, turn: Turn, signal: AbortSignal): Promise<void> {
    if ((await isWanted(turn, signal)) && !signal.aborted) this.push(new TTSSpeakFrame(ownSentence(which, language)));
  }

  /** One request. What came before a failure has been said: the next request shows the model that. */
  async #ask(step: Step): Promise<ModelAnswer> {
    const { ai, context, turn, signal } = step;
    const answer: ModelAnswer = { calls: [], hasSpoken: false };
    const begin = () => {
      if (answer.response) return answer.response;
      const response = context.beginResponse(turn);
      answer.response = response;
      this.push(new LLMResponseStartFrame(response));
      return response;
    };
    const asked = this.timeline && (await this.#fingerprints.of(ai, context.messagesFor(turn), context.tools));
    if (turn.dropped.aborted) this.#fingerprints.forget();
    if (asked) turn.dropped.addEventListener('abort', () => this.#fingerprints.forget(), { once: true });
    const parts = this.#models.answer(turn, signal, (model, { isFirst, ...how }) =>
      this.#parts({ ...step, ...how }, model, isFirst ? asked : undefined),
    );
    for await (const part of parts) {
      if (part.type === 'call' || part.type === 'text') step.contest?.wins();
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
    if (signal.aborted || !(answer.response || (answer.calls.length > 0 && !answer.failed))) return answer;
    const response = begin();
    if (!answer.failed) context.finishResponse(response);
    this.push(new LLMResponseEndFrame(response));
    return answer;
  }

  /** What one model answers. */
  async *#parts(step: Step, model: AskedModel, asked: AskedWith | undefined): AsyncGenerator<ModelPart, void> {
    const request = { ...step, options: model.options, metadata: this.#metadata };
    const notes = new ModelNotes(notesOf(step.turn, this.timeline), step.turn, model.options.model, asked);
    const tags = new ThinkTags(model.thinksFirst);
    try {
      yield* spokenParts(notes.of(askModel(request)), tags);
    } finally {
      model.thinksFirst ||= tags.hasLackedBegin;
    }
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
