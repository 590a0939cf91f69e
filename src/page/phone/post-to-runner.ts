import { headersOf, Locked } from '../link/runner-link.js';

/**
 * Sends something to the runner.
 * @throws Locked, and an error whose message has the runner's words, code and hint
 */
export async function postToRunner(path: string, body: object, token: string | undefined): Promise<Response> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersOf(token) },
    body: JSON.stringify(body),
  });
  if (response.ok) return response;
  const { error } = (await response.json().catch(() => ({}))) as { error?: ProblemShown };
  if (response.status === 401) throw new Locked(error?.message ?? 'the runner wants its token');
  if (!error) throw new Error(`The runner answered with HTTP ${response.status}`);
  throw new Error([`${error.message} (${error.code})`, error.hint].filter(Boolean).join('. '));
}

interface ProblemShown {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}
