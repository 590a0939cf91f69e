import type { CallTimeline } from '../../../call/timeline.js';
import type { ServiceUsage } from '../../../call/usage.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import type { Turn } from '../../pipeline/frames/index.js';
import { vendorOf } from '../model-vendor.js';
import type { AskedWith } from './asked-with.js';
import type { LanguageModel } from './language-model.js';
import type { ModelPart } from './model-request.js';

/** Characters of a token, about: vendors tell no usage of an answer that is broken off, and charge it. */
const TOKEN_CHARACTERS = 4;

/** Notes a request to the model in the call's timeline: when it begins, and what came of it. */
export class ModelNotes {
  static #count = 0;

  constructor(
    private readonly timeline: CallTimeline | undefined,
    private readonly turn: Turn,
    private readonly model: LanguageModel,
    /** Where it is another one than at the request before. */
    private readonly asked?: AskedWith,
    /** What it is asked about: missing for a model that costs nothing. */
    private readonly context?: Pick<LLMContext, 'messagesFor'>,
  ) {}

  /** The parts of the answer as they are. */
  async *of(parts: AsyncGenerator<ModelPart, void>): AsyncGenerator<ModelPart, void> {
    const { timeline, turn, model, asked } = this;
    if (!timeline) return yield* parts;
    ModelNotes.#count += 1;
    const response = ModelNotes.#count;
    const of = { turn: turn.id, response };
    const begunAt = performance.now();
    let firstTokenMs: number | undefined;
    let written = 0;
    let isToldOf = false;
    let end: Partial<Omit<Finished, 'cachedTokens' | 'cacheWriteTokens'>> & { error?: string; errorType?: string } = {};
    timeline.note({ type: 'model_asked', ...of, model: model.modelId, provider: vendorOf(model).name, ...asked });
    try {
      for await (const part of this.#asStep(parts, response)) {
        if (part.type === 'finished') {
          const { cachedTokens, cacheWriteTokens, ...finished } = part;
          end = finished;
          isToldOf = this.#use(part);
        } else if (part.type === 'failed') end = failureOf(part);
        else firstTokenMs ??= performance.now() - begunAt;
        if (part.type === 'text') written += part.text.length;
        yield part;
      }
    } finally {
      const isBrokenOff = !isToldOf && (end.error === undefined || written > 0);
      if (isBrokenOff) this.#estimate(written);
      const { type: _, ...outcome } = end;
      timeline.note({ type: 'model_answered', ...of, ms: performance.now() - begunAt, firstTokenMs, ...outcome });
    }
  }

  /** @returns whether the vendor has told what it charges */
  #use({ inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 }: Finished): boolean {
    if (inputTokens === undefined && outputTokens === undefined) return false;
    this.#noteUsage({
      input_token: Math.max(0, (inputTokens ?? 0) - cachedTokens - cacheWriteTokens),
      cached_input_token: cachedTokens,
      cache_write_token: cacheWriteTokens,
      output_token: outputTokens ?? 0,
    });
    return true;
  }

  #estimate(written: number): void {
    const { context } = this;
    if (!context) return;
    const asked = JSON.stringify(context.messagesFor(this.turn)).length;
    const [input_token, output_token] = [asked, written].map((length) => Math.ceil(length / TOKEN_CHARACTERS));
    this.#noteUsage({ input_token, output_token }, true);
  }

  #noteUsage(units: ServiceUsage['units'], isEstimated?: true): void {
    const { name: provider } = vendorOf(this.model);
    const of = { does: 'language_model', provider, model: this.model.modelId } as const;
    this.timeline?.note({ type: 'usage', used: [{ ...of, units, ...(isEstimated && { isEstimated }) }] });
  }

  /** Whatever the generator does belongs to the request. */
  #asStep(parts: AsyncGenerator<ModelPart, void>, response: number): AsyncIterable<ModelPart, void> {
    const next = () => this.timeline?.during({ response }, () => parts.next()) ?? parts.next();
    return { [Symbol.asyncIterator]: () => ({ next, return: () => parts.return() }) };
  }
}

type Finished = Extract<ModelPart, { type: 'finished' }>;

const failureOf = ({ failure: { error } }: Extract<ModelPart, { type: 'failed' }>) => ({
  error: error.message,
  errorType: error.code,
});
