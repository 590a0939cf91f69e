import { createOpenAI } from '@ai-sdk/openai';
import type { ProviderError } from '../../../../src/base/provider-error.js';
import { LLMContext, type LLMContextOptions } from '../../../../src/bot/conversation/llm-context.js';
import { type AnswerContest, LLMContextFrame } from '../../../../src/bot/conversation/llm-context-frame.js';
import {
  ErrorFrame,
  InterruptionFrame,
  LLMTextFrame,
  StartFrame,
  Turn,
} from '../../../../src/bot/pipeline/frames/index.js';
import { LLMService, type LLMServiceOptions } from '../../../../src/bot/services/llm/index.js';
import type { ModelChoice } from '../../../../src/bot/services/llm/model-choice.js';
import type { CallTimeline } from '../../../../src/call/timeline.js';
import type { FakeLanguageModel } from '../../../../src/lab/kit/index.js';
import { Recorder } from '../../pipeline/recorder.js';

/** A service that asks a fake model, between two recorders. */
export class LLMRig {
  readonly before = new Recorder();
  readonly after = new Recorder();
  readonly service: LLMService;
  readonly context: LLMContext;
  #turns = 0;

  constructor(
    fake: Pick<FakeLanguageModel, 'url'>,
    {
      options,
      models,
      timeline,
      ...context
    }: LLMContextOptions & {
      options?: Partial<LLMServiceOptions>;
      models?: readonly ModelChoice[];
      timeline?: CallTimeline;
    } = {},
  ) {
    const model = createOpenAI({ baseURL: fake.url, apiKey: 'the-key' }).chat('fake');
    this.service = new LLMService(models ?? { model, ...options });
    this.before.link(this.service);
    this.service.link(this.after);
    const start = new StartFrame(8_000, 8_000);
    start.timeline = timeline;
    this.before.receive(start, 'downstream');
    this.context = new LLMContext({ messages: [{ role: 'user', content: 'Hello?' }], ...context });
  }

  /** Asks for an answer. Resolves when the service has nothing more to do for it. @param contest with another model */
  ask(contest?: AnswerContest): Promise<void> {
    this.#turns += 1;
    const asked = new LLMContextFrame(this.context, new Turn(this.#turns));
    asked.contest = contest;
    const done = this.service.process(asked, 'downstream');
    return done ?? Promise.resolve();
  }

  interrupt(): void {
    this.before.receive(new InterruptionFrame(), 'downstream');
  }

  get text(): string {
    return this.after
      .of(LLMTextFrame)
      .map(({ text }) => text)
      .join('');
  }

  get errors(): ProviderError[] {
    return this.after.of(ErrorFrame).map(({ error }) => error as ProviderError);
  }

  /** Names of what was pushed downstream, in order. */
  get pushed(): string[] {
    return this.after.seen.map(({ frame }) => frame.constructor.name).filter((name) => name !== 'StartFrame');
  }
}

/** Resolves when `condition` holds. @throws Error when it has not within five seconds */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${condition}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
