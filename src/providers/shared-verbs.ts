import type { AnswerDial, AnswerStream } from './carrier.js';
import { literal, type XmlBuilder } from './xml-document.js';

/** Verbs that the documents of two carriers write alike. @see carrier reference 7.1, 7.2 */

/** What a call hears when its stream has ended, until the carrier asks for the next document. */
export function addContinuation(
  response: XmlBuilder,
  { continueUrl, hold }: Pick<AnswerStream, 'continueUrl' | 'hold'>,
): void {
  if (hold) {
    response.ele('Pause', { length: String(hold.quietS) });
    response.ele('Say').txt(literal(hold.text));
    response.ele('Pause', { length: String(hold.waitS) });
  }
  response.ele('Redirect', { method: 'POST' }).txt(literal(continueUrl));
}

export function addDial(response: XmlBuilder, dial: AnswerDial): void {
  response
    .ele('Dial', {
      callerId: literal(dial.callerId),
      timeout: String(dial.ringTimeoutS),
      timeLimit: String(dial.timeLimitS),
      action: literal(dial.outcomeUrl),
      method: 'POST',
    })
    .ele('Number', {
      statusCallback: literal(dial.statusUrl),
      statusCallbackEvent: 'answered completed',
      statusCallbackMethod: 'POST',
    })
    .txt(literal(dial.to));
}

/** A stream's address with the parameters in its query. */
export function withParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  if (query === '') return url;
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}
