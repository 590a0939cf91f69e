import type { ProviderError } from '../../../base/provider-error.js';
import type { Phrase } from './phrase.js';
import type { PhraseCache } from './phrase-cache.js';
import { UtteranceJob } from './utterance-job.js';
import type { Voice, VoiceSource } from './voice.js';

/** For which calls phrases are made before there is one. */
export interface PreloadOptions {
  /** Rate of the bot's audio in the calls to come, in hertz. Default 8000, as of a pipeline. */
  sampleRate?: number;
  /** What will be spoken in them, a BCP 47 tag. Default: what the voice speaks by itself. */
  language?: string | undefined;
}

/** What a phrase is kept under. */
export const phraseKey = ({ key }: VoiceSource, text: string, sampleRate: number): string =>
  JSON.stringify([key, sampleRate, text.trim()]);

export interface PhrasesToMake {
  readonly source: VoiceSource;
  readonly cache: PhraseCache;
  /** Hertz. */
  readonly sampleRate: number;
  /** Of the texts, BCP 47, where the voice speaks what it is given. */
  readonly language: string | undefined;
}

/** Makes phrases that are not in the cache; what did not come in one piece is asked for once more. @throws ProviderError when the voice fails */
export async function makePhrases(
  texts: readonly string[],
  { source, cache, sampleRate, language = source.language }: PhrasesToMake,
): Promise<void> {
  let failure: ProviderError | undefined;
  const voice = source.create(sampleRate, {
    troubled: (error) => {
      if (error.isFinal) failure = error;
    },
  });
  // Each time: of several voices another may be the first by then.
  const make = async (text: string) => {
    const key = phraseKey(source, text, sampleRate);
    return { key, phrase: await makePhrase(voice, text, language) };
  };
  try {
    for (const text of texts) {
      if (await cache.load(phraseKey(source, text, sampleRate))) continue;
      let made = await make(text);
      if (!made.phrase && !failure) made = await make(text);
      if (failure) throw failure;
      if (made.phrase) await cache.store(made.key, made.phrase);
    }
  } finally {
    voice.close();
  }
}

async function makePhrase(voice: Voice, text: string, language: string | undefined): Promise<Phrase | undefined> {
  const job = new UtteranceJob({ utterance: { id: 0, appendToContext: false }, voice, language, push: () => {} });
  job.write(text);
  await job.end();
  return job.phrase;
}
