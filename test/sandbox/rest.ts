import { AUTH_ID, AUTH_TOKEN } from './fake-caller.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are checked by the tests that read them
export type RestAnswer = { status: number; body: any };

/** Sends the calls to the sandbox's number to a runner. */
export async function setAddresses(
  { apiUrl, applicationId }: { apiUrl: string; applicationId: string },
  { answerUrl, hangupUrl }: { answerUrl: string; hangupUrl: string },
): Promise<void> {
  const addresses = { answer_url: answerUrl, hangup_url: hangupUrl };
  const { status, body } = await restClient(apiUrl).post(`Application/${applicationId}/`, addresses);
  if (status !== 202) throw new Error(`${status}: ${JSON.stringify(body)}`);
}

/** A client of the carrier's REST API in a few lines of fetch. */
export function restClient(apiUrl: string, credentials = `${AUTH_ID}:${AUTH_TOKEN}`) {
  const send = async (method: string, path: string, body?: string): Promise<RestAnswer> => {
    const response = await fetch(`${apiUrl}/Account/${AUTH_ID}/${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return { status: response.status, body: text && JSON.parse(text) };
  };
  return {
    get: (path: string) => send('GET', path),
    delete: (path: string) => send('DELETE', path),
    post: (path: string, body: object | string) =>
      send('POST', path, typeof body === 'string' ? body : JSON.stringify(body)),
  };
}
