import type { SandboxDocument, StreamVerb } from '../carrier/call-document.js';
import { readDialIn } from '../carrier/dial-element.js';
import { addressIn, invalid } from '../carrier/element-fields.js';
import { type DocumentElements, readResponse } from '../carrier/response-document.js';
import { INSTEAD_OF_FOREIGN, readStreamIn, SHARED_ELEMENTS } from '../carrier/shared-elements.js';
import type { XmlElement } from '../carrier/xml.js';
import { STREAM_FORMAT } from './stream-wire.js';

/** Of a stream's parameter: name and value together. */
const MAX_PARAMETER_CHARACTERS = 500;
const STREAM_ATTRIBUTES = ['url', 'name', 'track', 'statusCallback', 'statusCallbackMethod'];

/** @throws VoicebotError VB_XML_INVALID @see carrier reference 7.1 */
export const readTwiml = (source: string): SandboxDocument => readResponse(source, TWIML);

const TWIML: DocumentElements = {
  readers: {
    ...SHARED_ELEMENTS,
    Connect: { attributes: [], read: (element, warnings) => readStream(element, warnings, true) },
    Start: { attributes: [], read: (element, warnings) => readStream(element, warnings, false) },
    Dial: readDialIn({
      notPlayed: ['Application', 'Client', 'Conference', 'Queue', 'Sim', 'Sip', 'WhatsApp'],
      ringS: { otherwise: 30, least: 1, most: 600 },
      limitS: { otherwise: 14_400, least: 1, most: 86_400 },
      eventSeparator: /\s+/,
    }),
    Play: {
      attributes: ['digits'],
      read: (element) =>
        element.attributes.has('digits')
          ? { verb: 'unsupported', name: 'Play digits="..."' }
          : { verb: 'play', url: addressIn(element) },
    },
  },
  others: ['Enqueue', 'Gather', 'Leave', 'Pay', 'Prompt', 'Queue', 'Record', 'Refer', 'Sms', 'Stop'],
  foreign: INSTEAD_OF_FOREIGN,
};

/** @param isConnect the stream has two directions, and the verb after it waits for its end */
function readStream(parent: XmlElement, warnings: string[], isConnect: boolean): StreamVerb {
  const { track, verb } = readStreamIn(parent, STREAM_ATTRIBUTES, warnings, isConnect);
  if (isConnect && track !== 'inbound_track') throw invalid('<Stream> in <Connect> allows only track="inbound_track"');
  if (verb.url.includes('?'))
    throw invalid(
      '<Stream> url has a query, which this carrier drops: write <Parameter name="..." value="..."/> in it',
    );
  for (const [name, value] of verb.parameters) {
    if (name.length + value.length > MAX_PARAMETER_CHARACTERS)
      throw invalid(`<Parameter> ${name.slice(0, 40)} is longer than ${MAX_PARAMETER_CHARACTERS} characters`);
  }
  return { ...verb, bidirectional: isConnect, format: STREAM_FORMAT };
}
