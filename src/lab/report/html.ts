/** A piece of a page: what is put into it as text is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type HtmlPart = Html | string | number | undefined | readonly (Html | string)[];

/** Makes a piece of a page: every text that is put in stays text, whatever stands in it, also between the quotes of an attribute. */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  new Html(String.raw({ raw: strings }, ...parts.map(textOfPart)));

function textOfPart(part: HtmlPart): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return part.map(textOfPart).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** JSON for a `<script type="application/json">`, which nothing in it can end. */
export const jsonInHtml = (value: unknown): Html => new Html(JSON.stringify(value).replaceAll('<', '\\u003c'));
