const QUOTE = 0x22;
const COLON = 0x3a;
const PADDING = 0x3d;
const ZERO = 0x30;
const NINE = 0x39;
/** Stand in a form for any run of digits, and for the payload; none of these bytes can occur in JSON text. */
const DIGITS_OF_STRING = 0;
const DIGITS_OF_NUMBER = 1;
const PAYLOAD = 2;

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

  /** @param message JSON text that was understood as audio, whose payload is the string under its key `payload` */
  remember(message: Buffer): void {
    const keyAt = message.indexOf(KEY);
    const isPlain = !message.includes('\\') && message.indexOf(KEY, keyAt + 1) < 0; // so the only such key is the payload's
    if (keyAt < 0 || !isPlain || message.length > MAX_REMEMBERED) return;
    const payloadAt = message.indexOf(QUOTE, message.indexOf(COLON, keyAt + KEY.length)) + 1;
    const payloadEnd = message.indexOf(QUOTE, payloadAt);
    const form = new Uint8Array(message.length);
    const headEnd = addForm(form, 0, message, 0, payloadAt);
    form[headEnd] = PAYLOAD;
    this.#form = form.slice(0, addForm(form, headEnd + 1, message, payloadEnd, message.length));
  }

  /** The decoded payload of a message of this form; undefined for any other message. In memory of its own. */
  payloadOf(message: Buffer): Uint8Array | undefined {
    const form = this.#form;
    let at = 0;
    let payloadAt = 0;
    let payloadEnd = 0;
    for (let i = 0; i < form.length; i += 1) {
      const wanted = form[i] as number;
      if (wanted > PAYLOAD) {
        if (message[at] !== wanted) return undefined;
        at += 1;
      } else if (wanted === PAYLOAD) {
        payloadAt = at;
        at = message.indexOf(QUOTE, at);
        if (at < 0) return undefined;
        payloadEnd = at;
      } else {
        const first = at;
        while (isDigit(message[at])) at += 1;
        const isNumber = at === first + 1 || message[first] !== ZERO; // JSON writes no leading zeros
        if (at === first || (wanted === DIGITS_OF_NUMBER && !isNumber)) return undefined;
      }
    }
    return at === message.length ? decodeBase64(message, payloadAt, payloadEnd) : undefined;
  }
}

/**
 * Writes the form of JSON text without escape sequences, which stands outside of strings where it begins or at a string's closing quote.
 * @returns where in `form` it ends
 */
function addForm(form: Uint8Array, formAt: number, text: Uint8Array, start: number, end: number): number {
  let next = formAt;
  let isString = start > 0;
  for (let at = start; at < end; at += 1) {
    const byte = text[at] as number;
    if (byte === QUOTE) isString = !isString;
    if (isDigit(byte) && at > start && isDigit(text[at - 1])) continue;
    form[next] = isDigit(byte) ? (isString ? DIGITS_OF_STRING : DIGITS_OF_NUMBER) : byte;
    next += 1;
  }
  return next;
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
