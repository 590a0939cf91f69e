import type { SandboxDocument, StreamVerb } from '../carrier/call-document.js';
import { readDialIn } from '../carrier/dial-element.js';
import { invalid, oneOf } from '../carrier/element-fields.js';
import { type DocumentElements, readResponse } from '../carrier/response-document.js';
import { INSTEAD_OF_FOREIGN, readStreamIn, SHARED_ELEMENTS } from '../carrier/shared-elements.js';
import type { XmlElement } from '../carrier/xml.js';
import { STREAM_CODECS, STREAM_FORMATS } from './stream-formats.js';

const MAX_STREAM_URL_CHARACTERS = 2_000;
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

function readStream(parent: XmlElement, warnings: string[], isConnect: boolean): StreamVerb {
  const { element, verb } = readStreamIn(parent, STREAM_ATTRIBUTES, warnings, isConnect);
  if (verb.url.length > MAX_STREAM_URL_CHARACTERS)
    throw invalid(`<Stream> url is longer than ${MAX_STREAM_URL_CHARACTERS} characters`);
  const bidirectional = oneOf(element, 'bidirectionalMode', ['mp3', 'rtp']) === 'rtp';
  if (isConnect && !bidirectional) {
    warnings.push('<Stream> without bidirectionalMode="rtp" takes what the bot sends for MP3 files, and drops it');
  }
  oneOf(element, 'enableReconnect', ['true', 'false']);
  return { ...verb, bidirectional, format: streamFormat(element, warnings) };
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
