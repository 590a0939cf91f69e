/** Each way in which one number is found in mails, pages and spreadsheets. */
export const DISGUISES: ReadonlyArray<readonly [what: string, write: (number: string) => string]> = [
  ['marks of the reading direction', (number) => `\u202a${number}\u202c`],
  ['isolating marks', (number) => `\u2066${number}\u2069`],
  ['characters without width', (number) => number.replace('2', '\u200b2\u200d\u2060')],
  ['a byte order mark', (number) => `\ufeff${number}`],
  ['soft hyphens', (number) => number.replace('2', '\u00ad2')],
  ['variation selectors', (number) => number.replace('2', '2\ufe0f')],
  ['spaces of many kinds', (number) => number.replace('2', '\u00a02\u2009\u202f\u3000')],
  ['dashes of many kinds', (number) => number.replace('2', '\u20102\u2011\u2013\u2014\u2212\uff0d')],
  ['dots, strokes and brackets', (number) => number.replace('2', '/(2)[.]\u00b7')],
  ['an apostrophe before it', (number) => `'${number}`],
  ['the address of a link', (number) => `tel:${number}`],
  ['wide digits', (number) => number.replace(/[\d+]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))],
  ['Arabic digits', (number) => number.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)))],
  ['mathematical digits', (number) => number.replace(/\d/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit)))],
];
