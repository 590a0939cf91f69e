import type { DialParty, DialVerb } from './call-document.js';
import { invalid, secondsOf, targetIn, telephoneNumber, warnAboutAttributes } from './element-fields.js';
import type { VerbReader } from './response-document.js';
import type { XmlElement } from './xml.js';

/** How long something lasts when the element does not say, and between what it may be set, in seconds. */
interface Seconds {
  readonly otherwise: number;
  readonly least: number;
  readonly most: number;
}

/** What carriers differ in about `<Dial>`. */
export interface DialDifferences {
  /** Those to be dialled that the carrier knows and the sandbox does not play. */
  readonly notPlayed: readonly string[];
  readonly ringS: Seconds;
  readonly limitS: Seconds;
  /** What stands between the names of the events that a party's `statusCallback` is told. */
  readonly eventSeparator: RegExp;
}

const ATTRIBUTES = ['callerId', 'timeout', 'timeLimit', 'action', 'method'];
const PARTY_ATTRIBUTES = ['statusCallback', 'statusCallbackEvent', 'statusCallbackMethod'];
const CALL_EVENTS = ['initiated', 'ringing', 'answered', 'completed'];

/** Reads `<Dial>` with `<Number>`s in it, as two carriers have it. @see carrier reference 7.1, 7.2 */
export function readDialIn(of: DialDifferences): VerbReader {
  return { attributes: ATTRIBUTES, read: (element, warnings) => readDial(element, warnings, of) };
}

function readDial(element: XmlElement, warnings: string[], of: DialDifferences): DialVerb {
  const parties: DialParty[] = [];
  for (const party of element.children) {
    if (of.notPlayed.includes(party.name))
      warnings.push(`<Dial> to a <${party.name}> is not played here, only to a <Number>`);
    else if (party.name !== 'Number') throw invalid(`<${party.name}> cannot stand in <Dial>, write <Number>`);
    else parties.push(readParty(party, warnings, of.eventSeparator));
  }
  const number = element.text.trim();
  if (element.children.length === 0 && number) parties.push({ number: telephoneNumber(number, '<Dial>') });
  const callerId = element.attributes.get('callerId');
  return {
    verb: 'dial',
    parties,
    ...(callerId && { callerId: telephoneNumber(callerId, '<Dial> callerId') }),
    ringTimeoutMs: secondsIn(element, 'timeout', of.ringS) * 1_000,
    timeLimitMs: secondsIn(element, 'timeLimit', of.limitS) * 1_000,
    action: targetIn(element, 'action', 'method'),
    isRedirecting: true,
  };
}

function readParty(element: XmlElement, warnings: string[], eventSeparator: RegExp): DialParty {
  warnAboutAttributes(element, PARTY_ATTRIBUTES, warnings);
  const number = telephoneNumber(element.text.trim(), '<Number>');
  const callback = targetIn(element, 'statusCallback', 'statusCallbackMethod');
  if (!callback) return { number };
  const events = (element.attributes.get('statusCallbackEvent') ?? 'completed').split(eventSeparator);
  const unknown = events.find((event) => !CALL_EVENTS.includes(event));
  if (unknown !== undefined) throw invalid(`<Number> statusCallbackEvent has no event "${unknown}"`);
  return { number, callback, events };
}

function secondsIn(element: XmlElement, name: string, { otherwise, least, most }: Seconds): number {
  const seconds = secondsOf(element, name, otherwise);
  if (seconds >= least && seconds <= most) return seconds;
  throw invalid(`<${element.name}> ${name}="${seconds}" must be ${least} to ${most}`);
}
