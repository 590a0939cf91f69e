/** Tells speech from silence and noise. */
export interface VoiceDetector {
  /**
   * How long after the last sound of speech the detector still says that there is speech, in milliseconds: the gaps it takes for
   * speech, its own smoothing included. The times of a turn count from the last sound, which is this much earlier. Default 0.
   */
  readonly hangoverMs?: number;
  /**
   * Takes the next audio, mono, at the rate the detector was made for; usually 20 ms.
   * @returns whether there is speech at its end, as far as is known by then: short gaps between words count as speech. A promise
   *   where that takes time: the next audio may come before it is fulfilled, and answers belong to the audio in the order of the
   *   calls. What throws, rejects or answers half a second of audio late is not asked again.
   */
  isSpeech(pcm: Int16Array): boolean | Promise<boolean>;
  /** Called once when the call is over, or the detector is not asked again. */
  close?(): void;
}

/** Makes the detector of one call. @param sampleRate hertz: 8000, 16000, 24000 or 48000 */
export type CreateVoiceDetector = (sampleRate: number) => VoiceDetector | Promise<VoiceDetector>;
