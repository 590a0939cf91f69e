import { type AiModel, describeModel } from '../model-kind.js';
import { vendorNameOf } from '../model-vendor.js';
import type { SpeechFormat } from './tts-dialect.js';

/** What a speech model is asked for. */
export interface AskedAudio {
  /** As the package of the vendor calls it. */
  readonly outputFormat: string;
  /** How to read samples that come without a header. */
  readonly raw: SpeechFormat | undefined;
  /** Settings of the vendor's own that go with it. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

interface VoiceVendor {
  /** The best that it gives for a pipeline of this rate. */
  audio(sampleRate: number): AskedAudio;
  /** Rate of what it calls `pcm`, in hertz. */
  readonly pcmRate: number;
  /** What it can be asked for of what can be read; undefined: only the model can tell. */
  readonly formats?: readonly string[];
  /** It is told which language is spoken. */
  readonly takesLanguage: boolean;
}

const L16 = (sampleRate: number): SpeechFormat => ({ encoding: 'L16', sampleRate });
const PCMU: SpeechFormat = { encoding: 'PCMU', sampleRate: 8_000 };
/** Any model can be asked for it, and it says itself what it holds. */
const WAV: AskedAudio = { outputFormat: 'wav', raw: undefined };

const OPENAI: VoiceVendor = {
  audio: () => ({ outputFormat: 'pcm', raw: L16(24_000) }),
  formats: ['wav', 'pcm'],
  pcmRate: 24_000,
  takesLanguage: false,
};

const XAI: VoiceVendor = {
  audio: (sampleRate) =>
    sampleRate === 8_000
      ? { outputFormat: 'mulaw', raw: PCMU, settings: { sampleRate } }
      : { outputFormat: 'pcm', raw: L16(sampleRate), settings: { sampleRate } },
  formats: ['wav', 'pcm', 'mulaw'],
  pcmRate: 24_000,
  takesLanguage: true,
};

const VENDORS_OF_VOICES: Readonly<Record<string, VoiceVendor>> = {
  openai: OPENAI,
  azure: OPENAI,
  xai: XAI,
  spacexai: XAI,
  elevenlabs: {
    // higher rates need a larger plan
    audio: (sampleRate) => {
      const rate = Math.min(sampleRate, 24_000);
      return rate === 8_000
        ? { outputFormat: 'ulaw_8000', raw: PCMU }
        : { outputFormat: `pcm_${rate}`, raw: L16(rate) };
    },
    pcmRate: 44_100,
    takesLanguage: true,
  },
  deepgram: {
    audio: (sampleRate) => ({ outputFormat: 'pcm', raw: L16(sampleRate), settings: { sampleRate } }),
    pcmRate: 24_000,
    takesLanguage: true,
  },
};

const UNKNOWN: VoiceVendor = { audio: () => WAV, pcmRate: 24_000, takesLanguage: true };

/** Formats that can be read, with the rate behind them where the vendor wants it there. */
const READABLE = /^(?<name>wav|pcm|linear16|mulaw|ulaw)(?:_(?<rate>\d+))?$/;

const EITHER = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** What a model may be asked for, such as `wav or pcm`. */
export const offeredFormats = (model: AiModel): string =>
  EITHER.format(vendorOfVoice(model).formats ?? ['wav', 'pcm', 'mulaw']);

/** @param outputFormat as the project gives it @returns a sentence when it cannot be read, or is not what the model's vendor gives */
export function formatProblems(model: AiModel, outputFormat: unknown): string[] {
  if (outputFormat === undefined) return [];
  const { formats } = vendorOfVoice(model);
  const given = JSON.stringify(outputFormat);
  const ask = `ask for ${offeredFormats(model)}`;
  if (typeof outputFormat !== 'string' || !READABLE.test(outputFormat)) {
    return [`outputFormat ${given} cannot be read: ${ask}`];
  }
  if (formats?.includes(outputFormat) ?? true) return [];
  return [`outputFormat is not what ${describeModel(model)} gives: ${ask}, got ${given}`];
}

const vendorOfVoice = (model: AiModel) => VENDORS_OF_VOICES[vendorNameOf(model)] ?? UNKNOWN;

/** Whether it is told which language is spoken; others find out, or speak all. */
export const takesLanguage = (model: AiModel): boolean => vendorOfVoice(model).takesLanguage;

/** @param wanted what the project asks for, one of the readable ones; default: the best for the rate */
export function askedAudio(model: AiModel, sampleRate: number, wanted: string | undefined): AskedAudio {
  const vendor = vendorOfVoice(model);
  const { name, rate } = READABLE.exec(wanted ?? '')?.groups ?? {};
  if (wanted === undefined || !name) return vendor.audio(sampleRate);
  if (name === 'wav') return { outputFormat: wanted, raw: undefined };
  const isMulaw = name.endsWith('ulaw');
  const raw: SpeechFormat = isMulaw
    ? { encoding: 'PCMU', sampleRate: Number(rate ?? 8_000) }
    : L16(Number(rate ?? vendor.pcmRate));
  return { outputFormat: wanted, raw };
}
