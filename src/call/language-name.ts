/** What a language is called in English, with its BCP 47 tag: `Mexican Spanish (es-MX)`. */
export function languageName(tag: string): string {
  try {
    const name = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(tag);
    return name ? `${name} (${tag})` : tag;
  } catch {
    return tag;
  }
}
