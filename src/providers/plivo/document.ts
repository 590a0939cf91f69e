import { VoicebotError } from '../../base/errors.js';
import type { AnswerDial, AnswerStep, AnswerStream } from '../carrier.js';
import { addContinuation, withParameters, writeSteps } from '../shared-verbs.js';
import { literal, type XmlBuilder } from '../xml-document.js';
import { contentTypeOf, DEFAULT_FORMAT } from './media-format.js';

/** Longest stream address the carrier takes, in characters (carrier reference 4.2). */
const MAX_STREAM_URL_LENGTH = 2048;

/**
 * Writes the document that tells the carrier what to do with a call.
 * @throws VoicebotError VB_XML_INVALID when a stream address with its parameters is longer than the carrier takes
 * @see carrier reference 4.1 and 4.2
 */
export function answerXml(steps: readonly AnswerStep[]): string {
  return writeSteps(steps, {
    say: 'Speak',
    stream: addStream,
    dial: addDial,
    hangup: (response, reason) => response.ele('Hangup', reason ? { reason } : {}),
  });
}

function addStream(response: XmlBuilder, stream: AnswerStream): void {
  const { url, format = DEFAULT_FORMAT, parameters, statusUrl } = stream;
  // This wire's own custom data, `extraHeaders`, holds 512 bytes and is logged by the carrier; a query is neither.
  const address = withParameters(url, parameters);
  if (address.length > MAX_STREAM_URL_LENGTH) {
    throw new VoicebotError('VB_XML_INVALID', `the stream address has ${address.length} characters, more than 2048`);
  }
  // Every default is wrong for a bot, so each is written out (carrier reference 0.2).
  const attributes = {
    bidirectional: 'true',
    keepCallAlive: 'true',
    contentType: `${contentTypeOf(format)};rate=${format.sampleRate}`,
    ...(statusUrl !== undefined && { statusCallbackUrl: literal(statusUrl) }),
  };
  response.ele('Stream', attributes).txt(literal(address));
  addContinuation(response, stream, ['Wait', 'Speak']);
}

function addDial(response: XmlBuilder, dial: AnswerDial): void {
  response
    .ele('Dial', {
      callerId: literal(withoutPlus(dial.callerId)),
      timeout: String(dial.ringTimeoutS),
      timeLimit: String(dial.timeLimitS),
      action: literal(dial.outcomeUrl),
      method: 'POST',
      callbackUrl: literal(dial.statusUrl),
      callbackMethod: 'POST',
    })
    .ele('Number')
    .txt(literal(withoutPlus(dial.to)));
}

const withoutPlus = (number: string) => number.replace(/^\+/, '');
