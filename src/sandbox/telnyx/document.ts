<<<<<<< Updated upstream
import type { SandboxDocument, StreamVerb } from '../carrier/call-document.js';
import { readDialIn } from '../carrier/dial-element.js';
import { addressIn, invalid, methodOf, oneOf, warnAboutAttributes } from '../carrier/element-fields.js';
import { type DocumentElements, readResponse } from '../carrier/response-document.js';
import { INSTEAD_OF_FOREIGN, SHARED_ELEMENTS, streamIn, streamParameters } from '../carrier/shared-elements.js';
import type { XmlElement } from '../carrier/xml.js';
import { STREAM_CODECS, STREAM_FORMATS } from './stream-formats.js';

const MAX_STREAM_URL_CHARACTERS = 2_000;
const DAY_MS = 86_400_000;
=======
import type { DialParty, DialVerb, SandboxDocument, StreamVerb, Verb } from '../carrier/call-document.js';
import {
  addressIn,
  invalid,
  methodOf,
  oneOf,
  secondsOf,
  spokenText,
  telephoneNumber,
  warnAboutAttributes,
} from '../carrier/element-fields.js';
import { parseXml, type XmlElement } from '../carrier/xml.js';
import { STREAM_CODECS, STREAM_FORMATS } from './stream-formats.js';

/** Elements the carrier knows and the sandbox does not act out. */
const OTHER_VERBS = [
  'AIAssistant',
  'Enqueue',
  'Gather',
  'HttpRequest',
  'Leave',
  'Record',
  'Refer',
  'Siprec',
  'Stop',
  'Suppression',
  'Transcription',
];

/** Elements of another carrier, with what to write instead. */
const FOREIGN_VERBS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    DTMF: '<Play digits="...">',
    GetDigits: '<Gather>',
    GetInput: '<Gather>',
    Speak: '<Say>',
    Stream: '<Connect><Stream .../></Connect>',
    Wait: '<Pause>',
  }),
);

const MAX_STREAM_URL_CHARACTERS = 2_000;
const DAY_MS = 86_400_000;
const CALL_EVENTS = ['initiated', 'ringing', 'answered', 'completed'];

/**
 * Reads TeXML. Strict: names are case-sensitive, an element the carrier does not know makes the whole document invalid.
 * @throws VoicebotError VB_XML_INVALID saying what is wrong and what to write instead
 * @see carrier reference 7.2
 */
export function readTexml(source: string): SandboxDocument {
  const root = parseXml(source);
  if (root.name !== 'Response') throw invalid(`the root element is <${root.name}>, it must be <Response>`);
  const warnings: string[] = [];
  const verbs = root.children.map((element) => {
    const reader = READERS.get(element.name);
    if (reader) {
      warnAboutAttributes(element, reader.attributes, warnings);
      return reader.read(element, warnings);
    }
    if (OTHER_VERBS.includes(element.name)) return { verb: 'unsupported', name: element.name } as const;
    const instead = FOREIGN_VERBS.get(element.name);
    throw invalid(`<${element.name}> is not an element of this carrier${instead ? `, write ${instead}` : ''}`);
  });
  return { verbs, warnings };
}

interface VerbReader {
  readonly attributes: readonly string[];
  readonly read: (element: XmlElement, warnings: string[]) => Verb;
}

const READERS: ReadonlyMap<string, VerbReader> = new Map(
  Object.entries<VerbReader>({
    Connect: { attributes: [], read: (element, warnings) => readStreamIn(element, warnings, true) },
    Start: { attributes: [], read: (element, warnings) => readStreamIn(element, warnings, false) },
    Dial: { attributes: ['callerId', 'timeout', 'timeLimit', 'action', 'method'], read: readDial },
    Redirect: {
      attributes: ['method'],
      read: (element) => ({ verb: 'redirect', url: addressIn(element), method: methodOf(element, 'method') }),
    },
    Hangup: { attributes: [], read: () => ({ verb: 'hangup', afterMs: 0 }) },
    Reject: {
      attributes: ['reason'],
      read: (element) => ({
        verb: 'hangup',
        reason: oneOf(element, 'reason', ['busy', 'rejected']) ?? 'rejected',
        afterMs: 0,
      }),
    },
    Say: {
      attributes: ['voice', 'language'],
      read: (element) => ({
        verb: 'speak',
        text: spokenText(element),
        language: element.attributes.get('language') ?? 'en-US',
      }),
    },
    Play: { attributes: [], read: (element) => ({ verb: 'play', url: addressIn(element) }) },
    Pause: {
      attributes: ['length'],
      read: (element) => ({ verb: 'wait', ms: secondsOf(element, 'length', 1) * 1_000 }),
    },
  }),
);

>>>>>>> Stashed changes
const STREAM_ATTRIBUTES = [
  'url',
  'name',
  'track',
  'codec',
  'bidirectionalMode',
  'bidirectionalCodec',
  'bidirectionalSamplingRate',
  'enableReconnect',
  'statusCallback',
  'statusCallbackMethod',
];

<<<<<<< Updated upstream
/** @throws VoicebotError VB_XML_INVALID @see carrier reference 7.2 */
export const readTexml = (source: string): SandboxDocument => readResponse(source, TEXML);

const TEXML: DocumentElements = {
  readers: {
    ...SHARED_ELEMENTS,
    Connect: { attributes: [], read: (element, warnings) => readStream(element, warnings, true) },
    Start: { attributes: [], read: (element, warnings) => readStream(element, warnings, false) },
    Dial: readDialIn({
      notPlayed: ['Client', 'Conference', 'Queue', 'Sip'],
      ringS: { otherwise: 30, least: 5, most: 120 },
      limitS: { otherwise: 14_400, least: 60, most: 14_400 },
      eventSeparator: /[\s,]+/,
    }),
    Play: { attributes: [], read: (element) => ({ verb: 'play', url: addressIn(element) }) },
  },
  others: [
    'AIAssistant',
    'Enqueue',
    'Gather',
    'HttpRequest',
    'Leave',
    'Record',
    'Refer',
    'Siprec',
    'Stop',
    'Suppression',
    'Transcription',
  ],
  foreign: INSTEAD_OF_FOREIGN,
};

/** @param isConnect the verb after it waits for the end of the stream */
function readStream(parent: XmlElement, warnings: string[], isConnect: boolean): StreamVerb {
  const element = streamIn(parent);
=======
/** @param isConnect the verb after it waits for the end of the stream */
function readStreamIn(parent: XmlElement, warnings: string[], isConnect: boolean): StreamVerb {
  const [element] = parent.children;
  if (element?.name !== 'Stream' || parent.children.length > 1) {
    throw invalid(`the sandbox plays one <Stream> in a <${parent.name}>, and nothing else there`);
  }
>>>>>>> Stashed changes
  warnAboutAttributes(element, STREAM_ATTRIBUTES, warnings);
  const { attributes } = element;
  const url = attributes.get('url') ?? '';
  if (!URL.canParse(url)) throw invalid(`<Stream> url="${url.slice(0, 80)}" must be an address`);
  if (url.length > MAX_STREAM_URL_CHARACTERS)
    throw invalid(`<Stream> url is longer than ${MAX_STREAM_URL_CHARACTERS} characters`);
  const track = oneOf(element, 'track', ['inbound_track', 'outbound_track', 'both_tracks']) ?? 'inbound_track';
  if (track !== 'inbound_track')
    warnings.push(`<Stream> track="${track}": the sandbox streams what the phone says, and nothing else`);
  const bidirectional = oneOf(element, 'bidirectionalMode', ['mp3', 'rtp']) === 'rtp';
  if (isConnect && !bidirectional) {
    warnings.push('<Stream> without bidirectionalMode="rtp" takes what the bot sends for MP3 files, and drops it');
  }
  oneOf(element, 'enableReconnect', ['true', 'false']);
  const statusUrl = attributes.get('statusCallback');
  return {
    verb: 'stream',
    url,
    bidirectional,
    keepCallAlive: isConnect,
    endsOnTransfer: true,
    format: streamFormat(element, warnings),
    ...(statusUrl && { statusCallback: { url: statusUrl, method: methodOf(element, 'statusCallbackMethod') } }),
    timeoutMs: DAY_MS,
    attributes,
<<<<<<< Updated upstream
    parameters: streamParameters(element),
=======
    parameters: readParameters(element),
>>>>>>> Stashed changes
  };
}

/** The two directions can have different codecs at the carrier, and have the same here. */
function streamFormat(element: XmlElement, warnings: string[]): StreamVerb['format'] {
  const toCaller = oneOf(element, 'bidirectionalCodec', STREAM_CODECS) ?? 'PCMU';
  const rate = oneOf(element, 'bidirectionalSamplingRate', ['8000', '16000', '24000']) ?? '8000';
  const toBot = oneOf(element, 'codec', [...STREAM_CODECS, 'default']) ?? 'default';
  if (toBot === 'default') {
    warnings.push('<Stream> without codec carries what the call happens to have, here PCMU. A bot wants codec="PCMU"');
  }
  const codec = toBot === 'default' ? 'PCMU' : toBot;
  const format = STREAM_FORMATS.get(`${codec} ${rate}`);
  if (format && codec === toCaller) return format;
  throw invalid(
    `the sandbox streams ${[...STREAM_FORMATS.keys()].join(', ')}, the same both ways, not codec="${toBot}" with bidirectionalCodec="${toCaller}" at ${rate} Hz`,
  );
}
<<<<<<< Updated upstream
=======

/** `<Parameter>`: the bot gets them as `custom_parameters`. */
function readParameters({ children }: XmlElement): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const { name: element, attributes } of children) {
    const name = attributes.get('name');
    const value = attributes.get('value');
    if (element !== 'Parameter' || !name || value === undefined)
      throw invalid('<Stream> takes only <Parameter name="..." value="..."/>');
    parameters.set(name, value);
  }
  return parameters;
}

function readDial(element: XmlElement, warnings: string[]): DialVerb {
  const parties: DialParty[] = [];
  for (const party of element.children) {
    if (['Sip', 'Conference', 'Queue', 'Client'].includes(party.name)) {
      warnings.push(`<Dial> to a <${party.name}> is not played here, only to a <Number>`);
    } else if (party.name !== 'Number') throw invalid(`<${party.name}> cannot stand in <Dial>, write <Number>`);
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
    ringTimeoutMs: secondsBetween(element, 'timeout', 30, 5, 120) * 1_000,
    timeLimitMs: secondsBetween(element, 'timeLimit', 14_400, 60, 14_400) * 1_000,
    ...(action && { action: { url: action, method: methodOf(element, 'method') } }),
    isRedirecting: true,
  };
}

function readParty(element: XmlElement, warnings: string[]): DialParty {
  warnAboutAttributes(element, ['statusCallback', 'statusCallbackEvent', 'statusCallbackMethod'], warnings);
  const number = telephoneNumber(element.text.trim(), '<Number>');
  const url = element.attributes.get('statusCallback');
  if (!url) return { number };
  const events = (element.attributes.get('statusCallbackEvent') ?? 'completed').split(/[\s,]+/);
  const unknown = events.find((event) => !CALL_EVENTS.includes(event));
  if (unknown !== undefined) throw invalid(`<Number> statusCallbackEvent has no event "${unknown}"`);
  return { number, callback: { url, method: methodOf(element, 'statusCallbackMethod') }, events };
}

function secondsBetween(element: XmlElement, name: string, otherwise: number, least: number, most: number): number {
  const seconds = secondsOf(element, name, otherwise);
  if (seconds >= least && seconds <= most) return seconds;
  throw invalid(`<${element.name}> ${name}="${seconds}" must be ${least} to ${most}`);
}
>>>>>>> Stashed changes
