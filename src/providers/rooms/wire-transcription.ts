import type { JsonFields } from '../../base/http/json-fields.js';
import type { RoomTranscriptionOptions } from './room-connection.js';

/** The client that the provider's company maintains takes it (rooms reference 8.3): the provider's own default is older. */
export const TRANSCRIPTION_MODEL = 'nova-2-general';
/** Silence that ends an utterance, in milliseconds. */
const ENDPOINTING_MS = 300;

/** What the provider's client is asked to transcribe with (rooms reference 8.3). What is not given is the provider's choice. */
export function wireTranscription({
  instanceId,
  language,
  model = TRANSCRIPTION_MODEL,
  endpointingMs = ENDPOINTING_MS,
  interim = true,
  punctuate = true,
  extra = {},
}: RoomTranscriptionOptions & { readonly instanceId: string }): JsonFields {
  return {
    instanceId,
    ...(language !== undefined && { language }),
    model,
    endpointing: endpointingMs,
    punctuate,
    includeRawResponse: true, // says which words are final
    extra: { interim_results: interim, ...extra },
  };
}
