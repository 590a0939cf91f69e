import type { SandboxDocument, Verb } from './call-document.js';
import { invalid, warnAboutAttributes } from './element-fields.js';
import { parseXml, type XmlElement } from './xml.js';

/** How one element of a carrier's documents is read. */
export interface VerbReader {
  /** Those that change something here. */
  readonly attributes: readonly string[];
  readonly read: (element: XmlElement, warnings: string[]) => Verb;
}

/** The elements that a carrier's documents are made of. */
export interface DocumentElements {
  readonly readers: Readonly<Record<string, VerbReader>>;
  /** Elements the carrier knows and the sandbox does not act out. */
  readonly others: readonly string[];
  /** Elements of another carrier, with what to write instead. */
  readonly foreign: Readonly<Record<string, string>>;
}

/**
 * Reads a `<Response>`, which all carriers with XML have. Strict: names are case-sensitive, an element the carrier does not
 * know makes the whole document invalid.
 * @throws VoicebotError VB_XML_INVALID saying what is wrong and what to write instead
 */
export function readResponse(source: string, { readers, others, foreign }: DocumentElements): SandboxDocument {
  const root = parseXml(source);
  if (root.name !== 'Response') throw invalid(`the root element is <${root.name}>, it must be <Response>`);
  const warnings: string[] = [];
  const verbs = root.children.map((element): Verb => {
    const { name } = element;
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (reader) {
      warnAboutAttributes(element, reader.attributes, warnings);
      return reader.read(element, warnings);
    }
    if (others.includes(name)) return { verb: 'unsupported', name };
    const instead = Object.hasOwn(foreign, name) ? `, write ${foreign[name]}` : '';
    throw invalid(`<${name}> is not an element of this carrier${instead}`);
  });
  return { verbs, warnings };
}
