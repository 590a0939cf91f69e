import type { AiModel } from '../model-kind.js';
import { vendorNameOf } from '../model-vendor.js';
import { telephoneFormat } from '../telephone-format.js';
import type { AudioFormat } from './stt-dialect.js';

/** What a transcription model is to do. */
export interface EarWishes {
  readonly language?: string | undefined;
  readonly keyterms: readonly string[];
  /** Silence after which an utterance is taken for finished, in milliseconds. */
  readonly endpointingMs: number;
}

/** Settings of a vendor's own, under its name. */
export type VendorSettings = Readonly<Record<string, unknown>>;

/** How a vendor's transcription models are asked, and what they tell. */
export interface EarVendor {
  /** What it is best sent, for a pipeline of this rate. */
  format(sampleRate: number): AudioFormat;
  /** Wishes in its own settings. */
  settings(wishes: EarWishes): VendorSettings;
  /** Name of its settings among those of all vendors. */
  readonly settingsName: string;
  /** It takes names and terms to listen for. */
  readonly takesKeyterms: boolean;
  /** It gives its final words only when the audio ends: voicebot finds the ends of utterances, and each is a stream of its own. */
  readonly endsByUs: boolean;
}

const L16 = (sampleRate: number): AudioFormat => ({ encoding: 'L16', sampleRate });

const ELEVENLABS: EarVendor = {
  settingsName: 'elevenlabs',
  format: telephoneFormat,
  // by itself it gives final words only when it is told to
  settings: ({ language, keyterms, endpointingMs }) => ({
    ...(language && { languageCode: language }),
    streaming: {
      commitStrategy: 'vad',
      vadSilenceThresholdSecs: Math.min(3, Math.max(0.3, endpointingMs / 1_000)),
      ...(keyterms.length > 0 && { keyterms }),
    },
  }),
  takesKeyterms: true,
  endsByUs: false,
};

const XAI: EarVendor = {
  settingsName: 'xai',
  format: telephoneFormat,
  settings: ({ language, keyterms, endpointingMs }) => ({
    ...(language && { language }),
    ...(keyterms.length > 0 && { keyterm: keyterms }),
    streaming: { interimResults: true, endpointing: Math.min(5_000, endpointingMs) },
  }),
  takesKeyterms: true,
  endsByUs: false,
};

const OPENAI: EarVendor = {
  settingsName: 'openai',
  format: () => L16(24_000),
  settings: ({ language }) => (language ? { language } : {}),
  takesKeyterms: false,
  endsByUs: true,
};

const GOOGLE: EarVendor = {
  settingsName: 'google',
  format: () => L16(16_000),
  settings: ({ language, keyterms }) => ({
    ...(language && { languageCodes: [language] }),
    ...(keyterms.length > 0 && { customVocabulary: keyterms }),
  }),
  takesKeyterms: true,
  endsByUs: false,
};

const VENDORS_OF_EARS: Readonly<Record<string, EarVendor>> = {
  elevenlabs: ELEVENLABS,
  xai: XAI,
  spacexai: XAI,
  openai: OPENAI,
  azure: { ...OPENAI, settingsName: 'azure' },
  google: GOOGLE,
};

/** One whose settings are not known: those that the project gives are all. */
const UNKNOWN: Omit<EarVendor, 'settingsName'> = {
  format: L16,
  settings: () => ({}),
  takesKeyterms: false,
  endsByUs: false,
};

/** Of whose model it is: a gateway passes on what it is sent. */
export function earVendorOf(model: AiModel): EarVendor {
  const name = vendorNameOf(model);
  return VENDORS_OF_EARS[name] ?? { ...UNKNOWN, settingsName: name };
}
