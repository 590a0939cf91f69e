import type { SandboxDocument, StreamVerb } from '../carrier/call-document.js';
import { readDialIn } from '../carrier/dial-element.js';
import { addressIn, invalid, methodOf, oneOf, warnAboutAttributes } from '../carrier/element-fields.js';
import { type DocumentElements, readResponse } from '../carrier/response-document.js';
import { INSTEAD_OF_FOREIGN, SHARED_ELEMENTS, streamIn, streamParameters } from '../carrier/shared-elements.js';
import type { XmlElement } from '../carrier/xml.js';
import { STREAM_CODECS, STREAM_FORMATS } from './stream-formats.js';

const MAX_STREAM_URL_CHARACTERS = 2_000;
const DAY_MS = 86_400_000;
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
    parameters: streamParameters(element),
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
