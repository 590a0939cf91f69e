import type { JsonFields } from '../../base/http/json-fields.js';
import type { RoomTranscriptionOptions } from './room-connection.js';

/** Silence that ends an utterance, in milliseconds. */
const ENDPOINTING_MS = 300;

/** What the provider's client is asked to transcribe with (rooms reference 8.3). What is not given is the provider's choice. */
export function wireTranscription({
  instanceId,
  language,
  model,
  endpointingMs = ENDPOINTING_MS,
  interim = true,
  punctuate = true,
  extra = {},
}: RoomTranscriptionOptions & { readonly instanceId: string }): JsonFields {
  return {
    instanceId,
    ...(language !== undefined && { language }),
    ...(model !== undefined && { model }),
    endpointing: endpointingMs,
    punctuate,
    includeRawResponse: true, // says which words are final
    extra: { interim_results: interim, ...extra },
  };
}
