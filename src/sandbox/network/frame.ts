/** Samples, and mu-law bytes, in one 20 ms frame at 8000 Hz. */
export const FRAME_BYTES = 160;

/** One frame of mu-law silence (0xff). Shared: never write to it. */
export const SILENCE: Uint8Array = new Uint8Array(FRAME_BYTES).fill(0xff);

/** 20 ms of mono PCM; undefined stands for silence. */
export type PcmFrame = Int16Array | undefined;
