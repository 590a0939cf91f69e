import type { ServiceModel } from '../../../call/service-name.js';
import type { ServiceUsage, UnitCounts } from '../../../call/usage.js';
import { ownerOf, vendorOf } from '../model-vendor.js';
import type { ResolvedLiveOptions } from './live-options.js';
import { OPENAI_EARS } from './manners.js';
import type { LiveServerEvent } from './realtime-model.js';

/** Time of a session is told after so much of it, in milliseconds: what a bot that is killed has not told is lost. */
const TELL_TIME_MS = 5_000;

/** As the packages of the vendors tell it, summed up by kinds. */
type VendorUsage = NonNullable<Extract<LiveServerEvent, { type: 'response-done' }>['usage']>;

/**
 * What sessions with one model are charged for: tokens, as the vendor tells them of each answer, and the time that they last, by which
 * others are paid. What is heard of the caller in writing is a service of its own.
 */
export class LiveUsage {
  readonly #by: ServiceModel;
  /** The model that writes down what the caller says, where it is known. */
  readonly #ears: string | undefined;
  /** Since when there is a session; monotonic, in milliseconds. */
  #openedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Seconds of it that have been counted. */
  #countedSeconds = 0;
  /** Told outside an answer, where the last of an answer counts. */
  #pending: VendorUsage | undefined;
  /** An answer is over whose usage has not been told. */
  #awaitsUsage = false;

  constructor(
    { model, transcription }: Pick<ResolvedLiveOptions, 'model' | 'transcription'>,
    private readonly tell: (usage: ServiceUsage) => void,
    private readonly now = () => performance.now(),
  ) {
    this.#by = { provider: vendorOf(model).name, model: model.modelId };
    this.#ears = transcription?.model ?? (ownerOf(model.provider) === 'openai' ? OPENAI_EARS : undefined);
  }

  /** There is a session, in the place of the one before. */
  opened(): void {
    this.ended();
    const openedAt = this.now();
    this.#openedAt = openedAt;
    this.#timer = setInterval(() => this.#lasted((this.now() - openedAt) / 1_000), TELL_TIME_MS).unref();
  }

  /** There is none any more. Safe at any time, and twice. */
  ended(): void {
    this.#settle();
    clearInterval(this.#timer);
    if (this.#openedAt === undefined) return;
    this.#lasted((this.now() - this.#openedAt) / 1_000);
    this.#openedAt = undefined;
    this.#countedSeconds = 0;
  }

  see(event: LiveServerEvent): void {
    const usage = 'usage' in event ? event.usage : undefined;
    if (event.type === 'response-done') this.#answered(usage);
    else if (!usage) return;
    else if (event.type === 'input-transcription-completed') this.#heard(usage);
    else if (event.type === 'session-usage' || event.type === 'session-closed') this.#lasted(usage.seconds ?? 0);
    else if (event.type === 'custom') this.#update(usage);
  }

  #answered(usage: VendorUsage | undefined): void {
    this.#awaitsUsage = usage === undefined && this.#pending === undefined;
    if (usage) this.#pending = usage;
    this.#settle();
  }

  /** More than once within an answer: each takes the place of the one before. */
  #update(usage: VendorUsage): void {
    this.#pending = usage;
    if (this.#awaitsUsage) this.#settle();
  }

  #settle(): void {
    if (this.#pending) this.#used(unitsOf(this.#pending));
    if (this.#pending) this.#awaitsUsage = false;
    this.#pending = undefined;
  }

  /** From the beginning of the session, by the vendor's count or by our clock: the greater of them counts. */
  #lasted(seconds: number): void {
    const more = seconds - this.#countedSeconds;
    if (more <= 0) return;
    this.#countedSeconds = seconds;
    this.#used({ second: more });
  }

  #heard(usage: VendorUsage): void {
    const { provider } = this.#by;
    const units = usage.seconds === undefined ? unitsOf(usage) : { second: usage.seconds };
    this.tell({ does: 'speech_to_text', provider, model: this.#ears, units });
  }

  #used(units: UnitCounts): void {
    this.tell({ does: 'live', ...this.#by, units });
  }
}

/** By kind. Tokens that belong to none are those of text; cached ones of which the kind is not told, too. */
function unitsOf(usage: VendorUsage): UnitCounts {
  const { inputTokens = 0, outputTokens = 0, inputAudioTokens = 0, inputTextTokens = 0 } = usage;
  const { outputAudioTokens = 0, outputTextTokens = 0, cachedInputAudioTokens = 0, cachedInputTokens = 0 } = usage;
  const cachedText = usage.cachedInputTextTokens ?? Math.max(0, cachedInputTokens - cachedInputAudioTokens);
  const input = Math.max(inputTokens, inputTextTokens + inputAudioTokens);
  const output = Math.max(outputTokens, outputTextTokens + outputAudioTokens);
  return {
    input_token: Math.max(0, input - inputAudioTokens - cachedText),
    cached_input_token: cachedText,
    output_token: output - outputAudioTokens,
    input_audio_token: Math.max(0, inputAudioTokens - cachedInputAudioTokens),
    cached_input_audio_token: cachedInputAudioTokens,
    output_audio_token: outputAudioTokens,
  };
}
