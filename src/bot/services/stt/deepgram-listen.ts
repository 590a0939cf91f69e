import { cleanText } from '../../../base/clean-text.js';
import type { VendorAccount } from '../vendor.js';
import type { AudioFormat, SttResult } from './stt-dialect.js';

/** A stream of audio to Deepgram. @param path of the interface, such as `/v1/listen` @param query what is asked of it */
export function listenRequest(
  path: string,
  query: ReadonlyArray<[name: string, value: string]>,
  { encoding, sampleRate }: AudioFormat,
  { apiKey }: VendorAccount,
) {
  const all = new URLSearchParams([
    ...query,
    ['encoding', encoding === 'PCMU' ? 'mulaw' : 'linear16'],
    ['sample_rate', String(sampleRate)],
  ]);
  return { path: `${path}?${all}`, headers: { Authorization: `Token ${apiKey}` } };
}

/** An `Error` message. @param words what its fields say, where they say anything */
export function listenError(...words: ReadonlyArray<string | undefined>): SttResult {
  return { type: 'error', words: cleanText(words.filter(Boolean).join(': '), 300) || 'an error without words' };
}
