/** Characters of writing without spaces, for a class of a regular expression. */
export const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}';

/** One of its characters, with the marks on it. */
export const ONE_UNSPACED = `[${UNSPACED}][\\p{M}\\uFF9E\\uFF9F]*`;
