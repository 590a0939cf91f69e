const QUOTE = 0x22;
const COLON = 0x3a;
const PADDING = 0x3d;
const ZERO = 0x30;
const NINE = 0x39;
/** Stand in a form for any run of digits, for the payload, and for the counter; none of these bytes can occur in JSON text. */
const DIGITS_OF_STRING = 0;
const DIGITS_OF_NUMBER = 1;
const PAYLOAD = 2;
const COUNTER = 3;
/** A number of so many digits is exact. */
const MAX_COUNTER_DIGITS = 15;

const KEY = Buffer.from('"payload"');
/** Longer messages are not remembered, in bytes. */
const MAX_REMEMBERED = 2_048;

/** The value of each base64 digit by its code; -1 for every other byte. */
const BASE64 = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  BASE64[digit.charCodeAt(0)] = value;
}

/**
 * The form of a stream's audio messages: a message that differs from a parsed one only in the digits of its numbers, times
 * and identifiers, and in its payload, says the same, and its payload is taken from the bytes without parsing the message.
 */
export class MediaForm {
  #form = new Uint8Array(0);
  readonly #counterKey: Buffer | undefined;
  #counter = 0;

  /** @param counterKey of a number, written as a string of digits, that is wanted with each payload */
  constructor(counterKey?: string) {
    if (counterKey !== undefined) this.#counterKey = Buffer.from(`"${counterKey}"`);
  }

  /** Of the message that {@link payloadOf} has answered for last. */
  get counter(): number {
    return this.#counter;
  }

  /**
   * @param message JSON text that was understood as audio, whose payload is the string under its key `payload`, and whose
   *   counter, if one is wanted, was understood too
   */
  remember(message: Buffer): void {
    const keyAt = indexOfOnly(KEY, message);
    if (keyAt < 0 || message.includes('\\') || message.length > MAX_REMEMBERED) return;
    const counterAt = this.#counterKey === undefined ? undefined : stringAt(message, this.#counterKey);
    if (counterAt !== undefined && !isDigit(message[counterAt])) return;
    const payloadAt = message.indexOf(QUOTE, message.indexOf(COLON, keyAt + KEY.length)) + 1;
    const payloadEnd = message.indexOf(QUOTE, payloadAt);
    const form = new Uint8Array(message.length);
    const headEnd = addForm(form, 0, message, 0, payloadAt, counterAt);
    form[headEnd] = PAYLOAD;
    this.#form = form.slice(0, addForm(form, headEnd + 1, message, payloadEnd, message.length, counterAt));
  }

  /** The decoded payload of a message of this form; undefined for any other message. In memory of its own. */
  payloadOf(message: Buffer): Uint8Array | undefined {
    const form = this.#form;
    let at = 0;
    let payloadAt = 0;
    let payloadEnd = 0;
    let counter = 0;
    for (let i = 0; i < form.length; i += 1) {
      const wanted = form[i] as number;
      if (wanted > COUNTER) {
        if (message[at] !== wanted) return undefined;
        at += 1;
      } else if (wanted === PAYLOAD) {
        payloadAt = at;
        at = message.indexOf(QUOTE, at);
        if (at < 0) return undefined;
        payloadEnd = at;
      } else if (wanted === COUNTER) {
        const first = at;
        counter = 0;
        for (; isDigit(message[at]); at += 1) counter = counter * 10 + ((message[at] as number) - ZERO);
        if (at === first || at - first > MAX_COUNTER_DIGITS) return undefined;
      } else {
        const first = at;
        while (isDigit(message[at])) at += 1;
        const isNumber = at === first + 1 || message[first] !== ZERO; // JSON writes no leading zeros
        if (at === first || (wanted === DIGITS_OF_NUMBER && !isNumber)) return undefined;
      }
    }
    this.#counter = counter;
    return at === message.length ? decodeBase64(message, payloadAt, payloadEnd) : undefined;
  }
}

/** -1 also when it stands there more than once: which of them is a key, and whose, is not to be seen. */
function indexOfOnly(key: Buffer, text: Buffer): number {
  const at = text.indexOf(key);
  return text.indexOf(key, at + 1) < 0 ? at : -1;
}

/** Where the string begins that is the value of the only key of this name; -1 when it is no string, or not the only one. */
function stringAt(text: Buffer, key: Buffer): number {
  const keyAt = indexOfOnly(key, text);
  if (keyAt < 0) return -1;
  const quoteAt = text.indexOf(QUOTE, keyAt + key.length);
  return /^\s*:\s*$/.test(text.toString('latin1', keyAt + key.length, quoteAt)) ? quoteAt + 1 : -1;
}

/**
 * Writes the form of JSON text without escape sequences, which stands outside of strings where it begins or at a string's closing quote.
 * @returns where in `form` it ends
 */
function addForm(
  form: Uint8Array,
  formAt: number,
  text: Uint8Array,
  start: number,
  end: number,
  counterAt: number | undefined,
): number {
  let next = formAt;
  let isString = start > 0;
  for (let at = start; at < end; at += 1) {
    const byte = text[at] as number;
    if (byte === QUOTE) isString = !isString;
    if (isDigit(byte) && at > start && isDigit(text[at - 1])) continue;
    form[next] = isDigit(byte) ? digitsIn(isString, at === counterAt) : byte;
    next += 1;
  }
  return next;
}

function digitsIn(isString: boolean, isCounter: boolean): number {
  if (isCounter) return COUNTER;
  return isString ? DIGITS_OF_STRING : DIGITS_OF_NUMBER;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/** Padding may be missing. Undefined for what is not base64, or empty. */
function decodeBase64(text: Buffer, start: number, end: number): Uint8Array | undefined {
  let digits = end - start;
  if (text[end - 1] === PADDING) digits -= text[end - 2] === PADDING ? 2 : 1;
  const left = digits % 4;
  if (digits <= 0 || left === 1) return undefined;
  const bytes = Buffer.allocUnsafe(Math.floor((digits * 3) / 4));
  let wrong = 0;
  let at = start;
  let filled = 0;
  for (const last = start + digits - left; at < last; at += 4, filled += 3) {
    const a = BASE64[text[at] as number] as number;
    const b = BASE64[text[at + 1] as number] as number;
    const c = BASE64[text[at + 2] as number] as number;
    const d = BASE64[text[at + 3] as number] as number;
    wrong |= a | b | c | d;
    bytes[filled] = (a << 2) | (b >> 4);
    bytes[filled + 1] = (b << 4) | (c >> 2);
    bytes[filled + 2] = (c << 6) | d;
  }
  if (left > 0) {
    const a = BASE64[text[at] as number] as number;
    const b = BASE64[text[at + 1] as number] as number;
    const c = left === 3 ? (BASE64[text[at + 2] as number] as number) : 0;
    wrong |= a | b | c;
    bytes[filled] = (a << 2) | (b >> 4);
    if (left === 3) bytes[filled + 1] = (b << 4) | (c >> 2);
  }
  return wrong < 0 ? undefined : bytes;
}
