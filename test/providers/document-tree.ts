import { parseXml, type XmlElement } from '../../src/sandbox/carrier/xml.js';

/** Names, attributes in the order of their names, texts and children. */
export function treeOf({ name, attributes, text, children }: XmlElement): unknown {
  return [name, [...attributes].sort(), text, children.map(treeOf)];
}

export const treeOfDocument = (xml: string): unknown => treeOf(parseXml(xml));
