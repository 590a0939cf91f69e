import type { DialParty, DialVerb, SandboxDocument, StreamVerb } from '../carrier/call-document.js';
import {
  addressIn,
  invalid,
  oneOf,
  secondsOf,
  targetIn,
  telephoneNumber,
  warnAboutAttributes,
} from '../carrier/element-fields.js';
import { type DocumentElements, readResponse } from '../carrier/response-document.js';
import { SHARED_ELEMENTS } from '../carrier/shared-elements.js';
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
    Redirect: SHARED_ELEMENTS.Redirect,
    Hangup: {
      attributes: ['reason', 'schedule'],
      read: (element) => {
        const reason = oneOf(element, 'reason', ['busy', 'rejected']);
        return { verb: 'hangup', ...(reason && { reason }), afterMs: secondsOf(element, 'schedule', 0) * 1_000 };
      },
    },
    Speak: SHARED_ELEMENTS.Say,
    Play: SHARED_ELEMENTS.Play,
    Wait: SHARED_ELEMENTS.Pause,
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
  return {
    verb: 'stream',
    url,
    bidirectional,
    keepCallAlive,
    endsOnTransfer: false,
    format: STREAM_FORMATS.get(contentType ?? UNNAMED_STREAM_FORMAT) as SandboxStreamFormat,
    statusCallback: targetIn(element, 'statusCallbackUrl', 'statusCallbackMethod'),
    timeoutMs: secondsOf(element, 'streamTimeout', 86_400) * 1_000,
    attributes: element.attributes,
    parameters: new Map(),
  };
}

function readDial(element: XmlElement, warnings: string[]): DialVerb {
  const callback = targetIn(element, 'callbackUrl', 'callbackMethod');
  const parties: DialParty[] = [];
  for (const party of element.children) {
    if (party.name === 'User') warnings.push('<Dial> to a <User> is not played here, only to a <Number>');
    else if (party.name !== 'Number') throw invalid(`<${party.name}> cannot stand in <Dial>, write <Number>`);
    else {
      warnAboutAttributes(party, [], warnings);
      parties.push({ number: telephoneNumber(party.text.trim(), '<Number>'), callback });
    }
  }
  const callerId = element.attributes.get('callerId');
  return {
    verb: 'dial',
    parties,
    ...(callerId && { callerId: telephoneNumber(callerId, '<Dial> callerId') }),
    ringTimeoutMs: secondsOf(element, 'timeout', 120) * 1_000,
    timeLimitMs: secondsOf(element, 'timeLimit', 14_400) * 1_000,
    action: targetIn(element, 'action', 'method'),
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
