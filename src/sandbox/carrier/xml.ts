import { VoicebotError } from '../../base/errors.js';

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** All character data inside, descendants included, in document order. */
  readonly text: string;
}

interface OpenElement {
  name: string;
  attributes: Map<string, string>;
  children: XmlElement[];
  text: string;
}

const NAME = '[A-Za-z_][\\w.:-]*';
const ATTRIBUTE = `(${NAME})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`;
const TOKEN = new RegExp(
  [
    '(?<comment><!--(?:(?!--)[^])*-->)',
    '<!\\[CDATA\\[(?<cdata>[^]*?)\\]\\]>',
    '<\\?(?<instruction>[^]*?)\\?>',
    `</(?<close>${NAME})\\s*>`,
    `<(?<open>${NAME})(?<attributes>(?:\\s+${ATTRIBUTE.replace(/\((?!\?)/g, '(?:')})*)\\s*(?<empty>/?)>`,
    '(?<text>[^<]+)',
  ].join('|'),
  'y',
);
const ENTITIES = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Throws, naming the line of the place `offset` characters into the current token. */
type Fail = (what: string, offset?: number) => never;

/**
 * Reads one XML 1.0 document strictly: what a conforming reader refuses is refused here (a bare `&`, tags that do not
 * match, text outside the root, a repeated attribute). Document type declarations are refused too.
 * @throws VoicebotError VB_XML_INVALID with the line and what is wrong there
 * @see W3C XML 1.0 section 2.1, well-formed documents
 */
export function parseXml(source: string): XmlElement {
  const text = source.replace(/^\uFEFF/, '');
  const document: OpenElement = { name: '', attributes: new Map(), children: [], text: '' };
  const open = [document];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const fail: Fail = (what, offset = 0) => {
      const line = text.slice(0, at + offset).split('\n').length;
      throw new VoicebotError('VB_XML_INVALID', `line ${line}: ${what}`);
    };
    const current = open[open.length - 1] ?? document;
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.groups ?? fail(`cannot read "${text.slice(at, at + 40)}"`);
    if (token.open !== undefined) {
      if (current === document && document.children.length > 0) fail(`<${token.open}> is a second root element`);
      const attributes = readAttributes(token.attributes ?? '', fail);
      const element: OpenElement = { name: token.open, attributes, children: [], text: '' };
      current.children.push(element);
      if (token.empty === '') open.push(element);
    } else if (token.close !== undefined) {
      if (token.close !== current.name) fail(`</${token.close}> does not close <${current.name}>`);
      open.pop();
    } else if (token.instruction !== undefined) {
      if (/^xml\s/i.test(token.instruction) && at > 0) fail('nothing may stand before <?xml ... ?>');
    } else if (token.comment === undefined) {
      const data = token.cdata ?? resolveEntities(token.text ?? '', fail);
      if (current === document && /\S/.test(data)) fail(`text outside the root element: "${data.trim().slice(0, 40)}"`);
      for (const element of open) element.text += data;
    }
  }
  const unclosed = open[open.length - 1];
  if (unclosed !== document) throw new VoicebotError('VB_XML_INVALID', `<${unclosed?.name}> is not closed`);
  const [root] = document.children;
  if (!root) throw new VoicebotError('VB_XML_INVALID', 'the document is empty');
  return root;
}

function readAttributes(source: string, fail: Fail): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single] of source.matchAll(new RegExp(ATTRIBUTE, 'g'))) {
    if (attributes.has(name)) fail(`attribute ${name} is given twice`);
    attributes.set(name, resolveEntities(double ?? single ?? '', fail));
  }
  return attributes;
}

function resolveEntities(data: string, fail: Fail): string {
  return data.replace(
    /&(?:#(\d{1,7});|#x([\da-f]{1,6});|(\w+);)?/gi,
    (
      entity: string,
      decimal: string | undefined,
      hex: string | undefined,
      name: string | undefined,
      offset: number,
    ) => {
      const code = decimal ? Number.parseInt(decimal, 10) : hex ? Number.parseInt(hex, 16) : undefined;
      if (code !== undefined && code <= 0x10ffff) return String.fromCodePoint(code);
      if (code !== undefined) fail(`${entity} is not a character`, offset);
      const problem = name ? `unknown entity ${entity}` : 'a bare "&": write &amp;';
      return ENTITIES.get(name ?? '') ?? fail(problem, offset);
    },
  );
}
