import { RESAMPLED_RATES } from '../../../base/audio/resampler.js';
import { VoicebotError } from '../../../base/errors.js';
import { type OptionNames, refuseProblems, unknownOptions } from '../../../base/names/option-names.js';
import { rangeProblems } from '../../../base/names/option-ranges.js';
import { subtag } from '../../pipeline/language.js';
import { contractProblem } from '../ai-contract.js';
import { askingFailure, plainReason } from '../ai-failure.js';
import { withoutNetwork } from '../ai-web-socket.js';
import { type AiModel, describeModel, doesStream, kindProblem } from '../model-kind.js';
import { accountOf, vendorNameOf } from '../model-vendor.js';
import type { VendorAccount } from '../vendor.js';
import type { VendorSocketOptions } from '../vendor-socket.js';
import { AiEarSocket } from './ai-ear-socket.js';
import { type EarVendor, earVendorOf, type VendorSettings } from './ai-ear-vendors.js';
import type { AudioFormat, SttDialect, SttResult } from './stt-dialect.js';
import { STT_OPTIONS, type SttServiceOptions } from './stt-service.js';
import { mediaFormat, type StreamingEarModel } from './transcript-stream.js';

/** A transcription model of the `ai` package as ears, and what it is to understand. */
export interface AiEarsOptions extends SttServiceOptions {
  /** One that streams, such as `elevenLabs.transcription('scribe_v2_realtime')`. */
  model: AiModel;
  /** Language code of the vendor, such as `en`. Default: the conversation's language, else the vendor finds out. */
  language?: string | undefined;
  /** Names and terms to listen for, where the vendor takes them. */
  keyterms?: readonly string[] | undefined;
  /** Silence after which an utterance is taken for finished, in milliseconds, 100 to 5000. Default 300. */
  endpointingMs?: number | undefined;
  /** What the vendor is sent. Default: what it takes, best mu-law of 8000 Hz on the telephone, else 16 bits, resampled where it must be. */
  inputAudioFormat?: { readonly type: 'audio/pcm' | 'audio/pcmu'; readonly rate: number } | undefined;
  /** Settings of a vendor's own, such as `{ elevenlabs: { streaming: { vadThreshold: 0.5 } } }`. */
  providerOptions?: Readonly<Record<string, VendorSettings>> | undefined;
}

const OPTIONS: OptionNames<AiEarsOptions> = {
  ...STT_OPTIONS,
  model: true,
  language: true,
  keyterms: true,
  endpointingMs: true,
  inputAudioFormat: true,
  providerOptions: true,
};

const EXAMPLE = "elevenLabs.transcription('scribe_v2_realtime')";
/** Rates that the audio of a bot may have, in hertz. */
const PIPELINE_RATES = [8_000, 16_000];
/** Rates that a vendor is asked for which has not the rate of the audio, in hertz. */
const OTHER_RATES = [16_000, 24_000];

/** Words of a whole utterance come when it ends, after twenty seconds at most, and some seconds later: in milliseconds. */
const UTTERANCE_BACKLOG_MS = 30_000;

const OFFERED = `audio/pcmu at 8000 Hz, or audio/pcm at ${RESAMPLED_RATES.join(', ')} Hz`;

const isOffered = ({ type, rate }: NonNullable<AiEarsOptions['inputAudioFormat']>) =>
  type === 'audio/pcmu' ? rate === 8_000 : type === 'audio/pcm' && RESAMPLED_RATES.includes(rate);

/** @returns a sentence for each thing that is wrong, but for what only the model can tell */
export function aiEarsProblems(options: AiEarsOptions, name = 'stt'): string[] {
  const { model, keyterms = [], endpointingMs, inputAudioFormat, language } = options;
  const wrongKind = kindProblem(name, model, 'transcription', EXAMPLE);
  if (wrongKind) return [wrongKind];
  const problems = unknownOptions(options, OPTIONS);
  const contract = contractProblem(name, model);
  if (contract) problems.push(contract);
  else if (!doesStream(model)) problems.push(cannotStream(model, recordingsOnly(model)));
  problems.push(...rangeProblems({ endpointingMs: [endpointingMs, 100, 5_000] }));
  if (language?.trim() === '') problems.push('language must not be empty');
  if (keyterms.length > 0 && !earVendorOf(model).takesKeyterms) {
    problems.push(`keyterms are not taken by ${describeModel(model)}: leave them out`);
  }
  if (inputAudioFormat && !isOffered(inputAudioFormat)) {
    const { type, rate } = inputAudioFormat;
    problems.push(`inputAudioFormat must be ${OFFERED}, got ${type} at ${rate} Hz`);
  }
  return problems;
}

/** A transcription model in the place of a vendor's own wire. It is shared by all calls of a bot. */
export class AiEarDialect implements SttDialect {
  readonly account: VendorAccount;
  readonly model: string;
  /** What it was told to understand. */
  readonly language: string | undefined;
  readonly backlogMs?: number;
  readonly #options: AiEarsOptions;
  readonly #model: StreamingEarModel;
  readonly #vendor: EarVendor;
  readonly #settings: Readonly<Record<string, VendorSettings>>;
  readonly #endsAfterMs: number | undefined;
  readonly #asked: AudioFormat | undefined;
  /** What the model takes, by the rate of the audio, once it was asked. */
  #formats: ReadonlyMap<number, AudioFormat> = new Map();

  /** @throws VoicebotError VB_CONFIG_INVALID naming every option that is wrong or not known */
  constructor(options: AiEarsOptions) {
    refuseProblems(aiEarsProblems(options));
    const { model, language, keyterms = [], endpointingMs = 300, inputAudioFormat, providerOptions = {} } = options;
    this.#options = options;
    this.language = language;
    this.account = accountOf(model);
    this.model = model.modelId;
    this.#model = model as StreamingEarModel;
    this.#vendor = earVendorOf(model);
    const { settingsName, endsByUs } = this.#vendor;
    const settings = this.#vendor.settings({ language, keyterms, endpointingMs });
    this.#settings = { ...providerOptions, [settingsName]: merged(settings, providerOptions[settingsName]) };
    this.#endsAfterMs = endsByUs ? endpointingMs : undefined;
    if (endsByUs) this.backlogMs = UTTERANCE_BACKLOG_MS;
    this.#asked = inputAudioFormat && {
      encoding: inputAudioFormat.type === 'audio/pcmu' ? 'PCMU' : 'L16',
      sampleRate: inputAudioFormat.rate,
    };
  }

  /** The same for another language, unless it was given one. @param language BCP 47 */
  inLanguage(language: string): AiEarDialect {
    if (this.language !== undefined) return this;
    const other = new AiEarDialect({ ...this.#options, language: subtag(language) });
    other.#formats = this.#formats;
    return other;
  }

  format(sampleRate: number): AudioFormat {
    return this.#formats.get(sampleRate) ?? this.#asked ?? this.#vendor.format(sampleRate);
  }

  request() {
    return { path: '', headers: {} };
  }

  connect(format: AudioFormat, { signal, limitMs, attach = () => {} }: VendorSocketOptions): Promise<unknown> {
    const endsAfterMs = this.#endsAfterMs;
    const [model, account, settings] = [this.#model, this.account, this.#settings];
    return AiEarSocket.connect({ model, account, format, settings, endsAfterMs, limitMs }, signal, attach);
  }

  parse(message: string): SttResult {
    return JSON.parse(message);
  }

  /**
   * Asks the model which audio it takes, without a network.
   * @throws VoicebotError VB_CONFIG_INVALID when it takes none of ours, cannot stream or has no key
   */
  async load(): Promise<void> {
    const formats = PIPELINE_RATES.map(async (rate) => [rate, await this.#negotiate(rate)] as const);
    this.#formats = new Map(await Promise.all(formats));
  }

  async #negotiate(rate: number): Promise<AudioFormat> {
    const others = [rate, ...OTHER_RATES].map((sampleRate) => ({ encoding: 'L16' as const, sampleRate }));
    const formats = this.#asked ? [this.#asked] : [this.#vendor.format(rate), ...others];
    let failure: unknown;
    for (const format of formats) {
      try {
        await this.#tryOut(format);
        return format;
      } catch (error) {
        failure ??= error;
      }
    }
    throw refusal(this.#model, failure, this.#asked);
  }

  /** What it does not take it refuses before it connects. */
  async #tryOut(format: AudioFormat): Promise<void> {
    const audio = new ReadableStream<Uint8Array>();
    const { stream } = await withoutNetwork(this.#model).doStream({
      audio,
      inputAudioFormat: mediaFormat(format),
      providerOptions: this.#settings as never,
      abortSignal: AbortSignal.abort(),
    });
    await stream.cancel().catch(() => {});
  }
}

function refusal(model: AiModel, thrown: unknown, asked: AudioFormat | undefined): VoicebotError {
  const { name, message, argument } = thrown as Error & { argument?: string };
  const why = plainReason(message);
  if (argument === 'inputAudioFormat') {
    const hint = asked ? 'leave inputAudioFormat out: the rate is converted' : 'give inputAudioFormat what it takes';
    return new VoicebotError('VB_CONFIG_INVALID', `stt: ${describeModel(model)} does not take this audio: ${why}`, {
      hint,
    });
  }
  if (name === 'AI_UnsupportedFunctionalityError' || argument === 'modelId') {
    return new VoicebotError('VB_CONFIG_INVALID', cannotStream(model, why), { hint: `such as stt: ${EXAMPLE}` });
  }
  return askingFailure('stt', model, thrown as Error);
}

const recordingsOnly = (model: AiModel) =>
  `it writes down recordings only${vendorNameOf(model) === 'deepgram' ? '; the ears of Deepgram are deepgram() of voicebot' : ''}`;

const cannotStream = (model: AiModel, why: string) =>
  `stt needs a model that streams, such as ${EXAMPLE}; ${describeModel(model)} does not: ${why}`;

/** The settings that voicebot makes, and above them those of the project. */
function merged(ours: VendorSettings, theirs: VendorSettings = {}): VendorSettings {
  const nested = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  const both = Object.keys(ours).filter((name) => name in theirs && Object.keys(nested(ours[name])).length > 0);
  const deep = both.map((name) => [name, { ...nested(ours[name]), ...nested(theirs[name]) }] as const);
  return { ...ours, ...theirs, ...Object.fromEntries(deep) };
}
