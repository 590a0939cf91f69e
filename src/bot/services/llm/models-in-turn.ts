import { deferred } from '../../../base/async/deferred.js';
import { afterRunning } from '../../../base/async/running-time.js';
import type { ProviderError } from '../../../base/provider-error.js';
import type { ServiceName } from '../../../call/service-name.js';
import type { CallTimeline } from '../../../call/timeline.js';
import type { Turn } from '../../pipeline/frames/index.js';
import { modelOf } from '../listed-names.js';
import { type ServiceHealth, sharedHealth } from '../service-health.js';
import { UsualTimes } from '../usual-times.js';
import type { AiPackage } from './ai-package.js';
import type { AskedModel } from './model-choice.js';
import { type ModelFailure, modelFailure } from './model-error.js';
import { probeModel } from './model-probe.js';
import type { ModelPart } from './model-request.js';

/** How long a model may take before the next is asked, too, in milliseconds; and how much longer than it usually takes. */
const [HEDGE_MS, HEDGE_SHARE] = [600, 1.5];
/** A model that another one was quicker than so often, one time after the other, and that brought nothing, does not work. */
const MOST_LATE = 2;

/** A model that may be followed by another pauses no shorter in the middle of its answer before it is, in milliseconds. */
const STALL_MS = 700;

type FailedPart = Extract<ModelPart, { type: 'failed' }>;

/** What a failure or a late model means for the others of its list. */
export interface ModelsInTurnDeps {
  ai(): Promise<AiPackage>;
  timeline(): CallTimeline | undefined;
  /** A model has failed, and another one goes on. */
  tell(failure: ModelFailure): void;
}

/** How one model of several is asked. */
export interface AskedHow {
  readonly signal: AbortSignal;
  /** How long it may pause in the middle of its answer before another goes on with it, in milliseconds. Default: as without others. */
  readonly stallMs?: number;
  readonly isFirst: boolean;
}

/** One model that was asked, and what it brings next. */
interface PendingModel {
  readonly model: AskedModel;
  readonly parts: AsyncGenerator<ModelPart, void>;
  readonly abort: AbortController;
  readonly askedAt: number;
  /** How many were asked before it. */
  readonly place: number;
  readonly next: Promise<IteratorResult<ModelPart, void>>;
  /** It has ended with no words and no function. */
  readonly end?: ModelPart;
}

/** Which model another one stands in for, and why. */
interface Trouble {
  readonly asked: PendingModel;
  readonly error: ProviderError;
}

/** How long models of this process take to their first word; and how often each was late, one time after the other. */
const usual = new UsualTimes();
const late = new Map<string, number>();

/**
 * The models of one bot, in the order in which they are asked: those that work first. One that has failed is followed by the next at once,
 * one that takes too long is joined by it. Who brings a word or a function first is kept, and the others are broken off.
 */
export class ModelsInTurn {
  constructor(
    readonly all: readonly AskedModel[],
    private readonly deps: ModelsInTurnDeps,
    private readonly health: ServiceHealth = sharedHealth,
  ) {
    if (all.length < 2) return;
    for (const { name, options } of all) {
      health.probeWith(name, async () => {
        await probeModel(await deps.ai(), options);
        late.delete(keyOf(name));
      });
    }
  }

  /**
   * The parts of one answer. A failure is its last part: of all models, or of the one that has begun to answer.
   * @param ask asks one of them; nothing comes of it once the signal is aborted
   */
  async *answer(
    turn: Turn,
    signal: AbortSignal,
    ask: (model: AskedModel, how: AskedHow) => AsyncGenerator<ModelPart, void>,
  ): AsyncGenerator<ModelPart, void> {
    const [only] = this.all;
    if (this.all.length === 1 && only) return yield* this.#alone(only, ask(only, { signal, isFirst: true }));
    const waiting = [...this.health.inOrder(this.all, ({ name }) => name)];
    const running = new Set<PendingModel>();
    const failures: FailedPart[] = [];
    let silence: ModelPart | undefined;
    const troubles: Trouble[] = [];
    let hedge = alarm();
    const begunAt = performance.now();
    const askNext = () => {
      hedge.cancel();
      const model = waiting.shift();
      hedge = alarm(model && waiting.length > 0 ? hedgeMs(model) : undefined);
      if (!model) return;
      const abort = new AbortController();
      const place = this.all.length - waiting.length - 1;
      const isLast = waiting.length + running.size === 0;
      const parts = ask(model, {
        signal: AbortSignal.any([signal, abort.signal]),
        ...(!isLast && { stallMs: stallMs(model) }),
        isFirst: place === 0,
      });
      running.add({ model, parts, abort, askedAt: performance.now(), place, next: parts.next() });
    };
    askNext();
    try {
      while (running.size > 0) {
        const came = await Promise.race([...[...running].map(nextOf), hedge.promise]);
        if (signal.aborted) return;
        if (!came) {
          askNext();
          continue;
        }
        const { asked, part } = came;
        running.delete(asked);
        if (part?.type === 'failed') {
          failures.push(part);
          troubles.push({ asked, error: part.failure.error });
          this.#failed(asked.model, part.failure);
          await asked.parts.return();
          if (waiting.length + running.size > 0)
            this.deps.tell({ ...part.failure, error: part.failure.error.asPassing() });
          askNext();
        } else if (part?.type === 'finished') running.add({ ...asked, end: part, next: asked.parts.next() });
        else if (part) {
          hedge.cancel();
          for (const { abort } of running) abort.abort();
          const isBefore = ({ place }: PendingModel) => place < asked.place;
          troubles.push(...this.#lateOnes([...running].filter(isBefore)));
          const trouble = troubles.find((one) => isBefore(one.asked));
          this.#works(asked);
          if (trouble) this.#noteSwitch(trouble, asked.model, turn, performance.now() - begunAt);
          yield part;
          return yield* this.#rest(asked);
        } else silence ??= asked.end;
      }
      if (silence) yield silence;
      else if (failures.length > 0) yield worstOf(failures);
    } finally {
      hedge.cancel();
      for (const { abort } of running) abort.abort();
    }
  }

  /** Without others, what comes of it is told all the same. */
  async *#alone(model: AskedModel, parts: AsyncGenerator<ModelPart, void>): AsyncGenerator<ModelPart, void> {
    for await (const part of parts) {
      if (part.type === 'failed') this.#failed(model, part.failure);
      else if (part.type !== 'finished') this.health.works(model.name);
      yield part;
    }
  }

  async *#rest({ model, parts }: PendingModel): AsyncGenerator<ModelPart, void> {
    for await (const part of parts) {
      if (part.type === 'failed') this.#failed(model, part.failure);
      yield part;
    }
  }

  /** Notes a failure for all calls of the process, unless it is of this one request. */
  #failed({ name }: AskedModel, { error, refusal }: ModelFailure): void {
    if (!refusal) this.health.failed(name, error, undefined, error.retryAfterMs);
  }

  #works({ model: { name }, askedAt }: PendingModel): void {
    late.delete(keyOf(name));
    usual.took(keyOf(name), performance.now() - askedAt);
    this.health.works(name);
  }

  /** Another one has answered before them. */
  #lateOnes(ones: readonly PendingModel[]): Trouble[] {
    return ones.map((asked) => {
      const { model, askedAt } = asked;
      const key = keyOf(model.name);
      const times = (late.get(key) ?? 0) + 1;
      late.set(key, times);
      const failure = modelFailure(
        model.options.model,
        `no answer within ${Math.round(performance.now() - askedAt)} ms`,
      );
      if (times >= MOST_LATE) this.#failed(model, failure);
      return { asked, error: failure.error };
    });
  }

  #noteSwitch({ asked, error }: Trouble, { name: to }: AskedModel, turn: Turn, ms: number): void {
    this.deps.timeline()?.note({
      type: 'service_switched',
      does: 'language_model',
      from: modelOf(asked.model.name),
      to: modelOf(to),
      why: error.message,
      ms: Math.round(ms),
      turn: turn.id,
      errorType: error.code,
    });
  }
}

function hedgeMs({ name, options: { hedgeAfterMs } }: AskedModel): number {
  return hedgeAfterMs ?? Math.max(HEDGE_MS, HEDGE_SHARE * (usual.of(keyOf(name)) ?? 0));
}

/** As long as another is waited for, but not too short for a pause, and no longer than without others. */
function stallMs(model: AskedModel): number {
  return Math.ceil(Math.min(Math.max(STALL_MS, hedgeMs(model)), model.options.firstTokenTimeoutMs / 2));
}

const keyOf = ({ provider, model, which }: ServiceName) => JSON.stringify([provider, model, which]);

const nextOf = (asked: PendingModel) =>
  asked.next.then(({ value }) => ({ asked, part: value as ModelPart | undefined }));

/** Rings once; without a time never. */
function alarm(ms?: number): { readonly promise: Promise<undefined>; cancel(): void } {
  const { promise, resolve } = deferred<undefined>();
  return { promise, cancel: ms === undefined ? () => {} : afterRunning(ms, () => resolve(undefined)) };
}

/** What is done about several failures is what is done about this one: a refusal of what was said leaves the call going on. */
function worstOf(failures: readonly FailedPart[]): FailedPart {
  const of = (isMeant: (failure: ModelFailure) => boolean) => failures.find(({ failure }) => isMeant(failure));
  const found = of(({ refusal }) => refusal === 'too_long') ?? of(({ refusal }) => refusal !== undefined);
  return found ?? of(({ isPassing }) => isPassing) ?? (failures.at(-1) as FailedPart);
}
