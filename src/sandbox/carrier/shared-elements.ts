import { addressIn, invalid, methodOf, oneOf, secondsOf, spokenText } from './element-fields.js';
import type { VerbReader } from './response-document.js';
import type { XmlElement } from './xml.js';

/** Elements that the documents of two carriers have in common. @see carrier reference 7.1, 7.2 */
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

/** The one `<Stream>` in a `<Connect>` or `<Start>`. */
export function streamIn(parent: XmlElement): XmlElement {
  const [element] = parent.children;
  if (element?.name === 'Stream' && parent.children.length === 1) return element;
  throw invalid(`the sandbox plays one <Stream> in a <${parent.name}>, and nothing else there`);
}

/** The `<Parameter>`s of a `<Stream>`, for the bot that serves it. */
export function streamParameters({ children }: XmlElement): ReadonlyMap<string, string> {
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
