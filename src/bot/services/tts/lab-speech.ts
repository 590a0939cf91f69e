import type { FliteOrder } from './flite-worker.js';

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

/** What the lab says for a text: mono samples. Rejects where it cannot, and with the reason of the signal. */
export async function speechOfLab(order: FliteOrder, signal: AbortSignal): Promise<Int16Array> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(String(url), { method: 'POST', headers, body: JSON.stringify(order), signal });
  if (!answer.ok) throw new Error(`the lab answered with ${answer.status}: ${await answer.text()}`);
  return new Int16Array(await answer.arrayBuffer());
}
