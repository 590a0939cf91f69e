import { atRunner, headersOf, Locked } from '../link/runner-link.js';

/** The runner has answered with a problem. */
export class NotDone extends Error {
  /** @param code of the errors that `docs/errors.md` lists */
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Longest wait for the whole answer, in milliseconds: a carrier may be asked first. */
const ANSWER_LIMIT_MS = 30_000;

/**
 * Sends something to the runner.
 * @param more headers
 * @throws Locked, NotDone with the runner's words, code and hint, and another error where there was no answer of the runner: it may have done it
 */
export async function postToRunner(
  path: string,
  body: object,
  token: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const limit = new AbortController();
  setTimeout(() => limit.abort(new Error('The runner does not answer')), ANSWER_LIMIT_MS);
  const response = await fetch(atRunner(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersOf(token), ...more },
    body: JSON.stringify(body),
    signal: limit.signal,
  });
  if (response.ok) return response;
  const { error } = (await response.json().catch(() => ({}))) as { error?: ProblemShown };
  if (response.status === 401) throw new Locked(error?.message ?? 'the runner wants its token');
  if (!error) throw new Error(`The runner answered with HTTP ${response.status}`);
  throw new NotDone(error.code, [`${error.message} (${error.code})`, error.hint].filter(Boolean).join('. '));
}

interface ProblemShown {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}
