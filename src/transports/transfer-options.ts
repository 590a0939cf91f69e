import type { OutputAudioFrame } from '../frames/index.js';

export interface TransferOptions {
  /** What the caller hears before the transfer is asked for. */
  announce?: OutputAudioFrame | readonly OutputAudioFrame[];
}

export function announcementOf(announce: TransferOptions['announce'] = []): readonly OutputAudioFrame[] {
  return Array.isArray(announce) ? announce : [announce as OutputAudioFrame];
}
