import { vendorMessage } from '../vendor-message.js';

/**
 * Asks what a lab plays at an address of this machine, by POST and in JSON.
 * @param failed the error to throw where there is no answer, or a status that is none of success
 * @returns the answer as it came
 * @throws what the signal was aborted with
 */
export async function askLab(
  url: string,
  asked: object,
  signal: AbortSignal | null,
  failed: (detail: string, options?: { status: number }) => Error,
): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(asked), signal });
    text = await answer.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw failed('no answer');
  }
  if (answer.ok) return text;
  throw failed(`${answer.status} ${vendorMessage(text)}`.trim(), { status: answer.status });
}
