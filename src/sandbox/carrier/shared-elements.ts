import type { StreamVerb } from './call-document.js';
import {
  addressIn,
  invalid,
  methodOf,
  oneOf,
  secondsOf,
  spokenText,
  targetIn,
  warnAboutAttributes,
} from './element-fields.js';
import type { VerbReader } from './response-document.js';
import type { XmlElement } from './xml.js';

const DAY_MS = 86_400_000;

/** Elements that the documents of two carriers have in common, and a third under other names. @see carrier reference 7.1, 7.2 */
export const SHARED_ELEMENTS = {
  Redirect: {
    attributes: ['method'],
    read: (element) => ({ verb: 'redirect', url: addressIn(element), method: methodOf(element, 'method') }),
  },
  Hangup: { attributes: [], read: () => ({ verb: 'hangup', afterMs: 0 }) },
  Reject: {
    attributes: ['reason'],
    read: (element) => {
      const reason = oneOf(element, 'reason', ['busy', 'rejected']) ?? 'rejected';
      return { verb: 'hangup', reason, afterMs: 0 };
    },
  },
  Say: {
    attributes: ['voice', 'language'],
    read: (element) => {
      const language = element.attributes.get('language') ?? 'en-US';
      return { verb: 'speak', text: spokenText(element), language };
    },
  },
  Pause: {
    attributes: ['length'],
    read: (element) => ({ verb: 'wait', ms: secondsOf(element, 'length', 1) * 1_000 }),
  },
  Play: { attributes: [], read: (element) => ({ verb: 'play', url: addressIn(element) }) },
} as const satisfies Readonly<Record<string, VerbReader>>;

/** Elements of other carriers, with what to write instead in such a document. */
export const INSTEAD_OF_FOREIGN: Readonly<Record<string, string>> = {
  DTMF: '<Play digits="...">',
  GetDigits: '<Gather>',
  GetInput: '<Gather>',
  Speak: '<Say>',
  Stream: '<Connect><Stream url="..."/></Connect>',
  Wait: '<Pause>',
};

/**
 * Reads the one `<Stream>` in a `<Connect>` or `<Start>`.
 * @param known its attributes
 * @param isConnect the verb after it waits for the end of the stream
 */
export function readStreamIn(parent: XmlElement, known: readonly string[], warnings: string[], isConnect: boolean) {
  const element = streamIn(parent);
  warnAboutAttributes(element, known, warnings);
  const { attributes } = element;
  const url = attributes.get('url') ?? '';
  if (!URL.canParse(url)) throw invalid(`<Stream> url="${url.slice(0, 80)}" must be an address`);
  const track = oneOf(element, 'track', ['inbound_track', 'outbound_track', 'both_tracks']) ?? 'inbound_track';
  if (track !== 'inbound_track')
    warnings.push(`<Stream> track="${track}": the sandbox streams what the phone says, and nothing else`);
  const verb: Omit<StreamVerb, 'bidirectional' | 'format'> = {
    verb: 'stream',
    url,
    keepCallAlive: isConnect,
    endsOnTransfer: true,
    statusCallback: targetIn(element, 'statusCallback', 'statusCallbackMethod'),
    timeoutMs: DAY_MS,
    attributes,
    parameters: streamParameters(element),
  };
  return { element, track, verb };
}

function streamIn(parent: XmlElement): XmlElement {
  const [element] = parent.children;
  if (element?.name === 'Stream' && parent.children.length === 1) return element;
  throw invalid(`the sandbox plays one <Stream> in a <${parent.name}>, and nothing else there`);
}

/** The `<Parameter>`s of a `<Stream>`, for the bot that serves it. */
function streamParameters({ children }: XmlElement): ReadonlyMap<string, string> {
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
