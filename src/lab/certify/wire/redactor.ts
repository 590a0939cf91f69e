import type { WireFields } from './wire-item.js';

/** The last word of a field's name whose values are told as they are: no person and no account stands in them. */
const PLAIN_WORDS = new Set(
  (
    'event type track tracks encoding rate channels channel codec format status state direction cause code source reason method version ' +
    'machine by action digit digits dtmf protocol kind bitrate'
  ).split(' '),
);
/** A field about a person or a place in spite of its last word: `FromState`. */
const OF_PARTIES = /^(from|to|caller|called|forwarded)$/;

/** Whether the words of a provider stand in this field, by its name. */
function isPlainField(path: string): boolean {
  const words = (path.split('.').at(-1) ?? '')
    .replace(/\[\]$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_-]+/);
  return PLAIN_WORDS.has(words.at(-1) ?? '') && !OF_PARTIES.test(words[0] ?? '');
}

/** A word of a provider: no spaces at its ends, no digits that could be a number of a person. */
const WORD = /^[a-z][a-z0-9_+;=/. -]{0,47}$/i;
/** A word without a space in it. */
const TOKEN = /^[a-z][a-z0-9_+;=/.-]{0,31}$/i;
/** Of a telephone. */
const KEY = /^[0-9*#A-D]$/;
const MAX_PLAIN_DIGITS = 5;
/** Of a body or a sound: no text of base64, though its letters are. */
const MEDIA_TYPE = /^(application|audio|text|multipart)\/[a-z][a-z0-9.+-]{0,40}$/;
/** A field whose names are people, `byUserId`. */
const OF_MAPS = /^by([A-Z]|_)/;
/** Of a payload, in bytes. */
const BASE64 = /^(?=.*[0-9+/=]|.*[a-z].*[A-Z]{2}|.*[A-Z]{2}.*[a-z])[A-Za-z0-9+/_-]{16,}={0,2}$/;
/** What voicebot calls a call that it places. */
const OWN_CALL = /^out_[\w-]{16}$/;
/** A part of a path that is a word of the provider's, and no identifier that happens to have no digit. */
const WORD_OF_PATH = /^([a-z]+([_-][a-z]+)*|([A-Z]?[a-z]+)([A-Z][a-z]+)*)$/;
const MAX_WORD_OF_PATH = 41;

/** Forms of values, from the narrowest on. */
const FORMS: ReadonlyArray<readonly [form: string, pattern: RegExp]> = [
  ['date, ISO 8601', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/],
  ['date, ISO 8601 without a zone', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/],
  ['date and time', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:?\d\d)?$/],
  ['date, RFC 2822', /^(\w{3}, )?\d{1,2} \w{3} \d{4} \d\d:\d\d:\d\d ([+-]\d{4}|GMT|UTC)$/],
  ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  ['number with +', /^\+\d{7,15}$/],
  ['sip address', /^sips?:/i],
  ['wss address', /^wss?:\/\//i],
  ['address', /^https?:\/\//i],
  ['path', /^\/[\w./?=&%-]*$/],
  ['decimal', /^-?\d+\.\d+$/],
  ['hex', /^[0-9a-f]{16,}$/],
];
/** Identifiers that begin with what they are of: `CA` and 32 hexadecimal digits, `v3:` and a text. */
const SID = /^([A-Z]{2})[0-9a-f]{32}$/;
const VERSIONED = /^(v\d):[\w+/=-]{8,}$/;

/**
 * Tells values by their form, so that what is written down can be sent to others: a value stands there as it is only where it is a word of
 * the provider's. What is not known to be one is named by its form alone.
 */
export class Redactor {
  readonly #known = new Map<string, string>();

  /** @param words of the provider that the sandbox says too, wherever they stand; `all`: every word may be told, since no person has said it */
  constructor(private readonly words: ReadonlySet<string> | 'all' = new Set()) {}

  /** From now on `value` is told as `<name>`. Numbers are known in both forms, with "+" and without. */
  learn(name: string, value: string | undefined): void {
    if (!value) return;
    this.#known.set(value, `<${name}>`);
    if (/^\+\d+$/.test(value)) this.#known.set(value.slice(1), `<${name}, digits>`);
  }

  /** The fields of a message, as they may be told. @param value what came as JSON, or names and values */
  fields(value: unknown): WireFields {
    const found = new Map<string, Set<string>>();
    const add = (path: string, one: unknown) => {
      const told = this.value(path, one);
      const values = found.get(path);
      if (values) values.add(told);
      else found.set(path, new Set([told]));
    };
    const walk = (path: string, one: unknown): void => {
      if (Array.isArray(one)) {
        if (one.length === 0) add(`${path}[]`, undefined);
        for (const item of one) walk(`${path}[]`, item);
      } else if (typeof one === 'object' && one !== null) {
        for (const [name, inner] of Object.entries(one)) {
          const told = this.#name(name, path.split('.').at(-1) ?? '');
          walk(path === '' ? told : `${path}.${told}`, inner);
        }
      } else add(path, one);
    };
    walk('', value);
    return Object.fromEntries([...found].map(([path, values]) => [path, [...values].sort()]));
  }

  /** A single value. */
  value(path: string, value: unknown): string {
    if (value === undefined || value === null) return String(value ?? 'nothing');
    if (typeof value === 'boolean') return `${value}`;
    const isPlain = isPlainField(path);
    if (typeof value === 'number')
      return isPlain || value === 0 ? `${value}` : Number.isInteger(value) ? 'integer' : 'fraction';
    return this.#text(path, String(value), isPlain);
  }

  /** A path of an address: what names an account, a call or a number in it is left out. */
  path(path: string): string {
    return path
      .split('/')
      .map((part) => {
        const plain = decodeURIComponent(part.replace(/%(?![0-9a-f]{2})/gi, '%25'));
        const [name = '', ending = ''] = plain.split(/(\.json|\.xml)$/);
        const known = this.#known.get(name);
        if (known) return known + ending;
        if (WORD_OF_PATH.test(name) && name.length <= MAX_WORD_OF_PATH) return plain;
        return name === '' ? '' : `<id>${ending}`;
      })
      .join('/');
  }

  #text(path: string, value: string, isPlain: boolean): string {
    const known = this.#known.get(value);
    if (known) return known;
    if (value === '') return 'empty text';
    if (/payload$/i.test(path) && /^[A-Za-z0-9+/]+={0,2}$/.test(value))
      return `base64, ${Buffer.from(value, 'base64').length} bytes`;
    if (/^-?\d+$/.test(value)) {
      const isShort = value.length <= MAX_PLAIN_DIGITS;
      return isPlain && isShort ? `"${value}"` : value.length >= 10 && value.length <= 15 ? 'long digits' : 'digits';
    }
    // One signature in sixty-four begins with a slash, and is no path.
    if (/signature/i.test(path) && value.startsWith('/') && BASE64.test(value)) return 'base64';
    const sid = SID.exec(value) ?? VERSIONED.exec(value);
    if (sid) return `${sid[1]} identifier`;
    const form = FORMS.find(([, pattern]) => pattern.test(value));
    if (form) return form[0];
    if (isPlain && MEDIA_TYPE.test(value)) return `"${value}"`;
    if (BASE64.test(value) || OWN_CALL.test(value)) return 'base64';
    const isTold = this.words === 'all' ? TOKEN.test(value) : this.words.has(value);
    if (isTold || (isPlain && (WORD.test(value) || KEY.test(value)))) return `"${value}"`;
    return value.includes('<') || value.includes('&') ? 'marked up text' : 'text';
  }

  /**
   * Names of fields come from the provider, but for custom parameters, which may be anything, and for maps, whose names say who is meant.
   * @param map the field that it is in
   */
  #name(name: string, map: string): string {
    const known = this.#known.get(name);
    if (known) return known;
    if (!/^(?=.)[@$#]?[\w.:-]{0,64}$/.test(name)) return '<name>';
    return OF_MAPS.test(map) || isIdentifier(name) ? '<id>' : name;
  }
}

/** Whether a name is made up for one call or person: digits as in no word, alone or among letters. */
const isIdentifier = (name: string): boolean =>
  /\d{6,}/.test(name) ||
  OWN_CALL.test(name) ||
  /^(?=(.*\d){2})(?=.*[a-z])(?=.*[A-Z])[\w-]{16,}$/.test(name) ||
  name.split(/[^a-z0-9]+/i).some((part) => /^(?=(.*\d){2})([0-9a-f]{8,}|[a-z0-9]{12,})$/i.test(part));
