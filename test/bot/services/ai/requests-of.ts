/** What a package was asked to send. */
export interface SentRequest {
  readonly url: URL;
  readonly body: Record<string, unknown>;
}

/** A `fetch` for packages that know one address only. @param answer gives the audio */
export function requestsOf(answer: (request: SentRequest) => { body: Uint8Array; type: string }) {
  const requests: SentRequest[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = { url: new URL(String(input)), body: JSON.parse(String(init?.body ?? '{}')) };
    requests.push(request);
    const { body, type } = answer(request);
    return new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } });
  };
  return { requests, fetch };
}
