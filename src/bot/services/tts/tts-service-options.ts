import type { OptionNames } from '../../../base/names/option-names.js';
import type { OutputAudioFrame } from '../../pipeline/frames/index.js';
import type { PhraseCache } from './phrase-cache.js';

/** What all voices can be told. */
export interface TtsServiceOptions {
  /** Keeps what was said, so that it need not be made again. Default: one for all calls of the process; false keeps nothing. */
  cache?: PhraseCache | false | undefined;
  /**
   * What the caller hears when something is to be said and the voice has given up; then the call is ended with the reason
   * `provider_error`. A pipeline with a conversation does what that says instead. Default: a recorded apology, in the language
   * that is spoken; false: the pipeline goes on without a voice.
   */
  apology?: OutputAudioFrame | false | undefined;
}

export const TTS_OPTIONS: OptionNames<TtsServiceOptions> = { cache: true, apology: true };
