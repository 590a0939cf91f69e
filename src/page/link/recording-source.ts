import type { CallPeaks } from '../../call/call-peaks.js';
import { ask, askJson, atRunner } from './runner-link.js';

/** Where the recording of a call comes from. */
export interface RecordingSource {
  /** Its waveform, in at most so many pieces. @throws NotThere where the call has no recording */
  peaks(count: number, signal: AbortSignal): Promise<CallPeaks>;
  /**
   * Where an element finds so much of it, in milliseconds. An address that begins with `blob:` is revoked by the code that asked for it.
   * @param signal ends the request
   */
  address(durationMs: number, signal: AbortSignal): Promise<string>;
}

/** The recording of a call that the runner keeps, or is making. An element can send no token: with one, it plays a copy. */
export function recordingAtRunner(id: string, token: string | undefined): RecordingSource {
  const path = `/calls/${encodeURIComponent(id)}`;
  return {
    peaks: (count, signal) => askJson<CallPeaks>(`${path}/peaks?count=${count}`, token, signal),
    async address(durationMs, signal) {
      const address = `${path}/audio.wav?ms=${Math.round(durationMs)}`;
      return token ? URL.createObjectURL(await (await ask(address, token, signal)).blob()) : atRunner(address);
    },
  };
}
