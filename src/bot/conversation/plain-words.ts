/** Without marks and capitals, its words between single spaces: two ways of writing the same words are equal. */
export function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[’]/g, "'")
    .replace(/[^\p{L}\p{N}'\s-]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
