/** Length of one frame of audio, in milliseconds: what is released, sent and mixed at a time. */
export const FRAME_MS = 20;
