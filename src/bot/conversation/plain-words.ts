/** Without marks and capitals, its words between single spaces: two ways of writing the same words are equal. */
export function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[’]/g, "'")
    .replace(/[^\p{L}\p{N}'\s-]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The sentences of what a person has said, each without capitals, accents and marks: what patterns of phrases are written for. */
export const sentencesOf = (text: string): string[] =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[’‘`´]/g, "'")
    .replace(/\b([ap])\. ?m\.?/g, '$1m')
    .split(/[.!?…¡¿]+/)
    .map((sentence) =>
      sentence
        .replace(/[^\p{L}\p{N}']+/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter(Boolean);
