import type { CallTimeline } from '../../../call/timeline.js';
import type { Turn } from '../../pipeline/frames/index.js';
import { vendorOf } from '../model-vendor.js';
import type { AskedWith } from './asked-with.js';
import type { LanguageModel } from './language-model.js';
import type { ModelPart } from './model-request.js';

/** Notes a request to the model in the call's timeline: when it begins, and what came of it. */
export class ModelNotes {
  static #count = 0;

  constructor(
    private readonly timeline: CallTimeline | undefined,
    private readonly turn: Turn,
    private readonly model: LanguageModel,
    /** Where it is another one than at the request before. */
    private readonly asked?: AskedWith,
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
    let end: Partial<Extract<ModelPart, { type: 'finished' }>> & { error?: string; errorType?: string } = {};
    timeline.note({ type: 'model_asked', ...of, model: model.modelId, provider: vendorOf(model).name, ...asked });
    try {
      for await (const part of this.#asStep(parts, response)) {
        if (part.type === 'finished') end = part;
        else if (part.type === 'failed') end = failureOf(part);
        else firstTokenMs ??= performance.now() - begunAt;
        yield part;
      }
    } finally {
      const { type: _, ...outcome } = end;
      timeline.note({ type: 'model_answered', ...of, ms: performance.now() - begunAt, firstTokenMs, ...outcome });
    }
  }

  /** Whatever the generator does belongs to the request. */
  #asStep(parts: AsyncGenerator<ModelPart, void>, response: number): AsyncIterable<ModelPart, void> {
    const next = () => this.timeline?.during({ response }, () => parts.next()) ?? parts.next();
    return { [Symbol.asyncIterator]: () => ({ next, return: () => parts.return() }) };
  }
}

const failureOf = ({ failure: { error } }: Extract<ModelPart, { type: 'failed' }>) => ({
  error: error.message,
  errorType: error.code,
});
