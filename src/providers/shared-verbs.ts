import type { AnswerDial, AnswerStep, AnswerStream, DialOutcome } from './carrier.js';
import { literal, writeResponse, type XmlBuilder } from './xml-document.js';

/** What the documents of carriers write differently. */
export interface DocumentVerbs {
  /** The verb that says a text. */
  readonly say: 'Say' | 'Speak';
  /** Writes the verb of a media stream, and what follows it. */
  stream(response: XmlBuilder, stream: AnswerStream): void;
  /** Writes the verb that dials a third party. */
  dial(response: XmlBuilder, dial: AnswerDial): void;
  /** Writes the verb that ends the call. @param reason undefined for a call that is over @param isFirst no verb comes before it */
  hangup(response: XmlBuilder, reason: HangupStep['reason'], isFirst: boolean): void;
}

type HangupStep = Extract<AnswerStep, { do: 'hangup' }>;

/** Writes the document that tells a carrier what to do with a call. @throws what the verbs throw */
export function writeSteps(steps: readonly AnswerStep[], verbs: DocumentVerbs): string {
  return writeResponse((response) => {
    for (const [at, step] of steps.entries()) {
      if (step.do === 'stream') verbs.stream(response, step.stream);
      else if (step.do === 'dial') verbs.dial(response, step.dial);
      else if (step.do === 'play') response.ele('Play').txt(literal(step.url));
      else if (step.do === 'speak') response.ele(verbs.say).txt(literal(step.text));
      else verbs.hangup(response, step.reason, at === 0);
    }
  });
}

/** What a call hears when its stream has ended, until the carrier asks for the next document. The elements are those of two carriers. */
export function addContinuation(
  response: XmlBuilder,
  { continueUrl, hold }: Pick<AnswerStream, 'continueUrl' | 'hold'>,
  [pause, say] = ['Pause', 'Say'],
): void {
  if (hold) {
    response.ele(pause, { length: String(hold.quietS) });
    if (hold.text !== undefined) response.ele(say).txt(literal(hold.text));
    response.ele(pause, { length: String(hold.waitS) });
  }
  response.ele('Redirect', { method: 'POST' }).txt(literal(continueUrl));
}

/** As two carriers have it (carrier reference 7.1, 7.2). */
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

/** By the `DialCallStatus` of two carriers. @see carrier reference 7.1, 7.2 */
export const DIAL_OUTCOMES: ReadonlyMap<string, DialOutcome> = new Map([
  ['completed', 'completed'],
  ['answered', 'completed'],
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['canceled', 'caller_left'],
]);
