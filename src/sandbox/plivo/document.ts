import type { DialParty, DialVerb, SandboxDocument, StreamVerb } from '../carrier/call-document.js';
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
import { type DocumentElements, readResponse } from '../carrier/response-document.js';
import type { XmlElement } from '../carrier/xml.js';
import type { SandboxStreamFormat } from '../network/stream-audio.js';

const MAX_STREAM_URL_CHARACTERS = 2048;
const MAX_EXTRA_HEADERS_BYTES = 512;

/** @throws VoicebotError VB_XML_INVALID saying what is wrong and what to write instead @see carrier reference 4 */
export const readCallDocument = (source: string): SandboxDocument => readResponse(source, ELEMENTS);

const ELEMENTS: DocumentElements = {
  readers: {
    Stream: {
      attributes: [
        'bidirectional',
        'audioTrack',
        'keepCallAlive',
        'contentType',
        'streamTimeout',
        'statusCallbackUrl',
        'statusCallbackMethod',
        'extraHeaders',
        'noiseCancellation',
        'noiseCancellationLevel',
      ],
      read: readStream,
    },
    Dial: {
      attributes: ['callerId', 'timeout', 'timeLimit', 'action', 'method', 'redirect', 'callbackUrl', 'callbackMethod'],
      read: readDial,
    },
    Redirect: {
      attributes: ['method'],
      read: (element) => ({ verb: 'redirect', url: addressIn(element), method: methodOf(element, 'method') }),
    },
    Hangup: {
      attributes: ['reason', 'schedule'],
      read: (element) => {
        const reason = oneOf(element, 'reason', ['busy', 'rejected']);
        return { verb: 'hangup', ...(reason && { reason }), afterMs: secondsOf(element, 'schedule', 0) * 1_000 };
      },
    },
    Speak: {
      attributes: ['voice', 'language'],
      read: (element) => ({
        verb: 'speak',
        text: spokenText(element),
        language: element.attributes.get('language') ?? 'en-US',
      }),
    },
    Play: { attributes: [], read: (element) => ({ verb: 'play', url: addressIn(element) }) },
    Wait: {
      attributes: ['length'],
      read: (element) => ({ verb: 'wait', ms: secondsOf(element, 'length', 1) * 1_000 }),
    },
  },
  // Carrier reference 4.1.
  others: ['Record', 'DTMF', 'GetDigits', 'GetInput', 'Conference', 'MultiPartyCall', 'PreAnswer'],
  foreign: {
    Connect: '<Stream> directly inside <Response>',
    Gather: '<GetInput>',
    Pause: '<Wait>',
    Reject: '<Hangup reason="rejected"/>',
    Say: '<Speak>',
    Start: '<Stream> directly inside <Response>',
  },
};

function readStream(element: XmlElement, warnings: string[]): StreamVerb {
  const url = addressIn(element);
  if (url.length > MAX_STREAM_URL_CHARACTERS)
    throw invalid(`<Stream> address is longer than ${MAX_STREAM_URL_CHARACTERS}`);
  const bidirectional = oneOf(element, 'bidirectional', ['true', 'false']) === 'true';
  const keepCallAlive = oneOf(element, 'keepCallAlive', ['true', 'false']) === 'true';
  const track = oneOf(element, 'audioTrack', ['inbound', 'outbound', 'both']) ?? 'inbound';
  if (bidirectional && track !== 'inbound')
    throw invalid('<Stream> with bidirectional="true" allows only audioTrack="inbound"');
  if (keepCallAlive && !bidirectional) throw invalid('<Stream> keepCallAlive="true" needs bidirectional="true"');
  const contentType = oneOf(element, 'contentType', [...STREAM_FORMATS.keys()]);
  if (contentType === undefined) {
    warnings.push(
      `<Stream> has no contentType, and the carrier's pages disagree about what it streams then: here it is ${UNNAMED_STREAM_FORMAT}. A bot wants contentType="audio/x-mulaw;rate=8000"`,
    );
  }
  const extraHeaders = element.attributes.get('extraHeaders') ?? '';
  if (Buffer.byteLength(extraHeaders) > MAX_EXTRA_HEADERS_BYTES)
    throw invalid('<Stream> extraHeaders is longer than 512 bytes');
  const statusUrl = element.attributes.get('statusCallbackUrl');
  return {
    verb: 'stream',
    url,
    bidirectional,
    keepCallAlive,
    endsOnTransfer: false,
    format: STREAM_FORMATS.get(contentType ?? UNNAMED_STREAM_FORMAT) as SandboxStreamFormat,
    ...(statusUrl && { statusCallback: { url: statusUrl, method: methodOf(element, 'statusCallbackMethod') } }),
    timeoutMs: secondsOf(element, 'streamTimeout', 86_400) * 1_000,
    attributes: element.attributes,
    parameters: new Map(),
  };
}

function readDial(element: XmlElement, warnings: string[]): DialVerb {
  const callback = element.attributes.get('callbackUrl');
  const told = callback && { callback: { url: callback, method: methodOf(element, 'callbackMethod') } };
  const parties: DialParty[] = [];
  for (const party of element.children) {
    if (party.name === 'User') warnings.push('<Dial> to a <User> is not played here, only to a <Number>');
    else if (party.name !== 'Number') throw invalid(`<${party.name}> cannot stand in <Dial>, write <Number>`);
    else {
      warnAboutAttributes(party, [], warnings);
      parties.push({ number: telephoneNumber(party.text.trim(), '<Number>'), ...told });
    }
  }
  const callerId = element.attributes.get('callerId');
  const action = element.attributes.get('action');
  return {
    verb: 'dial',
    parties,
    ...(callerId && { callerId: telephoneNumber(callerId, '<Dial> callerId') }),
    ringTimeoutMs: secondsOf(element, 'timeout', 120) * 1_000,
    timeLimitMs: secondsOf(element, 'timeLimit', 14_400) * 1_000,
    ...(action && { action: { url: action, method: methodOf(element, 'method') } }),
    isRedirecting: oneOf(element, 'redirect', ['true', 'false']) !== 'false',
  };
}

/** By the `contentType` of a `<Stream>`. @see carrier reference 4.2 */
const STREAM_FORMATS: ReadonlyMap<string, SandboxStreamFormat> = new Map([
  ['audio/x-mulaw;rate=8000', { contentType: 'audio/x-mulaw', sampleRate: 8_000 }],
  ['audio/x-l16;rate=8000', { contentType: 'audio/x-l16', sampleRate: 8_000 }],
  ['audio/x-l16;rate=16000', { contentType: 'audio/x-l16', sampleRate: 16_000 }],
]);

/** What a `<Stream>` without `contentType` carries: the carrier's guide says mu-law, its reference says this. */
const UNNAMED_STREAM_FORMAT = 'audio/x-l16;rate=8000';
