/** Tells speech from silence and noise. */
export interface VoiceDetector {
  /**
   * Takes the next audio, mono, at the rate the detector was made for; usually 20 ms.
   * @returns whether there is speech at its end, as far as is known by then: short gaps between words count as speech
   */
  isSpeech(pcm: Int16Array): boolean;
}

/** Makes the detector of one call. @param sampleRate hertz: 8000, 16000, 24000 or 48000 */
export type CreateVoiceDetector = (sampleRate: number) => VoiceDetector | Promise<VoiceDetector>;
