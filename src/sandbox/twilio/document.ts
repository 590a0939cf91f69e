import type { DialParty, DialVerb, SandboxDocument, StreamVerb } from '../carrier/call-document.js';
import {
  addressIn,
  invalid,
  methodOf,
  oneOf,
  secondsOf,
  telephoneNumber,
  warnAboutAttributes,
} from '../carrier/element-fields.js';
import { type DocumentElements, readResponse } from '../carrier/response-document.js';
import { INSTEAD_OF_FOREIGN, SHARED_ELEMENTS, streamIn, streamParameters } from '../carrier/shared-elements.js';
import type { XmlElement } from '../carrier/xml.js';
import { STREAM_FORMAT } from './stream-words.js';

const DAY_MS = 86_400_000;
/** Of a stream's parameter: name and value together. */
const MAX_PARAMETER_CHARACTERS = 500;
const CALL_EVENTS = ['initiated', 'ringing', 'answered', 'completed'];
const STREAM_ATTRIBUTES = ['url', 'name', 'track', 'statusCallback', 'statusCallbackMethod'];
const DIAL_ATTRIBUTES = ['callerId', 'timeout', 'timeLimit', 'action', 'method'];
const PARTY_ATTRIBUTES = ['statusCallback', 'statusCallbackEvent', 'statusCallbackMethod'];

/** @throws VoicebotError VB_XML_INVALID @see carrier reference 7.1 */
export const readTwiml = (source: string): SandboxDocument => readResponse(source, TWIML);

const TWIML: DocumentElements = {
  readers: {
    ...SHARED_ELEMENTS,
    Connect: { attributes: [], read: (element, warnings) => readStream(element, warnings, true) },
    Start: { attributes: [], read: (element, warnings) => readStream(element, warnings, false) },
    Dial: { attributes: DIAL_ATTRIBUTES, read: readDial },
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
  const element = streamIn(parent);
  warnAboutAttributes(element, STREAM_ATTRIBUTES, warnings);
  const { attributes } = element;
  const track = oneOf(element, 'track', ['inbound_track', 'outbound_track', 'both_tracks']) ?? 'inbound_track';
  if (track !== 'inbound_track') {
    if (isConnect) throw invalid('<Stream> in <Connect> allows only track="inbound_track"');
    warnings.push(`<Stream> track="${track}": the sandbox streams what the phone says, and nothing else`);
  }
  const statusUrl = attributes.get('statusCallback');
  return {
    verb: 'stream',
    url: streamAddress(attributes.get('url') ?? ''),
    bidirectional: isConnect,
    keepCallAlive: isConnect,
    endsOnTransfer: true,
    format: STREAM_FORMAT,
    ...(statusUrl && { statusCallback: { url: statusUrl, method: methodOf(element, 'statusCallbackMethod') } }),
    timeoutMs: DAY_MS,
    attributes,
    parameters: readParameters(element),
  };
}

function streamAddress(url: string): string {
  if (!URL.canParse(url)) throw invalid(`<Stream> url="${url.slice(0, 80)}" must be an address`);
  if (!url.includes('?')) return url;
  throw invalid('<Stream> url has a query, which this carrier drops: write <Parameter name="..." value="..."/> in it');
}

/** The bot gets them as `customParameters`. */
function readParameters(stream: XmlElement): ReadonlyMap<string, string> {
  const parameters = streamParameters(stream);
  for (const [name, value] of parameters) {
    if (name.length + value.length > MAX_PARAMETER_CHARACTERS)
      throw invalid(`<Parameter> ${name.slice(0, 40)} is longer than ${MAX_PARAMETER_CHARACTERS} characters`);
  }
  return parameters;
}

function readDial(element: XmlElement, warnings: string[]): DialVerb {
  const parties: DialParty[] = [];
  for (const party of element.children) {
    if (['Application', 'Client', 'Conference', 'Queue', 'Sim', 'Sip', 'WhatsApp'].includes(party.name))
      warnings.push(`<Dial> to a <${party.name}> is not played here, only to a <Number>`);
    else if (party.name !== 'Number') throw invalid(`<${party.name}> cannot stand in <Dial>, write <Number>`);
    else parties.push(readParty(party, warnings));
  }
  const number = element.text.trim();
  if (element.children.length === 0 && number) parties.push({ number: telephoneNumber(number, '<Dial>') });
  const { attributes } = element;
  const callerId = attributes.get('callerId');
  const action = attributes.get('action');
  return {
    verb: 'dial',
    parties,
    ...(callerId && { callerId: telephoneNumber(callerId, '<Dial> callerId') }),
    ringTimeoutMs: secondsOf(element, 'timeout', 30) * 1_000,
    timeLimitMs: secondsOf(element, 'timeLimit', 14_400) * 1_000,
    ...(action && { action: { url: action, method: methodOf(element, 'method') } }),
    isRedirecting: true,
  };
}

function readParty(element: XmlElement, warnings: string[]): DialParty {
  warnAboutAttributes(element, PARTY_ATTRIBUTES, warnings);
  const number = telephoneNumber(element.text.trim(), '<Number>');
  const url = element.attributes.get('statusCallback');
  if (!url) return { number };
  const events = (element.attributes.get('statusCallbackEvent') ?? 'completed').split(/\s+/);
  const unknown = events.find((event) => !CALL_EVENTS.includes(event));
  if (unknown !== undefined) throw invalid(`<Number> statusCallbackEvent has no event "${unknown}"`);
  return { number, callback: { url, method: methodOf(element, 'statusCallbackMethod') }, events };
}
