import { VoicebotError } from '../base/errors.js';
import { NoAnswerError } from '../base/http/api-connection.js';
import type { JsonFields } from '../base/http/json-fields.js';
import { ProviderRequestError } from '../base/http/provider-request-error.js';
import type { RestClient, RestRequest } from '../base/http/rest-client.js';
import { statusText } from '../base/http/shown-text.js';

/** A call to be placed is put off for ten seconds in all when the carrier is busy, each time for as long as it asks. */
const PUT_OFF = { times: 3, withinMs: 10_000, firstWaitMs: 0, busyWaitMs: 1_000 };

/**
 * Sends the request that places a call, once; only where the carrier says that it was not taken (429) again.
 * @returns the fields of the answer
 * @throws VoicebotError VB_CALL_UNCERTAIN where the carrier may have taken the call
 */
export async function placeOnce(
  api: RestClient,
  request: Omit<RestRequest, 'method' | 'repeats' | 'repeat'>,
  signal?: AbortSignal,
): Promise<JsonFields> {
  try {
    const { status, fields } = await api.request('dialling', { ...request, method: 'POST', repeats: PUT_OFF }, signal);
    if (fields) return fields;
    throw uncertain(`dialling got status ${status} and an answer that cannot be read`);
  } catch (error) {
    if (!(error instanceof ProviderRequestError) || !error.mayBeDone) throw error;
    const { cause, status, text } = error;
    if (cause instanceof NoAnswerError) throw uncertain(cause.message, { cause });
    throw uncertain(statusText('dialling', status, text));
  }
}

function uncertain(detail: string, options?: ErrorOptions): VoicebotError {
  const hint = 'look the call up before you dial the number again';
  return new VoicebotError('VB_CALL_UNCERTAIN', detail, { ...options, hint });
}
