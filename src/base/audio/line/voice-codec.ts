/**
 * One codec in both directions, with the state that both keep from frame to frame. PCM is mono at the sample rate of our
 * side; lengths of time are in units of the RTP clock.
 */
export interface VoiceCodec {
  /** Of the RTP timestamps, in hertz. */
  readonly clockRate: number;
  /** @param pcm 20 ms @returns the payload of one packet */
  encode(pcm: Int16Array): Uint8Array;
  /** What is encoded next does not follow what was encoded last. */
  pauseEncoding(): void;
  /** How much audio a received payload holds; 0 when it is not one of this codec. */
  durationOf(payload: Uint8Array): number;
  /** @returns undefined for a payload that cannot be decoded */
  decode(payload: Uint8Array): Int16Array | undefined;
  /** What may have been in a packet that is lost. */
  conceal(duration: number): Int16Array;
  /** What is heard while nothing is sent: 20 ms. */
  silence(): Int16Array;
  /** Frees what the codec holds; afterwards it is not used. Safe to call twice. */
  close(): void;
}
