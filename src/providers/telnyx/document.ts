import { VoicebotError } from '../../base/errors.js';
import type { AnswerDial, AnswerStep, AnswerStream } from '../carrier.js';
import { addContinuation, addDial, withParameters, writeSteps } from '../shared-verbs.js';
import { literal, type XmlBuilder } from '../xml-document.js';
import { RING_TIMEOUT, within } from './limits.js';
import { DEFAULT_FORMAT } from './media-format.js';

/** Longest address the carrier takes, in characters (its error 10003). */
const MAX_URL_LENGTH = 2000;
/** How long two people may talk, in seconds. */
const TIME_LIMIT = { least: 60, most: 14_400 };

/**
 * Writes the document that tells the carrier what to do with a call, in TeXML.
 * @throws VoicebotError VB_XML_INVALID when a stream address with its parameters is longer than the carrier takes
 * @see carrier reference 7.2
 */
export function answerTexml(steps: readonly AnswerStep[]): string {
  return writeSteps(steps, {
    say: 'Say',
    stream: addStream,
    dial: (response, dial) => addDial(response, withinLimits(dial)),
    hangup: (response, reason) => (reason ? response.ele('Reject', { reason }) : response.ele('Hangup')),
  });
}

function addStream(response: XmlBuilder, stream: AnswerStream): void {
  const { url, format = DEFAULT_FORMAT, parameters, statusUrl } = stream;
  const address = withParameters(url, parameters);
  if (address.length > MAX_URL_LENGTH) {
    throw new VoicebotError(
      'VB_XML_INVALID',
      `the stream address has ${address.length} characters, more than ${MAX_URL_LENGTH}`,
    );
  }
  // Every default is wrong for a bot: what we send would be taken for MP3, and what we get would be in the call's encoding.
  const attributes = {
    url: literal(address),
    track: 'inbound_track',
    codec: format.encoding,
    bidirectionalMode: 'rtp',
    bidirectionalCodec: format.encoding,
    bidirectionalSamplingRate: String(format.sampleRate),
    enableReconnect: 'false', // the pass in the address is good once
    ...(statusUrl !== undefined && { statusCallback: literal(statusUrl), statusCallbackMethod: 'POST' }),
  };
  response.ele('Connect').ele('Stream', attributes);
  addContinuation(response, stream);
}

const withinLimits = (dial: AnswerDial): AnswerDial => ({
  ...dial,
  ringTimeoutS: within(RING_TIMEOUT, dial.ringTimeoutS),
  timeLimitS: within(TIME_LIMIT, dial.timeLimitS),
});
