/** What a WAV file holds, decoded. */
export interface WavAudio {
  /** Hertz. */
  sampleRate: number;
  /** One or two channels of equally many samples; of two, the first is the left one. */
  channels: readonly [Int16Array, ...Int16Array[]];
}

/** `wFormatTag` values of a WAV file's `fmt ` chunk (RFC 2361, appendix A). */
export const WAVE_FORMAT = { PCM: 0x0001, FLOAT: 0x0003, ALAW: 0x0006, MULAW: 0x0007, EXTENSIBLE: 0xfffe } as const;
