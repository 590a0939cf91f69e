import { VoicebotError } from '../../../base/errors.js';
import { type OptionNames, refuseProblems, textProblems, unknownOptions } from '../../../base/names/option-names.js';
import { rangeProblems } from '../../../base/names/option-ranges.js';
import { ProviderError } from '../../../base/provider-error.js';
import { subtag } from '../../pipeline/language.js';
import { contractProblem } from '../ai-contract.js';
import { aiFailure } from '../ai-failure.js';
import { aiPackage } from '../llm/ai-package.js';
import { type AiModel, describeModel, doesStream, kindProblem } from '../model-kind.js';
import { accountOf, vendorNameOf, vendorOf } from '../model-vendor.js';
import type { VendorAccount } from '../vendor.js';
import { AiVoiceCodec, AiVoiceSocket, type AskForSpeech } from './ai-voice-socket.js';
import { formatProblems, takesLanguage } from './ai-voice-vendors.js';
import { type AskedSpeechModel, askStream, askWhole, type SpeechManner } from './ask-speech-model.js';
import { UnreadableSpeech } from './read-speech.js';
import { SOCKET_VOICE_OPTIONS, SocketVoice, type SocketVoiceOptions, socketVoiceProblems } from './socket-voice.js';
import { tryOutVoice } from './try-out-voice.js';
import type { TtsDialect } from './tts-dialect.js';
import { TtsService } from './tts-service.js';
import { TTS_OPTIONS, type TtsServiceOptions } from './tts-service-options.js';
import type { Voice, VoiceListener } from './voice.js';

/** A speech model of the `ai` package as the voice, and how it speaks. */
export interface AiVoiceOptions extends TtsServiceOptions, SocketVoiceOptions {
  /** Such as `openai.speech('gpt-4o-mini-tts')`. One that does not stream is asked for each sentence by itself. */
  model: AiModel;
  /** Name or identifier of the voice. Default: the vendor's. */
  voice?: string | undefined;
  /** How fast, 0.25 to 4; not every vendor takes it. Default: the vendor's. */
  speed?: number | undefined;
  /** Of the text, a code of two letters such as `en`. Default: the conversation's language where the vendor is told one, else the model finds out. */
  language?: string | undefined;
  /** How it is to speak, such as `in a calm voice`; not every vendor takes it. */
  instructions?: string | undefined;
  /** What the vendor is asked for: `wav`, `pcm` or `mulaw`, with a rate behind where it wants that: `pcm_16000`. Default: the best that it gives. */
  outputFormat?: string | undefined;
  /** Settings of a vendor's own, such as `{ elevenlabs: { voiceSettings: { stability: 0.4 } } }`. */
  providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

const OPTIONS: OptionNames<AiVoiceOptions> = {
  ...TTS_OPTIONS,
  ...SOCKET_VOICE_OPTIONS,
  model: true,
  voice: true,
  speed: true,
  language: true,
  instructions: true,
  outputFormat: true,
  providerOptions: true,
};

const EXAMPLE = "openai.speech('gpt-4o-mini-tts')";
/** How long the audio of a whole sentence may take, in milliseconds. */
const WHOLE_PATIENCE_MS = 8_000;
/** When it is due from a model that this process has not heard, in milliseconds. */
const WHOLE_SOUND_MS = 1_200;
const SET_FORMAT = "set outputFormat to one that it gives of wav, pcm and mulaw: tts: { model, outputFormat: 'wav' }";

/** @returns a sentence for each thing that is wrong, but for what only the model can tell */
function aiVoiceProblems(options: AiVoiceOptions, name: string): string[] {
  const { model, speed, outputFormat, voice, language, instructions } = options;
  const wrongKind = kindProblem(name, model, 'speech', EXAMPLE);
  if (wrongKind) return [wrongKind];
  const problems = unknownOptions(options, OPTIONS);
  const contract = contractProblem(name, model);
  if (contract) problems.push(contract);
  problems.push(
    ...rangeProblems({ speed: [speed, 0.25, 4] }),
    ...socketVoiceProblems(options),
    ...textProblems({ voice, language, instructions: instructions || undefined }),
    ...formatProblems(model, outputFormat),
  );
  return problems;
}

/** Speaks with a speech model of the `ai` package. When words are spoken is estimated. */
export class AiTTS extends TtsService {
  readonly #options: AiVoiceOptions;
  readonly #account: VendorAccount;

  /**
   * @param name where the bot gives it
   * @throws VoicebotError VB_CONFIG_INVALID naming every option that is wrong or not known
   */
  constructor(options: AiVoiceOptions, name = 'tts') {
    const { cache, apology } = options;
    super({ cache, apology });
    refuseProblems(aiVoiceProblems(options, name));
    this.#options = options;
    this.#account = accountOf(options.model);
  }

  /**
   * Asks the model what it gives, without a network.
   * @param name where the bot gives it
   * @throws VoicebotError VB_CONFIG_INVALID when that cannot be read or it does not take an option, VB_CREDENTIALS_MISSING without a key
   */
  static async load(options: AiVoiceOptions, name = 'tts'): Promise<void> {
    const { model } = options;
    if (!doesStream(model)) {
      const refusal = await tryOutVoice(name, model as AskedSpeechModel, mannerOf(options), vendorNameOf(model));
      if (refusal) throw refusal;
    } else if (typeof (await aiPackage()).experimental_streamSpeech !== 'function') {
      throw new VoicebotError('VB_CONFIG_INVALID', `${describeModel(model)} needs version 7 of the ai package`, {
        hint: 'npm install ai@7',
      });
    }
  }

  protected override get voiceKey(): string {
    const { model } = this.#options;
    return `${vendorNameOf(model)} ${JSON.stringify([model.provider, model.modelId, mannerOf(this.#options)])}`;
  }

  protected override get model(): string {
    return this.#options.model.modelId;
  }

  protected override get language(): string | undefined {
    return this.#options.language;
  }

  protected override get firstSoundMs(): number | undefined {
    const { model, patienceMs = WHOLE_PATIENCE_MS } = this.#options;
    return doesStream(model) ? undefined : Math.min(patienceMs, WHOLE_SOUND_MS);
  }

  override inLanguage(language: string): AiTTS {
    const { language: own, model } = this.#options;
    return own !== undefined || !takesLanguage(model)
      ? this
      : new AiTTS({ ...this.#options, language: subtag(language) });
  }

  protected override createVoice(sampleRate: number, listener: VoiceListener): Voice {
    const { patienceMs } = this.#options;
    const isWhole = !doesStream(this.#options.model);
    return new SocketVoice(this.#dialect(sampleRate), listener, {
      patienceMs: patienceMs ?? (isWhole ? WHOLE_PATIENCE_MS : undefined),
    });
  }

  #dialect(sampleRate: number): TtsDialect {
    const account = this.#account;
    const ask = this.#ask(sampleRate);
    return {
      account,
      format: { encoding: 'L16', sampleRate },
      path: '',
      headers: {},
      endsWithTexts: true,
      connect: async ({ attach }) => {
        const socket = new AiVoiceSocket(ask, (thrown) => this.#failure(thrown));
        attach?.(socket);
        socket.emit('open');
      },
      codec: () => new AiVoiceCodec(),
    };
  }

  #ask(sampleRate: number): AskForSpeech {
    const model = this.#options.model as AskedSpeechModel;
    const manner = mannerOf(this.#options);
    return doesStream(model)
      ? askStream(aiPackage, model, this.#account, manner, sampleRate)
      : askWhole(model, manner, vendorNameOf(model), sampleRate);
  }

  #failure(thrown: unknown): ProviderError {
    const { model } = this.#options;
    if (!(thrown instanceof UnreadableSpeech)) return aiFailure(model, this.#account, thrown);
    const words = `${describeModel(model)} gave ${thrown.message}, which cannot be read`;
    return new ProviderError(vendorOf(model).name, 'VB_PROVIDER_FAILED', words, { hint: SET_FORMAT, isFinal: true });
  }
}

function mannerOf({ model, language, ...options }: AiVoiceOptions): SpeechManner {
  const { voice, speed, instructions, outputFormat, providerOptions } = options;
  return {
    voice,
    speed,
    instructions,
    outputFormat,
    providerOptions,
    language: takesLanguage(model) ? language : undefined,
  };
}
