import { beginWork } from '../../../base/clock/clock-member.js';
import { ProviderError } from '../../../base/provider-error.js';
import type { FliteOrder } from './flite-worker.js';
import type { PieceListener } from './piecewise-voice.js';

/** Where a lab is that says what flite is to say; undefined: this process says it. */
let url: string | undefined;

/**
 * Has a lab say what flite is to say in this process. For tests whose bots, each in a process of its own, say the same sentences again
 * and again: to load flite and to say them takes longer than anything else they do.
 * @param address `http://` on this machine. It is sent a {@link FliteOrder} by POST, as JSON, and answers with mono samples, 16 bits each,
 *   little-endian
 */
export function haveLabSpeak(address: string | undefined): void {
  url = address;
}

/** Whether a lab says what flite is to say. */
export const hasLabSpeech = (): boolean => url !== undefined;

/** Has the lab say a text. @returns what takes the order back: nothing more is told of it */
export function sayInLab(order: FliteOrder, listener: PieceListener): () => void {
  const stop = new AbortController();
  const done = beginWork();
  askLab(order, stop.signal)
    .then(
      (pcm) => {
        if (stop.signal.aborted) return;
        listener.audio(pcm);
        listener.over();
      },
      (error: Error) => {
        if (stop.signal.aborted) return;
        listener.over(new ProviderError('flite', 'VB_PROVIDER_FAILED', error.message, { isFinal: true }));
      },
    )
    .finally(done);
  return () => stop.abort();
}

async function askLab(order: FliteOrder, signal: AbortSignal): Promise<Int16Array> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(String(url), { method: 'POST', headers, body: JSON.stringify(order), signal });
  if (!answer.ok) throw new Error(`the lab answered with ${answer.status}: ${await answer.text()}`);
  return new Int16Array(await answer.arrayBuffer());
}
