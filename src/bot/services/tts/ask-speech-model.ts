import type { SpeechModel } from 'ai';
import { Resampler } from '../../../base/audio/resampler.js';
import { withOurSockets } from '../ai-web-socket.js';
import type { AiPackage } from '../llm/ai-package.js';
import type { VendorAccount } from '../vendor.js';
import type { AskForSpeech } from './ai-voice-socket.js';
import { type AskedAudio, askedAudio } from './ai-voice-vendors.js';
import { readSpeech, UnreadableSpeech } from './read-speech.js';
import { SpeechDecoder } from './speech-decoder.js';
import type { SpeechFormat } from './tts-dialect.js';

/** The contract that its package was written for, as the `ai` package states it: when it changes, this file does not compile. */
export type AskedSpeechModel = Extract<SpeechModel, { specificationVersion: 'v4' }>;

/** How a model is asked, beside the text. */
export interface SpeechManner {
  readonly voice?: string | undefined;
  readonly speed?: number | undefined;
  readonly language?: string | undefined;
  readonly instructions?: string | undefined;
  readonly outputFormat?: string | undefined;
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

type GenerateOptions = Parameters<AskedSpeechModel['doGenerate']>[0];

/** What a model is asked for, with the settings that belong to the audio; those of the project stand above them. */
export function generateOptions(
  text: string,
  { outputFormat: _, providerOptions = {}, ...manner }: SpeechManner,
  { outputFormat, settings }: Pick<AskedAudio, 'outputFormat' | 'settings'>,
  settingsName: string,
): GenerateOptions {
  const ours = settings && { [settingsName]: { ...settings, ...providerOptions[settingsName] } };
  return { text, ...given(manner), outputFormat, providerOptions: { ...providerOptions, ...ours } as never };
}

/** Asks for the whole audio of each text. */
export function askWhole(
  model: AskedSpeechModel,
  manner: SpeechManner,
  settingsName: string,
  sampleRate: number,
): AskForSpeech {
  const audio = askedAudio(model, sampleRate, manner.outputFormat);
  return async function* (text, abortSignal) {
    const answer = await model.doGenerate({ ...generateOptions(text, manner, audio, settingsName), abortSignal });
    const unasked = answer.warnings.find((warning) => 'feature' in warning && warning.feature === 'outputFormat');
    const bytes = typeof answer.audio === 'string' ? Buffer.from(answer.audio, 'base64') : answer.audio;
    if (unasked && !isWav(bytes)) throw new UnreadableSpeech(`no ${audio.outputFormat}`);
    if (bytes.length === 0) throw new Error('no audio came');
    yield readSpeech(bytes, audio.raw, sampleRate, answer.response.headers?.['content-type']);
  };
}

/** Takes the audio of each text as it is made. */
export function askStream(
  ai: () => Promise<AiPackage>,
  model: AskedSpeechModel,
  account: VendorAccount,
  manner: SpeechManner,
  sampleRate: number,
): AskForSpeech {
  return async function* (text, abortSignal) {
    const { experimental_streamSpeech: streamSpeech } = await ai();
    const opened = withOurSockets(model, account);
    const { outputFormat: _, providerOptions, ...rest } = manner;
    const { fullStream } = streamSpeech({
      model: opened.model,
      text,
      ...given(rest),
      ...(providerOptions && { providerOptions: providerOptions as never }),
      outputFormat: { type: 'audio/pcm', rate: sampleRate },
      abortSignal,
    });
    try {
      const reader = new SpeechStreamReader(sampleRate);
      for await (const part of fullStream) {
        if (part.type === 'error') throw part.error;
        if (part.type === 'audio') yield reader.read(part.audio, part.audioFormat);
      }
      yield reader.end();
    } catch (error) {
      throw opened.refusal ?? error;
    }
  };
}

/** Turns the pieces of a stream into samples of one rate. */
class SpeechStreamReader {
  #resampler: Resampler | undefined;
  #decoder: SpeechDecoder | undefined;

  constructor(private readonly sampleRate: number) {}

  read(bytes: Uint8Array, { type, rate }: { readonly type: string; readonly rate?: number }): Int16Array {
    const format = formatOf(type, rate ?? this.sampleRate);
    this.#resampler ??= new Resampler(format.sampleRate, this.sampleRate);
    this.#decoder ??= new SpeechDecoder(format.encoding);
    return this.#resampler.process(this.#decoder.decode(bytes));
  }

  end(): Int16Array {
    return this.#resampler?.flush() ?? new Int16Array(0);
  }
}

function formatOf(type: string, sampleRate: number): SpeechFormat {
  if (/^audio\/(?:pcmu|mulaw|basic)$/i.test(type)) return { encoding: 'PCMU', sampleRate };
  if (/^audio\/(?:pcm|l16)$/i.test(type)) return { encoding: 'L16', sampleRate };
  throw new UnreadableSpeech(`${type} audio`);
}

const isWav = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'RIFF';

/** Without what is undefined: the contract has it left out. */
function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
