import { VoicebotError } from '../../base/errors.js';
import type { HttpMethod, WebhookTarget } from '../network/webhook-target.js';
import type { XmlElement } from './xml.js';

/** How the fields of a document's elements are read, whatever the carrier calls them. All throw VB_XML_INVALID. */

export const invalid = (what: string): VoicebotError => new VoicebotError('VB_XML_INVALID', what);

export function warnAboutAttributes(
  { name, attributes }: XmlElement,
  known: readonly string[],
  warnings: string[],
): void {
  for (const attribute of attributes.keys()) {
    if (!known.includes(attribute)) warnings.push(`<${name}> attribute ${attribute} has no effect`);
  }
}

/** The address that the element has as its text. */
export function addressIn(element: XmlElement): string {
  const url = element.text.trim();
  if (!URL.canParse(url)) throw invalid(`<${element.name}> needs an address as its text, got "${url.slice(0, 80)}"`);
  return url;
}

export function telephoneNumber(text: string, what: string): string {
  if (/^\+?\d{3,15}$/.test(text)) return text;
  throw invalid(`${what} needs a telephone number, digits only, got "${text.slice(0, 40)}"`);
}

/** Default POST. */
export function methodOf(element: XmlElement, name: string): HttpMethod {
  return oneOf(element, name, ['GET', 'POST']) ?? 'POST';
}

/** The address in an attribute, with its method in another; undefined without one. */
export function targetIn(element: XmlElement, address: string, method: string): WebhookTarget | undefined {
  const url = element.attributes.get(address);
  return url ? { url, method: methodOf(element, method) } : undefined;
}

export function oneOf<T extends string>(element: XmlElement, name: string, allowed: readonly T[]): T | undefined {
  const value = element.attributes.get(name);
  if (value === undefined || allowed.includes(value as T)) return value as T | undefined;
  throw invalid(`<${element.name}> ${name}="${value}" must be ${allowed.join(' or ')}`);
}

export function secondsOf(element: XmlElement, name: string, otherwise: number): number {
  const value = element.attributes.get(name);
  if (value === undefined) return otherwise;
  if (!/^[1-9]\d{0,5}$/.test(value))
    throw invalid(`<${element.name}> ${name}="${value}" must be whole seconds above 0`);
  return Number(value);
}

/** Text to be spoken, without the line breaks it was written with. */
export const spokenText = (element: XmlElement): string => element.text.replace(/\s+/g, ' ').trim();
