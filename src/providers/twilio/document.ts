import { VoicebotError } from '../../base/errors.js';
import { isLoopbackName } from '../../base/http/loopback-host.js';
import type { AnswerStep, AnswerStream } from '../carrier.js';
import { addContinuation, addDial, writeSteps } from '../shared-verbs.js';
import { literal, type XmlBuilder } from '../xml-document.js';

/** Longest name and value of a stream's parameter together, in characters (carrier reference 7.1). */
const MAX_PARAMETER_LENGTH = 500;

/**
 * Writes the TwiML that tells the carrier what to do with a call. Parameters of a stream that are longer than the carrier
 * takes are left out.
 * @throws VoicebotError VB_XML_INVALID when a stream address has a query, or is neither `wss:` nor on this machine
 * @see carrier reference 7.1
 */
export function twiml(steps: readonly AnswerStep[]): string {
  return writeSteps(steps, {
    say: 'Say',
    stream: addStream,
    dial: addDial,
    // What comes before `Reject` would answer the call, which cannot be turned away then.
    hangup: (response, reason, isFirst) =>
      reason && isFirst ? response.ele('Reject', { reason }) : response.ele('Hangup'),
  });
}

function addStream(response: XmlBuilder, stream: AnswerStream): void {
  const { url, parameters, statusUrl } = stream;
  requireStreamAddress(url);
  const element = response.ele('Connect').ele('Stream', {
    url: literal(url),
    ...(statusUrl !== undefined && { statusCallback: literal(statusUrl), statusCallbackMethod: 'POST' }),
  });
  for (const [name, value] of Object.entries(parameters)) {
    if (name.length + value.length > MAX_PARAMETER_LENGTH) continue;
    element.ele('Parameter', { name: literal(name), value: literal(value) });
  }
  addContinuation(response, stream);
}

function requireStreamAddress(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (url.includes('?')) throw new VoicebotError('VB_XML_INVALID', 'the stream address has a query');
  // The sandbox plays the carrier on this machine.
  if (protocol === 'wss:' || (protocol === 'ws:' && isLoopbackName(hostname))) return;
  throw new VoicebotError('VB_XML_INVALID', 'the stream address is not a wss: one');
}
